"""A door for the one who signs: a release in, and what is measured of it as one page out."""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.attack import attack
from shoal.audit.comparison import comparison
from shoal.audit.utility import utility
from shoal.audited import audit_by_policy, table_name
from shoal.engines.connection import engine_for
from shoal.engines.file import file_digest
from shoal.engines.sql_engine import SqlEngine
from shoal.errors import PolicyError, ShoalError
from shoal.ledger import Ledger
from shoal.model.attribute import Role
from shoal.model.domain import SUPPRESSED
from shoal.model.manifest import is_manifest, manifest_path
from shoal.model.policy import Policy
from shoal.model.policy_arguments import HierarchyLike, policy_of
from shoal.policy_file import read_policy
from shoal.privacy import model_of
from shoal.release import Release
from shoal.report.facts import Gathered, Stated, facts_of
from shoal.report.page import ATTACK, Report, report_page
from shoal.request import source_of
from shoal.risk import risk
from shoal.version import version


def report(
    release: Any,
    *,
    table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    models: Sequence[Any] = (),
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    original: Any = None,
    external: Any = None,
    key: str | None = None,
    explanation: Any = None,
    title: str | None = None,
    author: str | None = None,
    date: str | None = None,
    path: str | Path | None = None,
    engine: SqlEngine | None = None,
) -> Report:
    """Write the report on a release, whoever made it: what holds, what does not, what was not measured.

    Parameters
    ----------
    release
        A path, a data frame, what `anonymize` returned or, with `table`, a connection.
    table
        The table behind a connection.
    policy
        What was demanded, or the file that says it; or else name the columns. Without either, the manifest
        beside the release names quasi-identifiers and k.
    quasi_identifiers, k, sensitive, identifiers, models, hierarchies
        As in `anonymize`, in place of a policy. Without k, none is demanded.
    original
        The table that the release was made from; without it, initial risk, truth and utility stay unmeasured.
    external
        A table of people that an attacker may have, for record linkage.
    key
        A column of release and original that tells which rows belong together; by their order when absent.
    explanation
        What `explain` answered, to be told as well.
    title, author, date
        Of the report; the date is today's when absent, and the only thing that differs between two reports.
    path
        Where to write it: .html, .json or .pdf.
    engine
        An engine for the release with other limits than the default.
    """
    manifest: Mapping[str, Any] | None = None
    if isinstance(release, Release):
        manifest = asdict(release.manifest)
        release = release.data if release.path is None else release.path
    asked = _asked(policy, quasi_identifiers, k, sensitive, identifiers, models, hierarchies)
    if manifest is None:
        manifest = _manifest(release)
    demanded = policy is not None or k is not None
    if asked is None:
        asked, demanded = _asked_by_manifest(manifest), True
    source = source_of(release, table, asked)
    given = _Measuring(asked, manifest, demanded=demanded)
    stated: Stated = "policy" if policy is not None else "arguments" if quasi_identifiers else "manifest"
    with nullcontext(engine) if engine is not None else engine_for(source) as opened:
        gathered = given.gathered(
            opened, source, original=original, external=external, key=key, explanation=explanation
        )
    gathered = replace(
        gathered,
        stated=stated,
        title=title or f"Release {table_name(source)}",
        author=author,
        date=date or datetime.date.today().isoformat(),
    )
    made = report_page(facts_of(gathered))
    if path is not None:
        made.save(path)
    return made


