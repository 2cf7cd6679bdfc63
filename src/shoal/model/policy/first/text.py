"""Writes the first policy: TOML with a comment for everything that was guessed.

Only keys that a policy has are written; the text is parsed by the tests, and by `init` before it is given
out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from shoal.model.policy.attribute import Role
from shoal.model.policy.first.plan import Plan, PlannedColumn
from shoal.model.policy.keys import keys_of

WIDTH = 100
MOST_VALUES_OF_A_MODEL = 3
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ROLES = {
    Role.IDENTIFIER: "dropped",
    Role.QUASI_IDENTIFIER: "recoded: others may know it about a person",
    Role.SENSITIVE: "kept: others must not learn it about a person",
    Role.OTHER: "kept as it is",
}


def policy_text(
    plan: Plan,
    *,
    decisions: Sequence[str],
    source: Mapping[str, Any],
    reading: str | None = None,
    release: str | None = None,
    shuffled: bool = True,
) -> str:
    """The policy.

    Parameters
    ----------
    plan, decisions
        What it states, and what is left to decide.
    source
        The keys of [source]; empty for a data frame.
    reading
        How the file was read, in words, if that needs words.
    release
        Where the release goes; `None` for a data frame.
    shuffled
        Whether its rows can be put into another order.
    """
    blocks = [
        _head(decisions),
        _source(source, reading) if source else [],
        *(_person(each) if _is_person(each, plan) else _column(each) for each in plan.columns),
        _privacy(plan),
        _release(release, shuffled=shuffled),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(decisions: Sequence[str]) -> list[str]:
    lines = [
        "# Written by `shoal init`. Roles are guesses from names, cells and counts: read them once.",
        "# `shoal policy schema` lets an editor explain and check the keys.",
    ]
    if decisions:
        lines += ["#", "# Needs a decision:"]
        for sentence in decisions:
            first, *rest = wrap(_plain(sentence), WIDTH, break_long_words=False, break_on_hyphens=False)
            lines += [f"# - {first}", *(f"#   {line}" for line in rest)]
    return lines


def _source(source: Mapping[str, Any], reading: str | None) -> list[str]:
    known = keys_of("source")
    lines = ["[source]"]
    if reading is not None:
        lines.append(f"# {_plain(reading)}")
    return [*lines, *(f"{name} = {value(each)}" for name, each in source.items() if name in known)]


def _is_person(planned: PlannedColumn, plan: Plan) -> bool:
    return plan.entity is not None and planned.name == plan.entity.name


def _person(planned: PlannedColumn) -> list[str]:
    """The column of persons has no role: `entity` drops it, and `linkable` would keep it."""
    return [
        f"# [attributes.{key(planned.name)}]",
        _reason(planned),
        "# It says whose row it is: entity, under [privacy], drops it.",
    ]


def _reason(planned: PlannedColumn) -> str:
    column = planned.column
    facts = f"{column.distinct:,} distinct"
    if column.missing:
        facts += f", {column.missing:,} missing"
    reason = "no column looks like something that others know" if planned.chosen else column.reason
    return f"# {_plain(reason[:1].upper() + reason[1:])} ({facts})"


def _column(planned: PlannedColumn) -> list[str]:
    column = planned.column
    lines = [
        f"[attributes.{key(planned.name)}]",
        _reason(planned),
        f'role = "{planned.role.value}"  # {_ROLES[planned.role]}',
    ]
    if planned.role is Role.QUASI_IDENTIFIER:
        lines += _shape(planned)
    elif planned.role is not Role.IDENTIFIER:  # a treatment or a privacy model reads its values, too
        lines += _read(getattr(column, "reading", None))
    if planned.role is Role.OTHER:
        # Stated, it would be on purpose and without a warning; that is for a person to say.
        return [f"# {line}" for line in lines]
    return lines


def _shape(planned: PlannedColumn) -> Iterator[str]:
    """How the values of a quasi-identifier are read, ordered and joined."""
    column, reading = planned.column, getattr(planned.column, "reading", None)
    ambiguous = getattr(reading, "ambiguous", ())
    kind = "category" if ambiguous or (planned.is_postcode and column.kind == "number") else column.kind
    yield f'type = "{kind}"'
    for form in ambiguous:
        yield f'# type = "{column.kind}"\n# format = {value(form)}'
    if kind == column.kind:
        yield from _read(reading)
    if planned.hierarchy is not None:
        yield f"hierarchy = {value(planned.hierarchy)}  # found next to the table; its labels are used"
        return
    if planned.is_postcode:
        yield 'order = "sorted"'
    elif kind == "category" and column.order is not None:
        yield _order(column.order)
    yield from _levels(planned, kind)


def _read(reading: object) -> Iterator[str]:
    known = keys_of("attributes")
    form, missing = getattr(reading, "format", None), getattr(reading, "missing", {})
    if form is not None and "format" in known:
        yield f"format = {value(form)}"
    if missing and "missing" in known:
        counts = ", ".join(f"{marker or 'spaces'} ({rows:,})" for marker, rows in missing.items())
        yield f"missing = {value(list(missing))}  # {_plain(counts)}"


def _order(words: str) -> str:
    if words.startswith("recognised"):
        return f'order = "recognised"  # {_plain(words)}'
    if words == "from the data":
        return 'order = "data"  # values that are alike in the other columns become neighbours'
    return 'order = "sorted"'


def _levels(planned: PlannedColumn, kind: str) -> Iterator[str]:
    """Hierarchies to think of; without one, intervals and small sets are released, which lose less."""
    if planned.is_postcode:
        yield "# hierarchy = { prefixes = [4, 3, 2] }  # signs kept from the left: 021**"
    elif kind == "date":
        yield '# hierarchy = { steps = ["month", "quarter", "year"] }'
    elif kind == "number" and "age" in planned.concepts:
        yield "# hierarchy = { widths = [5, 10, 20] }  # ages in steps"


def _privacy(plan: Plan) -> list[str]:
    what = "rows" if plan.entity is None else f"persons (values of {_plain(plan.entity.name)})"
    lines = [
        "[privacy]",
        f"# Every group of rows with the same released quasi-identifiers has at least k {what}. Who",
        "# knows only these columns about a person finds that person's row with a chance of at most 1 in "
        f"{plan.k:,}.",
        f"k = {plan.k}",
    ]
    if plan.entity is not None:
        lines += [
            f"entity = {value(plan.entity.name)}  # the column is dropped: nobody can follow a person by it",
            "# linkable = true  # would release it as fresh pseudonyms: readers can follow a person through",
            "#                  # all rows, k persons share a whole history, other columns lose more detail",
        ]
    weights = [each.name for each in plan.columns if each.is_survey_weight]
    lines += [
        f"# survey_weight = {value(name)}  # for the models k-map and delta-presence" for name in weights
    ]
    sensitive = [each for each in plan.with_role(Role.SENSITIVE) if each.column.distinct > 1]
    if sensitive:
        lines += [
            "# Several values of a sensitive column in each group, so that a group gives none away:",
            "# models = [",
        ]
        lines += [
            f'#   {{ name = "distinct-l-diversity", attribute = {value(each.name)}, '
            f"l = {min(MOST_VALUES_OF_A_MODEL, each.column.distinct)} }},"
            for each in sensitive
        ]
        lines.append("# ]")
    return lines


def _release(release: str | None, *, shuffled: bool) -> list[str]:
    lines = ["[release]"]
    if release is not None:
        lines.append(f"path = {value(release)}")
    if shuffled and "order" in keys_of("release"):
        lines.append(
            'order = "shuffle"  # two releases in the order of the source could be joined row by row'
        )
    return lines if len(lines) > 1 else []


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def value(stated: object) -> str:
    """A text, a number, a truth value or a list as TOML."""
    if isinstance(stated, bool):
        return "true" if stated else "false"
    if isinstance(stated, list | tuple):
        return f"[{', '.join(map(value, stated))}]"
    return _quoted(stated) if isinstance(stated, str) else str(stated)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's; the one control sign that JSON leaves as it is must be escaped here.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """A text on one line, without signs that a comment must not have."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
