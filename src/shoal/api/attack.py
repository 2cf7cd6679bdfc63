"""`shoal.attack`: what an attacker with further tables can learn from a release."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._attacked_log import attacked_log
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.auditor.attacks import ATTACKS, Target
from shoal.auditor.attacks.report import AttackReport, attacked, check_attacks
from shoal.engines.connection import engine_for, using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.ledger import Ledger
from shoal.model.cells.column_texts import ColumnTexts, column_texts, in_plain_form, plain_hierarchy
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.listed_sets import ListedSets
from shoal.model.suggestion import suggestion
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.number_text import is_finite
from shoal.pipeline.attacker_tables import columns_of, earlier_files, other_table, rows_in_order, rows_of
from shoal.pipeline.check_manifest import sets_of
from shoal.pipeline.demands import check_models, models_of
from shoal.pipeline.followed_persons import check_known, events_of, followed, original_events
from shoal.pipeline.placed_original import placed_original
from shoal.pipeline.source import original_of, source_of


@alongside_policy(
    *("attacks", "allowed", "external", "match", "truth", "earlier", "views", "ledger"),
    *("known_events", "exclude", "rise", "near", "engine"),
)
@door
def attack(
    release: Any,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    k: int = 1,
    models: Sequence[object] = (),
    entity: str | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    attacks: Sequence[str] | None = None,
    allowed: Mapping[str, float] | None = None,
    external: Any = None,
    match: Mapping[str, str] | None = None,
    truth: str | None = None,
    original: Any = None,
    earlier: Sequence[Any] = (),
    views: Sequence[Any] = (),
    ledger: Ledger | str | Path | None = None,
    known_events: int | str | None = None,
    exclude: int = 1,
    rise: float = 2.0,
    near: float = 0.1,
    senders: str | None = None,
    pseudonym: str | None = None,
    once: bool = False,
    engine: SqlEngine | None = None,
) -> AttackReport:
    """Attack a release, whoever made it, or a log of messages, and say how far each attack gets.

    Parameters
    ----------
    release
        A path, a data frame or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        The policy that the release was made by, or its file; or else name the columns.
    quasi_identifiers, sensitive, k, models, entity, hierarchies
        What the attacker may know of people, what is worth learning, and what the release promises; the
        meaning of each is that of the policy.
    attacks
        Names of attacks; all that can be run when absent.
    allowed
        The highest success rate by attack, where it differs from the policy's.
    external
        A table of people that the attacker has, with some of the quasi-identifiers.
    match
        The columns of the external table where their names differ: column of the release -> column there.
    truth
        A column of release and external table that identifies the person of a row: success is then measured.
    original
        The private table: whether an attacker is right is then measured.
    earlier, views
        Earlier releases of the same people, and other views of the same table.
    ledger
        The file in which releases are written down: those with quasi-identifiers of this one whose files are
        still there, and unchanged, are earlier releases, too. The policy's when absent, if there is one.
    known_events
        How many events of a person the attacker may know: a number, or "all". What the policy promises when
        absent, and "all" if it promises nothing about them.
    exclude
        How many sensitive values of a person the attacker can rule out.
    rise
        By which factor the belief in a value must rise to count as learned.
    near
        Which share of the range of a number is narrow enough to count as known.
    senders
        The table is a log with one row per message, and this column lists who may have sent it; `senders` is
        then the only attack.
    pseudonym
        A column of the log: messages with equal cells have the same sender.
    once
        Whether each sender has at most one message of the log, or one pseudonym.
    engine
        An engine for the release with other limits than the default.

    Examples
    --------
    >>> shoal.attack("release.csv", original="stays.csv", policy="stays.toml")
    >>> shoal.attack("release.csv", quasi_identifiers=["age", "zip"], sensitive=["diagnosis"])
    >>> shoal.attack("log.csv", senders="possible", once=True, k=5)
    """
    if senders is not None:
        about_releases = (
            *(("quasi_identifiers", quasi_identifiers), ("sensitive", sensitive), ("models", models)),
            *(("entity", entity), ("hierarchies", hierarchies), ("truth", truth), ("external", external)),
            *(("match", match), ("original", original), ("earlier", earlier), ("views", views)),
            *(("ledger", ledger), ("known_events", known_events)),
        )
        return attacked_log(
            source_of(release, table, None),
            senders=senders,
            pseudonym=pseudonym,
            once=once,
            k=k,
            allowed=allowed,
            attacks=attacks,
            engine=engine,
            others={name: value for name, value in about_releases if value is not None},
        )
    if pseudonym is not None or once:
        raise PolicyError("pseudonym and once belong to a log of messages; name its column of senders, too")
    if policy is None:
        policy = policy_of(
            quasi_identifiers=list(quasi_identifiers),
            k=k,
            sensitive=list(sensitive),
            models=list(models),
            entity=entity,
            hierarchies=hierarchies,
        )
    for flag, value in (("allowed", allowed), ("match", match)):
        if value is not None and not isinstance(value, Mapping):
            raise PolicyError(f"{flag} is a mapping of names; it is {value!r}")
    policy = _limited(policy, allowed or {})
    if original is not None and policy.unmade:
        with placed_original(original_of(original, policy), policy) as (placed, made):
            return attack(
                release,
                table=table,
                policy=made,
                attacks=attacks,
                external=placed if external is original else external,
                match=match,
                truth=truth,
                original=placed,
                earlier=earlier,
                views=views,
                ledger=ledger,
                known_events=known_events,
                exclude=exclude,
                rise=rise,
                near=near,
                engine=engine,
            )
    if attacks is not None:
        check_attacks(attacks)
    _check_numbers(exclude, rise, near)
    check_known(known_events)
    if match and external is None:
        raise PolicyError("match names columns of an external table, and none is given")
    chosen = [ATTACKS[name] for name in attacks or ATTACKS]
    needs = {need for each in chosen for need in (*each.needs, *each.uses)}
    source = source_of(release, table, policy)
    original = original_of(original, policy)
    recorded = _recorded(ledger, source, policy, engine, wanted="earlier" in needs)
    others = [*earlier, *(recorded or ())]
    in_order = "in_order" in needs and bool(others or original is not None)
    with using(engine, source) as opened:
        sets = sets_of(opened, source)
        target = _target(opened, source, policy, truth, sets, elsewhere=columns_of([*views, *others]))
        if others or views:
            whole = opened.cells(source, opened.columns(source)).spelled(sets)
            target = replace(target, whole=whole)
        if in_order:
            target = replace(target, in_order=rows_in_order(opened, source, sets))
        target = followed(target, policy, known_events)
        if "events" in needs and original is not None and target.in_order is None:
            target = replace(target, events=events_of(opened, source, target, sets))
    target = replace(
        target,
        external=None if external is None else _external(external, target, match or {}),
        original=None if original is None else _original(original, target),
        original_in_order=rows_of(original) if in_order and original is not None else None,
        earlier=tuple(
            other_table(other, f"earlier release {number}", in_order=in_order)
            for number, other in enumerate(others, 1)
        ),
        views=tuple(other_table(view, f"view {number}") for number, view in enumerate(views, 1)),
        ledger=recorded is not None,
        exclude=exclude,
        rise=rise,
        near=near,
    )
    if "events" in needs and original is not None and target.original_in_order is None:
        target = replace(target, original_events=original_events(original, target))
    return attacked(_in_plain_form(target, policy), attacks)


def _recorded(
    ledger: Any, release: Any, policy: Policy, engine: SqlEngine | None, *, wanted: bool
) -> list[Path] | None:
    """The earlier releases of a ledger, the given one or the policy's; `None` if there is no ledger."""
    quasi = [quasi_identifier.name for quasi_identifier in policy.quasi_identifiers]
    if ledger is not None:
        return earlier_files(ledger, release, quasi, engine)
    if not wanted or policy.ledger is None or not policy.ledger.exists():
        return None
    try:
        return earlier_files(policy.ledger, release, quasi, engine)
    except PolicyError:  # files that are gone; nobody requested them, and an attack without them is not run
        return None


