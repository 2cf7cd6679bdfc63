"""The comment above the statement: what made it, and what it guarantees when the table changes.

It has names and numbers of Shoal's own, and columns only by plain words: nothing in it can end the comment.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from shoal.algorithms.searched_kind import searched_kind
from shoal.model.table.domain import Domain, Kind
from shoal.warehouse.plan import Plan

WIDTH = 100

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ -]*")
_TYPES: dict[Kind, str] = {"number": "a number", "date": "a date or timestamp", "category": "text"}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of the search.

    Parameters
    ----------
    version
        Shoal's.
    algorithm, status, cost_metric, cost, bound
        The search and its answer.
    k, rows, suppressed
        The policy, and how the counted rows are released.
    policy_digest
        SHA-256 of the policy.
    """

    version: str
    algorithm: str
    status: str
    cost_metric: str
    cost: int | Fraction | float | None
    bound: int | Fraction | float | None
    k: int
    rows: int
    suppressed: int
    policy_digest: str


def header(facts: Facts, plan: Plan, dialect: str) -> str:
    """The comment, a line that begins with -- each."""
    lines = []
    for paragraph in (*_made(facts, dialect), *_expected(plan), *_guaranteed(plan)):
        lines += textwrap.wrap(paragraph, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "".join(f"-- {line}\n" for line in lines)


def _made(facts: Facts, dialect: str) -> Iterator[str]:
    yield f"A k-anonymous release, written by shoal sql (shoal {facts.version}) for {dialect}. Do not edit."
    among = "" if facts.bound is None else f" among {searched_kind(facts.algorithm)}"
    yield (
        f"k = {facts.k}; algorithm {facts.algorithm}; {facts.status}; {facts.cost_metric} "
        f"{_figure(facts.cost)}, bound {_figure(facts.bound)}{among}; rows counted {facts.rows}, "
        f"suppressed {facts.suppressed}."
    )
    yield f"policy sha256 {facts.policy_digest}"


def _figure(cost: int | Fraction | float | None) -> str:
    if cost is None:
        return "unknown"
    return str(cost) if isinstance(cost, int) else f"{float(cost):.12g}"


def _expected(plan: Plan) -> Iterator[str]:
    types = (
        f"{_named(place, column.domain)} {_type(column.domain)}" for place, column in enumerate(plan.columns)
    )
    yield f"Expects these columns: {', '.join(types)}."


def _named(place: int, domain: Domain) -> str:
    return domain.name if _PLAIN.fullmatch(domain.name) else f"quasi-identifier {place + 1}"


def _type(domain: Domain) -> str:
    known = next((value for value in domain.values if value is not None), "")
    if domain.kind == "category" and not isinstance(known, str):
        return "a truth value" if isinstance(known, bool) else "as it was counted"
    return _TYPES[domain.kind]


def _guaranteed(plan: Plan) -> Iterator[str]:
    masked = "masked" if plan.suppressed == "mask" else "left out"
    if plan.k is not None:
        counted = [f"{plan.k} rows"]
        counted += [
            f"{demand.least} "
            f"{'persons' if demand.domain is None else 'distinct values of a sensitive column'}"
            for demand in plan.distinct
        ]
        yield (
            f"Holds whatever rows are added, changed or removed: each group of rows with the same "
            f"quasi-identifiers has at least {' and '.join(counted)}; smaller groups are {masked}."
        )
    yield (
        f"Rows with values that were not released when the rows were counted are {masked}, too: run shoal "
        "sql again when many are."
    )
    if plan.unchecked:
        yield (
            f"Held when the rows were counted, and is NOT checked here: {'; '.join(plan.unchecked)}. Use it "
            "on the rows that were counted, and run shoal sql again when they change."
        )
    if not plan.truthful:
        yield "Cells are means of the groups as they were counted; they do not follow the rows."
    yield (
        "Does not hold across versions: anybody who sees this before and after a change can compare them. "
        "The cost and the suppressed rows above are those of the rows that were counted."
    )
