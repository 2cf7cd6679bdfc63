"""`shoal.compare`: run several algorithms on one table and measure what each makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shoal.algorithms import ALGORITHMS, DEFAULT, clock
from shoal.algorithms.searched_kind import searched_kind
from shoal.api._alongside_policy import alongside_policy
from shoal.api._compared_card import compared_card
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.cost import METRICS, CellMetric
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.formatting.detail import gap_in_words
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy
from shoal.model.result.problem import Problem
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.demands import check_models, evidence_of
from shoal.pipeline.extending.request import refuse_extend
from shoal.pipeline.histories.plan import refuse_linkable
from shoal.pipeline.opened import opened as opened_table
from shoal.pipeline.plan import Plan, plan
from shoal.pipeline.pose import count, pose
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import solve
from shoal.pipeline.source import source_of
from shoal.pipeline.treating import as_models_see_it

VARIANTS = ("local values=sets", "mondrian values=sets choice=cost")
"""What runs in addition to every algorithm with default options: variants of the same recoding model."""

SECONDS = 10.0
"""What each run may take by default."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One run of one algorithm, measured by the definitions and not by the search.

    Parameters
    ----------
    algorithm, k
        What ran, with its options if some were named, and for which k.
    minimized
        The cost that it minimized: the policy's, or if it knows that one not, the first that it knows.
    status, cost, bound, gap
        Its answer, in that cost. The status "refused" means that it cannot solve the problem at all.
    seconds, nodes
        Wall-clock time and nodes of the search.
    ncp, discernibility, classification
        What the recoding loses by these costs; no classification without a class attribute.
    groups, smallest, suppressed
        Released groups, rows of the smallest, and suppressed rows. The smallest has fewer than k rows where
        an algorithm does not guarantee k; such a release is published only if the policy accepts it.
    why
        Why there is no recoding.
    """

    algorithm: str
    k: int
    minimized: str | None = None
    status: str = "refused"
    cost: float | None = None
    bound: float | None = None
    gap: float | None = None
    seconds: float | None = None
    nodes: int | None = None
    ncp: float | None = None
    discernibility: int | None = None
    classification: int | None = None
    groups: int | None = None
    smallest: int | None = None
    suppressed: int | None = None
    why: str | None = None

    @property
    def kind(self) -> str:
        """The kind of recodings that `optimal`, `bound` and `gap` refer to, in words."""
        return searched_kind(self.algorithm)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {**asdict(self), "kind": self.kind}

    def _repr_html_(self) -> str:
        return compared_card([self]).html()


class ComparedRuns(list[Compared]):
    """The runs of a comparison: a list that shows itself as a table in a notebook."""

    def _repr_html_(self) -> str:
        return compared_card(self, proofs=proofs_of(self)).html()


@door
@alongside_policy("algorithms", "ks", "seconds", "on_run", "engine")
def compare(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    algorithms: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    seconds: float | None = None,
    on_run: Callable[[Compared], None] | None = None,
    engine: SqlEngine | None = None,
) -> list[Compared]:
    """Run algorithms on one table, one after the other, and measure what they make of it.

    Ctrl-C ends the run that is going on, and the comparison with it.

    Parameters
    ----------
    source
        A path, a data frame or, with `table`, a connection; the policy's own source when absent.
    table
        The table behind a connection.
    policy
        A policy, or its file. Its algorithm and options are ignored.
    algorithms
        Names, with options if need be, as in "local values=sets". When absent, all that can make a release of
        the kind that the policy demands, and a few `VARIANTS`.
    ks
        The k to try; the policy's when absent.
    seconds
        What each run may take; the policy's budget, or else ten seconds.
    on_run
        Called after each run.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> runs = shoal.compare(policy="stays.toml", algorithms=["local", "mondrian"], ks=[5, 10], seconds=1)
    >>> min(runs, key=lambda run: run.ncp).algorithm
    """
    if policy is None:
        raise PolicyError("give a policy, as shoal.read_policy reads one, or its file")
    policy = policy if isinstance(policy, Policy) else read_policy(policy)
    refuse_linkable(policy, "a comparison")
    refuse_extend(policy, "a comparison")
    source = source_of(source, table, policy, described=True)
    check_models(policy)
    names = _names(policy, algorithms)
    stated = policy.budget
    if seconds is not None:
        budget = replace(stated, seconds=seconds, assumed=False)
    else:
        budget = replace(stated, seconds=SECONDS) if stated.assumed else stated
    # Counted once: what is counted does not depend on the algorithm.
    counting = Plan(policy=policy, algorithm=ALGORITHMS[DEFAULT](), evidence=evidence_of(policy))
    with using(engine, source, threads=policy.threads) as opened:
        rows, counting = opened_table(opened, source, counting)
        counted = count(opened, as_models_see_it(opened, rows, policy), counting).frequencies
    runs = ComparedRuns()
    for k in ks if ks is not None else (policy.k,):
        for name in names:
            algorithm, *options = name.split()
            tried = replace(
                policy,
                k=k,
                algorithm=algorithm,
                options=_options(options),
                accept_unverified=False,
                harden=False,
            )
            run = replace(_run(tried, counted, budget), algorithm=name)
            runs.append(run)
            if on_run is not None:
                on_run(run)
    return runs


def _names(policy: Policy, names: Sequence[str] | None) -> list[str]:
    if names is None:
        return [name for name in (*ALGORITHMS, *VARIANTS) if _may_release(policy, *name.split())]
    for name in names:
        algorithm, *stated = name.split() or [""]
        if algorithm not in ALGORITHMS:
            raise PolicyError(f"there is no algorithm {algorithm!r}.{suggestion(algorithm, ALGORITHMS)}")
        ALGORITHMS[algorithm].with_options(_options(stated))
    return list(names)


def _may_release(policy: Policy, name: str, *options: str) -> bool:
    """Whether an algorithm can make releases of the kind that a policy demands."""
    algorithm = ALGORITHMS[name].with_options(_options(options))
    model = policy.recoding_model
    return (model is None or model in algorithm.recoding_models) and (
        algorithm.is_consistent or not policy.consistent
    )


def _options(stated: Sequence[str]) -> dict[str, object]:
    """Options after an algorithm's name; numbers and truth values as such."""
    options: dict[str, object] = {}
    for option in stated:
        key, sign, text = option.partition("=")
        if not (key and sign and text):
            raise PolicyError(
                f"an option behind an algorithm is NAME=VALUE, as in values=sets; one is {option!r}"
            )
        number = int(text) if text.isdecimal() and len(text) <= 30 else None
        options[key] = {"true": True, "false": False}.get(text, text) if number is None else number
    return options