def _limited(policy: Policy | str | Path, allowed: Mapping[str, float]) -> Policy:
    """A policy, read if it is a file, with the success rates that are allowed in addition."""
    read = read_policy(policy) if isinstance(policy, str | os.PathLike) else policy
    limited = replace(read, attacks={**read.attacks, **allowed})
    check_models(limited)
    return limited


def _target(
    engine: SqlEngine,
    source: Any,
    policy: Policy,
    truth: str | None,
    sets: ListedSets,
    *,
    elsewhere: set[str],
) -> Target:
    """The release as the policy reads it, and its manifest the short labels.

    Sensitive columns may be `elsewhere`, in a view, and quasi-identifiers in an earlier release.
    """
    known = [
        attribute
        for attribute in policy.attributes
        if attribute.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    ]
    quasi = tuple(quasi_identifier.name for quasi_identifier in policy.quasi_identifiers)
    private = tuple(each.name for each in known if each.role is Role.SENSITIVE)
    wanted = tuple(dict.fromkeys((*quasi, *private, *([] if truth is None else [truth]))))
    columns = engine.columns(source)
    if truth is not None and truth in quasi:
        raise PolicyError(
            f"truth names {truth!r}, a quasi-identifier, whose released cells are labels; name a column that "
            "identifies the person of a row, in both tables"
        )
    for name in wanted:
        if name not in columns and (name not in elsewhere or name == truth):
            raise PolicyError(f"the release has no column {name!r}.{suggestion(name, columns)}")
    also_known = tuple(name for name in quasi if name not in columns)
    quasi = tuple(name for name in quasi if name in columns)
    if not quasi:
        raise PolicyError(
            f"the release has none of the quasi-identifiers.{suggestion(also_known[0], columns)}"
        )
    protected, private = private, tuple(name for name in private if name in columns)
    wanted = tuple(name for name in wanted if name in columns)
    release = engine.cells(source, wanted).spelled(sets)
    if not release.rows:
        raise PolicyError("the release has no rows; there is nothing to attack")
    hierarchies = {each.name: plain_hierarchy(each) for each in known}
    return Target(
        release=release,
        quasi_identifiers=quasi,
        sensitive=private,
        readers={each.name: CellReader(hierarchies[each.name], each.kind) for each in known},
        hierarchies={name: hierarchy for name, hierarchy in hierarchies.items() if hierarchy is not None},
        k=policy.k,
        models=models_of(policy),
        allowed=policy.attacks,
        key=truth,
        protected=protected,
        also_known=also_known,
    )


