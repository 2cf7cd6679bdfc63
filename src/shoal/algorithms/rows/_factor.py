"""The lightest subgraph of a complete graph in which every vertex has few enough and many enough edges.

A linear program over the light edges prices the others in; the integer program over the edges that could be
in a lighter subgraph than the one known is then exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._highs import Clock, Columns, Program

Edges = NDArray[np.int64]
"""One edge per line, the smaller vertex first."""

LIGHT_EDGES = 8
"""Edges of each vertex to begin with."""

SLACK = 1e-6


def lightest_factor(apart: NDArray[np.int64], least: int, most: int, clock: Clock) -> Edges | None:
    """The edges of the lightest subgraph with `least` to `most` edges at each vertex.

    `None` if the clock ended the search; a solution exists if there are `least` + 1 vertices.

    Parameters
    ----------
    apart
        Weights, symmetric.
    least, most
        Bounds on the edges of a vertex: 1 and 2, or 2 and 2.
    clock
        Ends the search.
    """
    edges = _light_edges(apart)
    size = len(apart)
    program = Program(np.full(size, float(least)), np.full(size, float(most)), _columns(apart, edges))
    while True:
        relaxed = program.solve(clock)
        if not relaxed.optimal:
            return None
        reduced = _reduced(apart, relaxed.duals, edges)
        new = _cheapest(reduced, -SLACK, 4 * size)
        if not len(new):
            break
        edges = np.concatenate([edges, new])
        program.add(_columns(apart, new))
    while True:
        low, high = np.full(size, float(least)), np.full(size, float(most))
        whole = Program(low, high, _columns(apart, edges), np.ones(len(edges), np.bool_)).solve(clock)
        if not whole.optimal:
            return None
        # An edge that is left out is in a lighter subgraph only if it costs less than the possible gain.
        gain = round(whole.objective) - 1 - relaxed.objective
        new = _cheapest(_reduced(apart, relaxed.duals, edges), gain + SLACK, len(apart) ** 2)
        if not len(new):
            return edges[whole.values > 0.5]
        edges = np.concatenate([edges, new])


def _light_edges(apart: NDArray[np.int64]) -> Edges:
    """The light edges at every vertex, and a ring through all of them so that there is a solution."""
    size = len(apart)
    near = np.argsort(apart + np.diag(np.full(size, apart.max(initial=0) + 1)), axis=1, kind="stable")
    near = near[:, : min(LIGHT_EDGES, size - 1)]
    ends = np.concatenate([near.reshape(-1), np.roll(np.arange(size), -1)])
    starts = np.concatenate([np.repeat(np.arange(size), near.shape[1]), np.arange(size)])
    both = np.sort(np.column_stack([starts, ends]), axis=1).astype(np.int64)
    return np.unique(both[both[:, 0] < both[:, 1]], axis=0)


def _columns(apart: NDArray[np.int64], edges: Edges) -> Columns:
    many = len(edges)
    return Columns(
        cost=apart[edges[:, 0], edges[:, 1]].astype(np.float64),
        upper=np.ones(many),
        first=np.arange(0, 2 * many + 1, 2),
        row=edges.reshape(-1),
        value=np.ones(2 * many),
    )


def _reduced(apart: NDArray[np.int64], duals: NDArray[np.float64], edges: Edges) -> NDArray[np.float64]:
    """What each edge that is left out costs beyond its vertices' prices; infinite for all others."""
    reduced = apart - duals[:, None] - duals[None, :]
    reduced[np.tril_indices(len(apart))] = np.inf
    reduced[edges[:, 0], edges[:, 1]] = np.inf
    return reduced


def _cheapest(reduced: NDArray[np.float64], below: float, most: int) -> Edges:
    """The edges whose reduced costs are below a number, the smallest first."""
    starts, ends = np.nonzero(reduced < below)
    order = np.argsort(reduced[starts, ends], kind="stable")[:most]
    return np.column_stack([starts[order], ends[order]]).astype(np.int64)