def _run(policy: Policy, counted: FrequencyTable, budget: Budget) -> Compared:
    name, k = policy.algorithm, policy.k
    try:
        planned, problem = _posed(policy, counted)
    except PolicyError as error:
        return Compared(algorithm=name, k=k, why=str(error))
    started = clock.now()
    solution = solve(planned, problem, budget=budget)
    taken = clock.now() - started
    result = solution.result
    if result.interrupted:
        raise KeyboardInterrupt
    return Compared(
        algorithm=name,
        k=k,
        minimized=problem.cost.name,
        status=result.status.value,
        cost=_plain(result.cost),
        bound=_plain(result.bound),
        gap=result.gap,
        seconds=round(taken, 3),
        nodes=result.nodes,
        **({} if result.recoding is None else _measured(solution)),
        why=None if result.recoding is not None else "it found no recoding within its budget",
    )


def _posed(policy: Policy, counted: FrequencyTable) -> tuple[Plan, Problem]:
    """The problem with the policy's cost, or the first that its algorithm knows.

    `PolicyError` if it cannot even minimize the policy's.
    """
    refusal: PolicyError | None = None
    for cost in dict.fromkeys((policy.cost, *METRICS)):
        try:
            planned = plan(replace(policy, cost=cost))
            problem = pose(planned, counted)
            reason = planned.algorithm.supports(problem)
            if reason is None:
                return planned, problem
            raise PolicyError(reason)
        except PolicyError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _measured(solution: Solution) -> Mapping[str, Any]:
    """What the recoding loses and makes, by the definitions."""
    problem, groups = solution.problem, solution.groups
    sizes = groups.sizes[groups.kept]
    measured: dict[str, Any] = {
        "groups": len(sizes),
        "smallest": int(sizes.min()) if len(sizes) else None,
        "suppressed": groups.suppressed,
    }
    for name in ("ncp", "discernibility", "classification"):
        metric = METRICS[name]()
        if isinstance(metric, CellMetric) and isinstance(problem.cost, CellMetric):
            metric = replace(metric, weights=problem.cost.weights)
        try:
            metric.check(problem.table)
            cost = metric.of_groups(problem.table, solution.recoding, groups)
        except PolicyError:
            continue
        measured[name] = float(cost) if name == "ncp" else cost
    return measured


def _plain(cost: Any) -> float | None:
    return None if cost is None else float(cost)


def table_of(runs: Sequence[Compared]) -> Iterator[tuple[str, ...]]:
    """The comparison as lines of text cells, the head first."""
    yield (
        *("algorithm", "k", "status", "gap", "NCP", "DM", "CM", "groups", "smallest", "suppressed"),
        *("seconds", "minimized"),
    )
    for run in runs:
        if run.status == "refused":
            continue
        yield (
            run.algorithm,
            f"{run.k:,}",
            run.status,
            gap_in_words(run.minimized or "", run.cost, run.bound, run.gap),
            _shown(run.ncp, lambda ncp: f"{ncp:.4f}"),
            _shown(run.discernibility, lambda number: f"{number:,}"),
            _shown(run.classification, lambda number: f"{number:,}"),
            _shown(run.groups, lambda number: f"{number:,}"),
            _shown(run.smallest, lambda number: f"{number:,}"),
            _shown(run.suppressed, lambda number: f"{number:,}"),
            _shown(run.seconds, lambda number: f"{number:.2f}"),
            run.minimized or "-",
        )


def proofs_of(runs: Sequence[Compared]) -> list[str]:
    """Among which recodings each proof, bound or gap of a comparison holds, a line for each kind."""
    kinds: dict[str, dict[str, None]] = {}
    for run in runs:
        if run.status == "optimal" or run.gap is not None:
            kinds.setdefault(run.kind, {})[run.algorithm] = None
    return [f"{', '.join(names)}: among {kind}" for kind, names in kinds.items()]


def _shown(value: Any, form: Callable[[Any], str]) -> str:
    return "-" if value is None else form(value)
