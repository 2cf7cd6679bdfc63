"""The least cost by looking at every recoding: all sets of cuts, or all nodes of the level lattice.

Only for tables whose order and hierarchies the documents settle: numbers by size, words by their letters,
levels of hierarchies that the policy gives. Which of the admitted groups are released is chosen freely where
a model looks at all of them together; otherwise every admitted group is.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.fuzz.groups import admits, value_of
from tests.fuzz.instance import Instance
from tests.fuzz.losses import OF_CELLS, OF_GROUPS, OF_LEVELS, cost_of_groups, loss_of_cell, loss_of_suppressed
from tests.fuzz.recodings import MOST_RECODINGS, Choice, Column, cuts_of, levels_of
from tests.fuzz.seen import Seen, linked_column, source_rows, suppression_limit

CUTS = ("exact", "k-optimize", "hill-climb", "exhaustive")
LEVELS = ("lattice", "incognito", "samarati", "mingen", "ola", "flash", "datafly")
MOST_GROUPS = 9
CLOSE = 1e-6
TOGETHER = ("rows-at-risk", "sample-uniqueness", "population-uniqueness")


@dataclass(frozen=True)
class Optimum:
    """The least cost of any recoding, and of one that releases a row; `None` if there is none."""

    least: float | None
    least_released: float | None


def kind_of(algorithm: str, options: dict[str, Any]) -> str | None:
    """What an algorithm searches, if it is searched here, too."""
    if algorithm in CUTS:
        return "cuts"
    return "levels" if algorithm in LEVELS and not options.get("cells") else None


def check_optimum(found: Seen) -> Iterator[tuple[str, str]]:
    """`optimal` is optimal, a bound bounds, and no cost is below the least."""
    instance, manifest = found.instance, found.manifest
    if found.linked is not None:
        return  # groups of persons, not of rows
    labels = [
        [value_of(row.get(instance.request.get("class_attribute", ""), None)) for row in group]
        for group in found.released()
    ]
    stated = cost_of_groups(manifest["cost_metric"], len(found.sources), labels)
    if "gs_factor" in instance.request:
        return
    if stated is not None and not _close(stated, manifest["cost"]) and len(found.sets) == 1:
        yield "cost", f"{manifest['cost_metric']} is {manifest['cost']}, and {stated} by its definition"
    yield from judged(instance, manifest["algorithm"], manifest["cost_metric"], manifest)


def judged(
    instance: Instance, algorithm: str, cost: str, answer: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Faults of an answer with its `status`, `cost` and `bound`, or with the status `infeasible`."""
    linked = linked_column(instance.request) is not None
    if linked or "gs_factor" in instance.request or _unpriced(instance):
        return
    best = optimum(instance, kind_of(algorithm, instance.request.get("options", {})), cost)
    if best is None:
        return
    if answer["status"] == "infeasible":
        # Not by cost: a climb ends below what it looks for, and the least height may suppress every row.
        by_cost = algorithm not in ("datafly", "hill-climb", "samarati")
        released, least = best.least_released, best.least
        if by_cost and released is not None and least is not None and released <= least * (1 + CLOSE):
            yield "infeasible-wrong", f"{algorithm}: a recoding of cost {released} is admissible"
        return
    if best.least is None:
        yield "feasible-wrong", f"{algorithm} found one of cost {answer['cost']}, and none is admissible"
        return
    told = f"{algorithm}, {cost}: cost {answer['cost']}, bound {answer['bound']}, least {best.least}"
    if answer["cost"] < best.least and not _close(answer["cost"], best.least):
        yield "below-least", told
    if answer["status"] == "optimal" and not _close(answer["cost"], best.least):
        yield "not-optimal", told
    bound = answer["bound"]
    if bound is not None and bound > best.least and not _close(bound, best.least):
        yield "bound-too-high", told


def _unpriced(instance: Instance) -> bool:
    """Whether a demand on all groups together leaves open here which of them are released."""
    return any(
        model["name"] in (*TOGETHER, *(("k-map",) if "subset" in instance.request else ()))
        for model in instance.request.get("models", ())
    )


def _close(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=CLOSE, abs_tol=CLOSE)


def optimum(instance: Instance, kind: str | None, cost: str) -> Optimum | None:
    """The least cost over cuts or levels; `None` if it is not settled here."""
    request = instance.request
    if kind is None or len(request.get("sets", ())) > 1 or request.get("bins") or request.get("types"):
        return None
    rows = source_rows(instance)
    choices = [
        cuts_of(instance, name, rows) if kind == "cuts" else levels_of(instance, name, rows, cost)
        for name in instance.quasi_identifiers
    ]
    if any(each is None for each in choices):
        return None
    settled = [each for each in choices if each is not None]
    if math.prod(len(each[1]) for each in settled) > MOST_RECODINGS or cost not in (
        *OF_GROUPS,
        *OF_CELLS,
        *OF_LEVELS,
    ):
        return None
    return _least(instance, rows, settled, cost)