class _Measuring:
    """Measures a release part by part, and keeps what could not be measured and why."""

    def __init__(self, policy: Policy, manifest: Mapping[str, Any] | None, *, demanded: bool) -> None:
        self._policy = policy
        self._manifest = manifest
        self._demanded = demanded
        self._missing: dict[str, str] = {}

    def gathered(
        self,
        engine: SqlEngine,
        source: Any,
        *,
        original: Any,
        external: Any,
        key: str | None,
        explanation: Any,
    ) -> Gathered:
        """Everything that can be measured of a release, with an original or without."""
        columns = engine.columns(source)
        policy = self._measurable(columns)
        audited = audit_by_policy(
            engine, source, policy, k=policy.k if self._demanded else None, lenient=True
        )
        before = None if original is None else self._original(engine, source, original, policy, key)
        if before is None:
            self._missing |= _WITHOUT_ORIGINAL
        ledger = None if self._policy.ledger is None else _ledger(self._policy.ledger)
        if ledger is None:
            self._missing["ledger"] = (
                "The policy names no ledger, so it is not known what was released of these people before."
            )
        return Gathered(
            shoal=version(),
            title="",
            date="",
            policy=self._policy,
            demanded=self._demanded,
            release=_table(engine, source, [each.name for each in policy.quasi_identifiers]),
            manifest=self._manifest,
            audit=audited.to_dict(),
            risk_after=risk(source, policy=policy, engine=engine).to_dict(),
            attacks=self._attacks(engine, source, policy, original, external),
            explain=None if explanation is None else explanation.to_dict(),
            ledger=ledger,
            missing=self._missing,
            **(before or {}),
        )

    def _measurable(self, columns: Sequence[str]) -> Policy:
        """The policy as far as a release tells of it; what it does not is said to be missing."""
        policy = self._policy
        lost = [
            each.name
            for each in policy.attributes
            if each.role is Role.SENSITIVE and each.name not in columns
        ]
        if lost:
            kept = tuple(each for each in policy.attributes if each.name not in lost)
            policy = replace(policy, attributes=kept)
            self._missing["sensitive columns"] = f"Not in the release: {', '.join(lost)}."
        stated = [model_of(each) for each in policy.models]
        told = [each for each in stated if not each.needs_population and {*each.columns} <= {*columns}]
        if len(told) < len(stated):
            self._missing["some privacy models"] = (
                "What they look at is not in the release: the population, or a column that was dropped. The "
                "manifest has what was measured when the release was made."
            )
        entity = policy.entity if policy.entity in columns else None
        if entity != policy.entity:
            self._missing["persons"] = (
                "The column that tells persons apart is not in the release, so k counts rows here. The "
                "manifest has what was measured when the release was made."
            )
        return replace(policy, models=tuple(told), entity=entity, population=None, survey_weight=None)

    def _original(
        self, engine: SqlEngine, source: Any, original: Any, policy: Policy, key: str | None
    ) -> dict[str, Any]:
        """What the original tells: initial risk, truth, losses and utility."""
        original = os.fspath(original) if isinstance(original, os.PathLike) else original
        found: dict[str, Any] = {}
        trained = policy
        if policy.class_attribute is not None and importlib.util.find_spec("sklearn") is None:
            kept = tuple(each for each in policy.attributes if each.role is not Role.CLASS)
            trained = replace(policy, attributes=kept)
            self._missing["classifier"] = "scikit-learn is not installed: pip install 'shoal[utility]'."
        with engine_for(original) as opened:
            found["original"] = _table(opened, original)
            found["risk_before"] = risk(original, policy=policy, engine=opened).to_dict()
            for name, what, measured, asked in (
                ("comparison", "truth of the cells", comparison, policy),
                ("utility", "utility", utility, trained),
            ):
                try:
                    beside = measured(engine, source, original, asked, key=key, original_engine=opened)
                    found[name] = beside.to_dict()
                except PolicyError as error:
                    self._missing[what] = f"It could not be measured: {error}."
        return found

    def _attacks(
        self, engine: SqlEngine, source: Any, policy: Policy, original: Any, external: Any
    ) -> Mapping[str, Any]:
        besides: dict[str, Any] = {"original": original, "external": external, "engine": engine}
        try:
            tried = attack(source, policy=policy, ledger=policy.ledger, **besides)
        except ShoalError as error:
            if policy.ledger is None:
                raise
            # A ledger that is broken or gone stops no other attack; what it would have told is missing.
            self._missing["earlier releases"] = f"They could not be read by the ledger: {error}."
            tried = attack(source, policy=policy, **besides)
        self._missing |= {
            f"{ATTACK}{name}": f"{why[:1].upper()}{why[1:]}." for name, why in tried.skipped.items()
        }
        return {each.name: each.to_dict() for each in tried.results}


