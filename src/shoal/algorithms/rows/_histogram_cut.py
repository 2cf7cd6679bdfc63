"""Mondrian's choice of a cut where only histograms of a region are known.

By width, the rule of the core needs nothing else: which codes there are says how wide the region is, and
how many rows have each says where the median is. `cpp/core/rows/mondrian_cut.cpp` is the same rule on rows.
Relaxed cuts of ordered attributes go through the rows of a value, which histograms do not distinguish: here
they go between values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.rows._mondrian_cutting import Cutting
from shoal.model.recoding.cut_tree import Cut
from shoal.model.recoding.distributed import Codes, Histogram

Admits = Callable[[int, NDArray[np.int64]], bool]
"""Whether the privacy models admit a group of so many rows that have each fact so often."""


def histogram_cut(
    region: Histogram, cuttings: Sequence[Cutting], k: int, admits: Admits, *, relaxed: bool
) -> Cut | None:
    """The cut of the widest attribute with an allowable cut; `None` if there is none.

    Parameters
    ----------
    region
        The region to cut.
    cuttings
        Per attribute how it is cut.
    k
        Least rows of a side.
    admits
        What else is demanded of a side, where facts are counted.
    relaxed
        Whether children of a node that cannot be groups may stay on it together.
    """
    if region.rows // 2 < k or region.lines < 2:
        return None
    several = [a for a, each in enumerate(region.attributes) if len(each.codes) > 1]
    for a in sorted(several, key=lambda a: -_width(cuttings[a], region.attributes[a].codes)):
        cutting, codes = cuttings[a], region.attributes[a]
        if cutting.kind == "node":
            cut = _node_cut(a, cutting, codes, k, admits, relaxed=relaxed)
        else:
            cut = _ordered_cut(a, cutting, codes, k, admits)
        if cut is not None:
            return cut
    return None


def _width(cutting: Cutting, codes: NDArray[np.int32]) -> float:
    if cutting.kind == "node":
        level = _level(cutting, codes)
        return cutting.widths[level][cutting.parts[level][int(codes[0])]]
    if cutting.positions is None:
        return cutting.step * (len(codes) - 1)
    return float(cutting.positions[codes[-1]] - cutting.positions[codes[0]])


def _level(cutting: Cutting, codes: NDArray[np.int32]) -> int:
    """The least level on which all codes are below one node."""
    listed = codes.tolist()
    return next(
        level for level, parts in enumerate(cutting.parts) if len({parts[code] for code in listed}) == 1
    )


def _ordered_cut(attribute: int, cutting: Cutting, codes: Codes, k: int, admits: Admits) -> Cut | None:
    """The place nearest to the median; of two equally near places the lower one."""
    order = np.arange(len(codes.codes))
    if cutting.kind == "set":  # the most frequent first, and of equal ones the lower code
        order = np.argsort(-codes.rows, kind="stable")
    rows = int(codes.rows.sum())
    left = np.cumsum(codes.rows[order])[:-1]
    allowable = np.flatnonzero((left >= k) & (rows - left >= k))
    nearest: Iterable[int] = allowable[np.argsort(np.abs(2 * left[allowable] - rows), kind="stable")].tolist()
    if codes.facts is not None:
        firsts = np.cumsum(codes.facts[order], axis=0)
        nearest = (
            last
            for last in nearest
            if admits(int(left[last]), firsts[last])
            and admits(int(rows - left[last]), firsts[-1] - firsts[last])
        )
    last = next(iter(nearest), None)
    if last is None:
        return None
    if cutting.kind == "interval":
        return Cut(attribute=attribute, sides=2, start=int(codes.codes[last + 1]))
    side_of_code = np.zeros(cutting.size, np.int32)
    side_of_code[codes.codes[order[last + 1 :]]] = 1
    return Cut(attribute=attribute, sides=2, side_of_code=side_of_code)


def _node_cut(
    attribute: int, cutting: Cutting, codes: Codes, k: int, admits: Admits, *, relaxed: bool
) -> Cut | None:
    """The least node over the codes is cut into its children."""
    parts = np.array(cutting.parts[_level(cutting, codes.codes) - 1])
    of_code = np.unique(parts[codes.codes], return_inverse=True)[1]
    rows = np.bincount(of_code, codes.rows).astype(np.int64)
    facts = None
    if codes.facts is not None:
        facts = np.zeros((len(rows), codes.facts.shape[1]), np.int64)
        np.add.at(facts, of_code, codes.facts)
    pooled = _pooled(rows, facts, k, admits, relaxed=relaxed)
    if pooled is None:
        return None
    # Sides are numbered in the order of their first children.
    sides = np.where(pooled, np.flatnonzero(pooled).min(initial=len(rows)), np.arange(len(rows)))
    numbers, side_of_child = np.unique(sides, return_inverse=True)
    if len(numbers) < 2:
        return None
    side_of_code = np.zeros(cutting.size, np.int32)
    side_of_code[codes.codes] = side_of_child[of_code]
    return Cut(attribute=attribute, sides=len(numbers), side_of_code=side_of_code)


def _pooled(
    rows: NDArray[np.int64], facts: NDArray[np.int64] | None, k: int, admits: Admits, *, relaxed: bool
) -> NDArray[np.bool_] | None:
    """Which children stay on the node: those that cannot be groups, and others until they can together.

    `None` if there are any, and none may.
    """

    def good(children: NDArray[np.bool_] | int) -> bool:
        size = int(rows[children].sum())
        if size < k or facts is None:
            return size >= k
        return admits(size, np.atleast_2d(facts[children]).sum(axis=0))

    pooled = np.array([not good(child) for child in range(len(rows))])
    if pooled.any() and not relaxed:
        return None
    # The smallest last, and of equal ones the later.
    alone = [child for child in np.argsort(-rows, kind="stable").tolist() if not pooled[child]]
    while pooled.any() and alone and not good(pooled):
        pooled[alone.pop()] = True
    return pooled
