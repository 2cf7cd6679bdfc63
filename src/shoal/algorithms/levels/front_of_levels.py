"""The front of several objectives over levels: all minimal property based generalizations, or some of them.

The exact one measures every node of the lattice, which takes the core a second for ten thousand of them on a
table like Adult. Where there are too many, PBG-EA measures some; the answer says which of the two it is.

Paper: Dewri et al., DBSec 2010, Definition 4. docs/algorithms/front.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.levels._lattice import Levels
from shoal.algorithms.levels._profiles import MeasuredNode, MeasuredNodes, Measurer, joined
from shoal.algorithms.levels.pbg_ea import PbgEa
from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.objectives import Archive, Epsilon, Number, check_epsilons, non_dominated

MOST_NODES = 250_000
"""The most nodes for which "auto" measures all of them."""

MOST_NODES_IN_PYTHON = 2_000
"""The same where an objective is a Python function."""

ALGORITHMS_OF_FRONTS = ("auto", "exact", "pbg-ea")


@dataclass(frozen=True, kw_only=True)
class FrontNode:
    """A node on the front, and the nodes that have the same values."""

    node: MeasuredNode
    alternatives: tuple[Levels, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FrontAnswer:
    """The front, and how it was found.

    Parameters
    ----------
    nodes
        The front, sorted by levels.
    algorithm
        "exact" or "pbg-ea".
    exact
        Whether it is proved that no node dominates one of these, and that no non-dominated box is missing.
    evaluated, lattice
        Nodes that were examined, and nodes that there are.
    seconds
        Wall time.
    interrupted
        Whether Ctrl-C ended the search.
    epsilons
        The discretization vector, in units of quality.
    """

    nodes: tuple[FrontNode, ...]
    algorithm: str
    exact: bool
    evaluated: int
    lattice: int
    seconds: float
    interrupted: bool = False
    epsilons: tuple[Epsilon, ...] = field(default=(), repr=False)


def chosen_algorithm(name: str, measurer: Measurer) -> str:
    """What "auto" means for a lattice."""
    if name not in ALGORITHMS_OF_FRONTS:
        raise PolicyError(
            f"there is no algorithm {name!r} for fronts.{suggestion(name, ALGORITHMS_OF_FRONTS)}"
        )
    if name != "auto":
        return name
    most = MOST_NODES if measurer.in_core else MOST_NODES_IN_PYTHON
    return "exact" if measurer.nodes <= most else "pbg-ea"


def front_of_levels(
    measurer: Measurer,
    watch: Watch,
    *,
    algorithm: str = "auto",
    epsilons: Sequence[Epsilon] | None = None,
    pbg_ea: PbgEa | None = None,
    threads: int = 1,
    seed: int = 0,
) -> FrontAnswer:
    """The front.

    Parameters
    ----------
    measurer
        The lattice and the objectives.
    watch
        Counts nodes, reports and ends the search with its budget; the answer is what was found by then.
    algorithm
        "exact", "pbg-ea", or "auto".
    epsilons
        The discretization vector, in the objectives' own units; plain dominance where absent.
    pbg_ea
        Parameters of PBG-EA; when absent the paper's, with `fresh`.
    threads, seed
        For the search; the answer does not depend on the threads.
    """
    stated = epsilons if epsilons is not None else [None] * len(measurer.axes)
    check_epsilons(stated, len(measurer.axes))
    lengths = tuple(axis.epsilon(each) for axis, each in zip(measurer.axes, stated, strict=True))
    name = chosen_algorithm(algorithm, measurer)
    if name == "pbg-ea":
        nodes, interrupted = (pbg_ea or PbgEa(fresh=True)).search(measurer, lengths, watch, seed)
        # Measuring every node proves as much as the exact search does.
        exact = watch.nodes == measurer.nodes and not interrupted
        points = tuple(FrontNode(node=node) for node in nodes)
    else:
        measured, interrupted = _measured(measurer, watch, threads)
        exact = measured is not None and len(measured.levels) == measurer.nodes
        points = () if measured is None else _minimal(measured)
        if epsilons is not None:
            points = _representatives(points, lengths)
    return FrontAnswer(
        nodes=points,
        algorithm=name,
        exact=exact,
        evaluated=watch.nodes,
        lattice=measurer.nodes,
        seconds=watch.seconds,
        interrupted=interrupted,
        epsilons=lengths,
    )


def _measured(measurer: Measurer, watch: Watch, threads: int) -> tuple[MeasuredNodes | None, bool]:
    """All nodes, or those that the budget allows; and whether Ctrl-C ended it."""
    parts: list[MeasuredNodes] = []
    interrupted = False
    try:
        for low, high in measurer.chunks():
            watch.look(0)  # a budget may have ended, or a report be due
            parts.append(measurer.sweep(low, high, threads))
            watch.nodes += len(parts[-1].levels)
    except BudgetEnded:
        pass
    except KeyboardInterrupt:
        interrupted = True
    return (joined(parts) if parts else None), interrupted


def _minimal(measured: MeasuredNodes) -> tuple[FrontNode, ...]:
    """The nodes that no other dominates; of those with equal values the one with the smallest levels."""
    alike: dict[tuple[Number, ...], list[int]] = {}
    for index in non_dominated(measured.ordered).tolist():
        alike.setdefault(tuple(raw.item(index) for raw in measured.raws), []).append(index)
    minimal = []
    for indices in alike.values():
        indices.sort(key=lambda index: measured.levels[index].tolist())
        others = measured.levels[np.array(indices[1:], np.int64)].tolist()
        minimal.append(
            FrontNode(node=measured.node(indices[0]), alternatives=tuple(tuple(levels) for levels in others))
        )
    return tuple(sorted(minimal, key=lambda each: each.node.levels))


def _representatives(nodes: Sequence[FrontNode], epsilons: Sequence[Epsilon]) -> tuple[FrontNode, ...]:
    """One node in each non-dominated box."""
    archive: Archive[Levels] = Archive(epsilons)
    for each in nodes:
        archive.offer(each.node.levels, each.node.quality)
    held = {levels for levels, _ in archive}
    return tuple(each for each in nodes if each.node.levels in held)
