"""Advice after a run: what the other kind of release would lose, and what a few suppressed rows would save.

Every figure is measured by a search that ran; what the release's own search found on its way is not searched
again. The searches are short: as many nodes as the table's size allows, so that two runs say the same, and a
clock only as a last resort. They begin when the release is published and never change it. Row by row, a row
that fits nowhere makes only its own group coarser, so suppression is advised for one recoding per column
alone.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from shoal.algorithms import Algorithm, clock
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.cuts.subtree import Subtree
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import CellMetric
from shoal.errors import PolicyError
from shoal.formatting.numbers import number
from shoal.model.policy.budget import Budget
from shoal.model.policy.suppression import Suppression
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.result.choice import PER_COLUMN, ROW_BY_ROW, Tried
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.remote_table import RemoteTable
from shoal.pipeline.draft import Draft
from shoal.pipeline.pose import pose
from shoal.pipeline.search_choice import check_search
from shoal.pipeline.solve import solve

MOST_CELLS = 4_000_000
"""Distinct rows times columns up to which a short search takes a second or so."""

FEW_CELLS = 50_000
"""Up to which searches over cuts and subtrees are as short, too."""

SHARES = ("0.5%", "1%", "2%", "5%")
"""The limits of suppression that are tried, until one saves enough."""

ENOUGH = Fraction(1, 10)
"""The share of the cost that suppression must save to be worth a line."""

_WORK = 20_000_000
"""Distinct rows times nodes of one search."""

_NODES_OF_A_CUT = 20
"""Nodes of a lattice that take as long as one of a search over cuts."""

_SECONDS = 5.0
"""What all searches together may take, whatever their nodes."""


def advice(draft: Draft) -> tuple[str, ...]:
    """Sentences about what else could be released, without their full stops; none where that is not cheap.

    Parameters
    ----------
    draft
        What was released.
    """
    result = draft.solution.result
    table = draft.problem.table
    if result.choice is None or not result.cost or result.interrupted:
        return ()
    if isinstance(table, RemoteTable) or isinstance(draft.recoding, DistributedRecoding):
        return ()
    if len(table.counts) * len(table.domains) > MOST_CELLS:
        return ()
    until = clock.now() + _SECONDS
    try:
        lines = [_other_kind(draft, result.choice.kind, until)]
        if result.choice.kind == PER_COLUMN:
            lines.append(_suppression(draft, result.cost, until))
    except KeyboardInterrupt:  # the release is published
        return ()
    return tuple(line for line in lines if line is not None)


def _other_kind(draft: Draft, kind: str, until: float) -> str | None:
    """What the kind that was not chosen would cost; only where the policy leaves the choice."""
    if kind == ROW_BY_ROW and draft.policy.recoding_model is None:
        cost = _by_columns(draft, until)
        words = "one recoding per column (--consistent)"
    elif kind == PER_COLUMN and draft.policy.consistent:
        cost = _cost(draft, Mondrian(choice="cost"), until)
        words = "row by row (without --consistent), the release"
    else:
        return None
    return None if cost is None else f"{words} would {_lose(draft)} at most {_rounded_up(cost)}"


def _suppression(draft: Draft, released: Cost, until: float) -> str | None:
    """What the first limit that saves enough would save.

    The greatest is tried first: where it does not save enough, no smaller one does.
    """
    rows = draft.problem.table.rows
    allowed = draft.problem.most_suppressed
    shares = [share for share in SHARES if (Suppression(share).limit(rows) or 0) > allowed]
    most = _by_columns(draft, until, suppression=shares[-1]) if shares else None
    if most is None or most > (1 - ENOUGH) * released:
        return None
    for share in shares:
        cost = most if share == shares[-1] else _by_columns(draft, until, suppression=share)
        if cost is not None and cost <= (1 - ENOUGH) * released:
            noun = "loss" if isinstance(draft.problem.cost, CellMetric) else "cost"
            return (
                f"allowing {share.replace('%', ' %')} of the rows to be suppressed would cut the {noun} from "
                f"{number(float(released))} to {number(float(cost))}"
            )
    return None


def _rounded_up(cost: Cost) -> str:
    """A number that is no less, in four significant digits."""
    exact = Decimal(cost.numerator) / Decimal(cost.denominator)
    step = Decimal(1).scaleb(min(0, exact.adjusted() - 3))
    return number(float(exact.quantize(step, ROUND_CEILING)))


def _lose(draft: Draft) -> str:
    return "lose" if isinstance(draft.problem.cost, CellMetric) else "cost"


def _by_columns(draft: Draft, until: float, *, suppression: str | None = None) -> Cost | None:
    """What the best recoding per column costs that short searches find; of a large table by levels alone."""
    table = draft.problem.table
    small = len(table.counts) * len(table.domains) <= FEW_CELLS
    searches = (LatticeSearch(), Subtree(), Exact()) if small else (LatticeSearch(),)
    costs = [_cost(draft, each, until, suppression=suppression) for each in searches]
    return min((cost for cost in costs if cost is not None), default=None)


def _known(draft: Draft, algorithm: Algorithm) -> Tried | None:
    """What another search answered to the same problem while the release was searched for."""
    beside = draft.solution.result.beside
    return next((each for each in beside if each.algorithm == algorithm.name), None)


def _cost(draft: Draft, algorithm: Algorithm, until: float, *, suppression: str | None = None) -> Cost | None:
    """What a short search for another release finds; `None` if it finds none."""
    known = _known(draft, algorithm) if suppression is None else None
    if known is not None:
        return known.cost if known.suppressed < draft.problem.table.rows else None
    left = until - clock.now()
    if left <= 0:
        return None
    policy = replace(draft.policy, consistent=False)
    if suppression is not None:
        policy = replace(policy, suppression=Suppression(suppression))
    plan = replace(draft.solution.row_plan, policy=policy, algorithm=algorithm)
    table = _as_counted(draft.problem.table)
    nodes = max(50, min(5000, _WORK // len(table.counts)))
    if isinstance(algorithm, CutSearch):
        nodes //= _NODES_OF_A_CUT
    try:
        check_search(policy, algorithm)
        problem = pose(plan, table)
        if algorithm.supports(problem) is not None:
            return None
        result = solve(plan, problem, budget=Budget(seconds=left, nodes=nodes)).result
    except PolicyError:  # not every search heeds limits of levels, and not every model allows suppression
        return None
    if result.interrupted:
        raise KeyboardInterrupt
    empty = result.suppressed >= table.rows
    return None if result.recoding is None or empty else result.cost


def _as_counted(table: FrequencyTable) -> FrequencyTable:
    """The table without the hierarchies that were built for the search that released it."""
    domains = tuple(
        replace(domain, tree=None) if domain.tree is not None and not domain.tree.given else domain
        for domain in table.domains
    )
    return replace(table, domains=domains)