def _in_plain_form(target: Target, policy: Policy) -> Target:
    """The target, with the forms and missing markers of the attacker's tables read as the release's are."""
    for tables in (("original", "original_in_order", "original_events"), ("external",)):
        private = getattr(target, tables[0])
        texts = {} if private is None else column_texts(private, policy.attributes)
        if texts:
            target = replace(
                target,
                **_spelled(target, tables, texts),
                **_spelled(target, ("release", "whole", "in_order", "events"), texts, released=True),
            )
    return target


def _spelled(
    target: Target, tables: Sequence[str], texts: Mapping[str, ColumnTexts], *, released: bool = False
) -> dict[str, Any]:
    found = {name: getattr(target, name) for name in tables}
    return {
        name: in_plain_form(table, texts, released=released)
        for name, table in found.items()
        if table is not None
    }


def _external(source: Any, target: Target, match: Mapping[str, str]) -> CodedCells:
    """The people of an external table, under the names that their columns have in the release."""
    with engine_for(source) as engine:
        columns = engine.columns(source)
        for name, there in match.items():
            if name not in (*target.quasi_identifiers, target.key):
                near = suggestion(name, target.quasi_identifiers)
                raise PolicyError(f"match names {name!r}, which is no quasi-identifier.{near}")
            if there not in columns:
                raise PolicyError(f"the external table has no column {there!r}.{suggestion(there, columns)}")
        quasi = (*target.quasi_identifiers, *target.also_known)
        known = {name: match.get(name, name) for name in quasi}
        known = {name: there for name, there in known.items() if there in columns}
        if not known:
            raise PolicyError(
                "the external table has none of the quasi-identifiers; say which of its columns is which: "
                "match={'zip': 'ZIP'} (flag: --match zip=ZIP)"
            )
        if target.key is not None:
            known[target.key] = there = match.get(target.key, target.key)
            if there not in columns:
                raise PolicyError(f"the external table has no column {there!r}.{suggestion(there, columns)}")
        return replace(engine.cells(source, tuple(known.values())), columns=tuple(known))


def _original(source: Any, target: Target) -> CodedCells:
    with engine_for(source) as engine:
        columns = engine.columns(source)
        for name in target.quasi_identifiers:
            if name not in columns:
                raise PolicyError(f"the original has no column {name!r}.{suggestion(name, columns)}")
        more = tuple(name for name in (*target.also_known, *target.sensitive) if name in columns)
        return engine.cells(source, (*target.quasi_identifiers, *more))


def _check_numbers(exclude: Any, rise: Any, near: Any) -> None:
    if not isinstance(exclude, int) or isinstance(exclude, bool) or exclude < 0:
        raise PolicyError(f"exclude must be a whole number of at least 0; it is {exclude!r}")
    for name, value, least, most in (("rise", rise, 1, math.inf), ("near", near, 0, 1)):
        if not is_finite(value) or not least <= value <= most:
            words = f"of at least {least}" if most == math.inf else f"from {least} to {most}"
            raise PolicyError(f"{name} must be a number {words}; it is {value!r}")
