"""Which groups of a local recoding could be divided by one attribute, and why the others could not.

Rows are recoded one by one there, so no cut or level is the next finer one: what can be asked is whether a
group could become two. Numbers and dates are divided by their order; of sets, suppressed cells and nodes of a
hierarchy, one value or child is taken apart from all others.
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
    """Released groups by what a division would do to them; each is counted once.

    Parameters
    ----------
    groups
        Groups that tell anything at all.
    single
        Their rows have one value: there is nothing to divide.
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
    made: Groups,
    attribute: int,
    k: int,
    models: tuple[Demand, ...],
) -> DividedGroups:
    """Count the released groups of a recoding by what a division by an attribute would do to them.

    Parameters
    ----------
    table, recoding, made
        What is recoded, how, and the groups that it makes.
    attribute
        The attribute to divide by.
    k, models
        What each side must satisfy.
    """
    table = recoding.refined(table)
    domain, nodes = table.domains[attribute], recoding.nodes
    found = dict.fromkeys(("single", "small", "lopsided", "refused", "divisible"), 0)
    order = np.argsort(made.of_row, kind="stable")
    starts = np.searchsorted(made.of_row[order], np.arange(len(made.sizes) + 1))
    for group in np.flatnonzero(made.kept & (made.sizes > 0)).tolist():
        values = made.values[group].tolist()
        if all(nodes[each][value] is None for each, value in enumerate(values)):
            continue  # suppressed rows: they tell nothing that could be finer
        rows = order[starts[group] : starts[group + 1]]
        node = nodes[attribute][values[attribute]]
        ordered = isinstance(node, Span) and domain.kind != "category"
        units = _units(domain, node, table.codes[rows, attribute])
        found[_kind(table, rows, units, ordered, k, models)] += 1
    return DividedGroups(groups=sum(found.values()), **found)


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
        apart = side[unit_of_row.reshape(-1)]
        if all(
            model.admits(table.group(each.tolist()), table.people)
            for each in (rows[apart], rows[~apart])
            for model in models
        ):
            return "divisible"
    return "refused" if enough else "lopsided"


def _sides(sizes: NDArray[np.int64], ordered: bool, k: int) -> Iterator[NDArray[np.bool_]]:
    """Per unit whether it is on the one side, for all divisions with k rows on both sides."""
    one = np.cumsum(sizes) if ordered else sizes
    numbers = np.arange(len(sizes))
    for place in np.flatnonzero((one >= k) & (sizes.sum() - one >= k)).tolist():
        yield numbers <= place if ordered else numbers == place