def _least(
    instance: Instance, rows: Sequence[dict[str, Any]], columns: Sequence[Column], cost: str
) -> Optimum | None:
    pricing, everything = Pricing(instance, rows, columns, cost), range(len(rows))
    admitted: dict[tuple[int, ...], bool | None] = {}
    best: list[float | None] = [None, None]
    for chosen in itertools.product(*(choices for _, choices in columns)):
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in everything:
            key = tuple(
                choice.of_value[codes[row]] for (codes, _), choice in zip(columns, chosen, strict=True)
            )
            groups.setdefault(key, []).append(row)
        for group in map(tuple, groups.values()):
            if group not in admitted:
                admitted[group] = _admitted(instance, [rows[row] for row in group], rows)
            if admitted[group] is None:
                return None
        releases = _releases(instance, len(rows), [each for each in groups.values() if admitted[tuple(each)]])
        if releases is None:
            return None
        for release in releases:
            price = pricing.of(chosen, release)
            best[0] = price if best[0] is None else min(best[0], price)
            if release:
                best[1] = price if best[1] is None else min(best[1], price)
    return Optimum(*best)


class Pricing:
    """What releases of one table cost."""

    def __init__(
        self, instance: Instance, rows: Sequence[dict[str, Any]], columns: Sequence[Column], cost: str
    ) -> None:
        weights, label = instance.request.get("weights", {}), instance.request.get("class_attribute", "")
        self.cost, self.columns, self.rows = cost, columns, len(rows)
        self.weights = [float(weights.get(name, 1)) for name in instance.quasi_identifiers]
        self.labels = [value_of(row.get(label)) for row in rows]
        self.counts = [Counter(codes) for codes, _ in columns]
        self.divisor = 1.0 if cost == "suppressed-cells" else len(rows) * sum(self.weights)
        self.suppressed = [
            sum(
                weight * loss_of_suppressed(cost, len(rows), count, codes[row])
                for (codes, _), count, weight in zip(columns, self.counts, self.weights, strict=True)
            )
            for row in range(len(rows))
        ]

    def of(self, chosen: Sequence[Choice], kept: Sequence[Sequence[int]]) -> float:
        """The cost of a recoding of which some groups are released."""
        if self.cost in OF_LEVELS:
            heights = [1 if self.cost == "height" else max(1, choice.height) for choice in chosen]
            return sum(choice.level / height for choice, height in zip(chosen, heights, strict=True))
        found = cost_of_groups(self.cost, self.rows, [[self.labels[row] for row in group] for group in kept])
        if found is not None:
            return found
        released = [row for group in kept for row in group]
        total = sum(self.suppressed) - sum(self.suppressed[row] for row in released)
        for (codes, _), choice, weight, count in zip(
            self.columns, chosen, self.weights, self.counts, strict=True
        ):
            lost = {
                code: weight * loss_of_cell(self.cost, choice.parts[choice.of_value[code]], count, code)
                for code in set(codes)
            }
            total += sum(lost[codes[row]] for row in released)
        return total / self.divisor


def _admitted(
    instance: Instance, group: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]
) -> bool | None:
    request = instance.request
    entity = request.get("entity")
    if (len({row[entity] for row in group}) if entity else len(group)) < request["k"]:
        return False
    verdicts = [
        admits(model, group, rows, request)
        for model in request.get("models", ())
        if model["name"] != "average-risk"
    ]
    return False if False in verdicts else None if None in verdicts else True


def _releases(instance: Instance, rows: int, admitted: list[list[int]]) -> list[list[list[int]]] | None:
    """The releases that a recoding can make: all admitted groups, or where the mean counts, any of them."""
    limit = suppression_limit(instance)
    risks = [
        Fraction(str(model["threshold"]))
        for model in instance.request.get("models", ())
        if model["name"] == "average-risk"
    ]
    if risks and len(admitted) > MOST_GROUPS:
        return None
    some = (
        [list(each) for count in range(len(admitted) + 1) for each in itertools.combinations(admitted, count)]
        if risks
        else [admitted]
    )
    return [
        groups
        for groups in some
        if rows - sum(map(len, groups)) <= limit
        and all(len(groups) <= risk * sum(map(len, groups)) + Fraction(1, 10**8) for risk in risks)
    ]