_WITHOUT_ORIGINAL = {
    "initial risk": "The original was not given, so its risk is not known. Give it: --original FILE.",
    "truth of the cells": "The original was not given, so it is not known that cells are true of their rows.",
    "utility": "The original was not given, so there is nothing to compare the release with.",
}


def _asked(
    policy: Policy | str | Path | None,
    names: Sequence[str] | None,
    k: int | None,
    sensitive: Sequence[str],
    identifiers: Sequence[str],
    models: Sequence[Any],
    hierarchies: Mapping[str, HierarchyLike] | None,
) -> Policy | None:
    """The policy that was given, or the one that the arguments make; `None` if there is neither."""
    given = {
        "quasi_identifiers": names,
        "k": k,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "models": models,
        "hierarchies": hierarchies,
    }
    beside = [name for name, value in given.items() if value]
    if policy is not None:
        if beside:
            raise PolicyError(f"a policy says it all; leave out {', '.join(beside)}, or the policy")
        return policy if isinstance(policy, Policy) else read_policy(policy)
    if not names:
        if beside:
            raise PolicyError(
                f"{beside[0]} is given and no quasi-identifiers are; name them, or give a policy"
            )
        return None
    return policy_of(
        quasi_identifiers=names,
        k=1 if k is None else k,
        sensitive=sensitive,
        identifiers=identifiers,
        models=models,
        hierarchies=hierarchies,
    )


def _asked_by_manifest(manifest: Mapping[str, Any] | None) -> Policy:
    if manifest is None:
        raise PolicyError(
            "name the quasi-identifiers: quasi_identifiers=[...] (flag: -q), or give a policy; no manifest "
            "lies beside the release to tell them"
        )
    return policy_of(
        quasi_identifiers=list(manifest["recoding"]), k=int(manifest["k"]), cost=str(manifest["cost_metric"])
    )


def _manifest(release: Any) -> Mapping[str, Any] | None:
    """What lies beside a release that is a file; `None` if nothing does, or if it is no manifest."""
    if not isinstance(release, str | os.PathLike):
        return None
    place = manifest_path(Path(release))
    try:
        text = place.read_text(encoding="utf-8") if place.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None
    return json.loads(text) if text is not None and is_manifest(text) else None


def _ledger(path: Path) -> dict[str, Any]:
    """What the ledger holds, and whether its chain does."""
    try:
        entries = Ledger(path).releases
    except ShoalError as error:
        return {"holds": False, "words": f"{error}."}
    known = sum(each.counts for each in entries)
    return {
        "holds": True,
        "releases": known,
        "words": f"{known:,} release(s) are written down in {path.name}.",
    }


def _table(engine: SqlEngine, source: Any, labelled: Sequence[str] = ()) -> dict[str, Any]:
    """Name, rows, columns with their distinct values, digest of a file; labels of a release's columns."""
    rows, facts = engine.inspect(source)
    columns: dict[str, dict[str, Any]] = {each.name: {"distinct": each.distinct} for each in facts}
    for name in labelled:
        cells = engine.cells(source, [name])
        times = np.bincount(cells.column(name), cells.counts, len(cells.texts(name)))
        pairs = zip(cells.texts(name), times.tolist(), strict=True)
        found = [(text, count) for text, count in pairs if count]
        columns[name] |= {
            "labels": [{"label": text, "share": count / rows} for text, count in found],
            "suppressed": sum(count for text, count in found if text == SUPPRESSED) / rows,
        }
    is_file = isinstance(source, str | os.PathLike) and Path(source).is_file()
    return {
        "name": table_name(source),
        "rows": rows,
        "columns": columns,
        "digest": file_digest(Path(source)) if is_file else None,
    }
