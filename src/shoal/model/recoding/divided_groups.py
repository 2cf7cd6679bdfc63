"""Which groups of a local recoding could be divided by one attribute, and why the others could not.

A local recoding treats rows one by one, so no cut or level is the next finer one: the question is whether a
group could become two. Numbers and dates are divided by their order; in sets, suppressed cells and nodes of a
hierarchy, one value or child is separated from all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.groups import Groups
from shoal.model.recoding.local_recoding import LocalRecoding, Span
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import Demand


@dataclass(frozen=True, kw_only=True)
class DividedGroups:
    """Released groups by the effect of a division; each is counted once.

    Parameters
    ----------
    groups
        Groups that reveal anything at all.
    single
        Their rows have one value, so they cannot be divided.
    small
        They have fewer than 2 k rows, so a side of any division has fewer than k.
    lopsided
        They have more, and yet every division leaves a side below k.
    refused
        Sides can have k rows, but a privacy model refuses one of them, whichever the division.
    divisible
        They could be divided.
    """

    groups: int
    single: int
    small: int
    lopsided: int
    refused: int
    divisible: int

    def to_dict(self) -> dict[str, int]:
        """For programs."""
        return asdict(self)


def divided_groups(
    table: FrequencyTable,
    recoding: LocalRecoding,
    grouped: Groups,
    attribute: int,
    k: int,
    models: tuple[Demand, ...],
) -> DividedGroups:
    """Count the released groups of a recoding by the effect of dividing them by an attribute.

    Parameters
    ----------
    table, recoding, grouped
        What is recoded, how, and the groups that result.
    attribute
        The attribute to divide by.
    k, models
        What each side must satisfy.
    """
    table = recoding.refined(table)
    domain, nodes = table.domains[attribute], recoding.nodes
    counts = dict.fromkeys(("single", "small", "lopsided", "refused", "divisible"), 0)
    order = np.argsort(grouped.of_row, kind="stable")
    starts = np.searchsorted(grouped.of_row[order], np.arange(len(grouped.sizes) + 1))
    for group in np.flatnonzero(grouped.kept & (grouped.sizes > 0)).tolist():
        values = grouped.values[group].tolist()
        if all(nodes[each][value] is None for each, value in enumerate(values)):
            continue  # suppressed rows reveal nothing that could be finer
        rows = order[starts[group] : starts[group + 1]]
        node = nodes[attribute][values[attribute]]
        ordered = isinstance(node, Span) and domain.kind != "category"
        units = _units(domain, node, table.codes[rows, attribute])
        counts[_kind(table, rows, units, ordered, k, models)] += 1
    return DividedGroups(groups=sum(counts.values()), **counts)


def _units(
    domain: Domain, node: tuple[int, int] | Span | None, codes: NDArray[np.int32]
) -> NDArray[np.integer]:
    """What stays together when a group is divided: values, or the children of a node."""
    if not isinstance(node, tuple):
        return codes
    for level in reversed(range(node[0])):
        parts = np.array(domain.hierarchy.parts[level])[codes]
        if (parts != parts[0]).any():
            return parts
    return codes


def _kind(
    table: FrequencyTable,
    rows: NDArray[np.int64],
    units: NDArray[np.integer],
    ordered: bool,
    k: int,
    models: tuple[Demand, ...],
) -> str:
    present, unit_of_row = np.unique(units, return_inverse=True)
    if len(present) == 1:
        return "single"
    sizes = np.bincount(unit_of_row.reshape(-1), table.counts[rows]).astype(np.int64)
    if sizes.sum() < 2 * k:
        return "small"
    enough = False
    for side in _sides(sizes, ordered, k):
        enough = True
        first_side = side[unit_of_row.reshape(-1)]
        if all(
            model.admits(table.group(each.tolist()), table.people)
            for each in (rows[first_side], rows[~first_side])
            for model in models
        ):
            return "divisible"
    return "refused" if enough else "lopsided"


def _sides(sizes: NDArray[np.int64], ordered: bool, k: int) -> Iterator[NDArray[np.bool_]]:
    """Whether each unit is on the first side, for all divisions with k rows on both sides."""
    one = np.cumsum(sizes) if ordered else sizes
    numbers = np.arange(len(sizes))
    for place in np.flatnonzero((one >= k) & (sizes.sum() - one >= k)).tolist():
        yield numbers <= place if ordered else numbers == place
