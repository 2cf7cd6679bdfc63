"""From a source and a policy to a Release. Composition only; each step lives in its own room."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from shoal.algorithms import Algorithm
from shoal.algorithms._priced_again import check_bound, check_numbers
from shoal.algorithms.rows.distributed_mondrian import DistributedMondrian
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.auditor import Expected, Verdict, audit, model_failure, weakest
from shoal.auditor.measure.leaks import leaks
from shoal.engines._base import Application, Counted
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.staging import Staged
from shoal.errors import AuditError, InfeasibleError, InternalError, NotProvedError, PolicyError
from shoal.model.hierarchy.untrue_labels import untrue_labels
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.recoding.distributed import DistributedGroups, DistributedRecoding, DistributedRows
from shoal.model.recoding.groups import Groups, groups, printed_sizes, released_codes
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.infeasible import infeasible, refused_altogether
from shoal.model.result.manifest import Manifest, shortened
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import searched_kind
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.remote_table import RemoteTable
from shoal.model.table.table_source import TableSource
from shoal.model.version import version
from shoal.pipeline.ledger_entry import Record
from shoal.pipeline.plan import (
    algorithm_of,
    check_attributes,
    check_cost,
    check_names,
    check_recoding_model,
    evidence_of,
    problem_of,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """What was released.

    Parameters
    ----------
    data
        The released table, of the kind that the source was; `None` when the source was a file.
    path
        The file that was written, or the name of the table, if one was.
    manifest
        The facts that outlive the run; written beside the file.
    result
        The answer of the search.
    verdict
        What the audit measured in the written bytes, or in the data frame that is handed out.
    warnings
        What the user should look at: texts, each a `CodedWarning`.
    """

    data: Any = field(default=None, repr=False)
    path: Path | str | None = None
    manifest: Manifest
    result: Result
    verdict: Verdict
    warnings: tuple[CodedWarning, ...] = ()

    def __repr__(self) -> str:
        facts = self.manifest
        where = f"{str(self.path)!r}, " if self.path is not None else ""
        return (
            f"Release({where}{facts.status}, k={self.verdict.k}, cost={facts.cost}, gap={facts.gap}, "
            f"rows={facts.rows - facts.suppressed}, suppressed={facts.suppressed}, groups={facts.groups})"
        )


def release(
    source: Any,
    policy: Policy,
    *,
    engine: SqlEngine,
    algorithm: Algorithm | None = None,
    require_optimal: bool = False,
    on_progress: ProgressCallback | None = None,
) -> Release:
    """Release a table as a policy asks, or raise and publish nothing.

    Parameters
    ----------
    source
        A path or a data frame.
    policy
        What is asked.
    engine
        Where the rows are counted, recoded and measured.
    algorithm
        What solves the problem, in place of the policy's algorithm.
    require_optimal
        Whether anything less than a proof is an error.
    on_progress
        Called now and then while the search runs.
    """
    algorithm = checked_algorithm(policy, algorithm)
    is_file = isinstance(source, str | os.PathLike)
    if (is_file or isinstance(source, TableSource)) and policy.release is None:
        what = "a file" if is_file else "a table"
        raise PolicyError(
            f"say where the release of {what} shall be written (path=..., --output, or [release] path)"
        )
    record = None if policy.ledger is None else Record(policy, source)
    table = engine.open(source)
    staged = None
    if policy.release is not None:
        staged = engine.staging(policy.release, inputs_of(policy, Path(source) if is_file else None))
    made = found(
        table,
        policy,
        engine=engine,
        algorithm=algorithm,
        require_optimal=require_optimal,
        on_progress=on_progress,
    )
    if record is not None:
        record.consult(made, partial(_counted_again, engine, table))
        check_warnings(policy, record.warnings)
    if staged is None:
        return _handed_out(engine, table, made, record)
    return _published(engine, table, made, staged, record)


def checked_algorithm(policy: Policy, algorithm: Algorithm | None = None) -> Algorithm:
    """The algorithm that a policy asks for, or the given one; `PolicyError` if it does not suit."""
    check_names(policy)
    algorithm = algorithm_of(policy) if algorithm is None else algorithm
    check_attributes(policy, algorithm)
    check_recoding_model(policy, algorithm)
    check_cost(policy, algorithm)
    return algorithm


def found(
    table: Any,
    policy: Policy,
    *,
    engine: SqlEngine,
    algorithm: Algorithm,
    require_optimal: bool = False,
    on_progress: ProgressCallback | None = None,
) -> Solution:
    """Count a table that is open, and search; nothing is written.

    Parameters
    ----------
    table
        The source, as the engine opened it.
    policy, engine, algorithm, require_optimal, on_progress
        As in `release`.
    """
    evidence = evidence_of(policy)
    policy.check_columns(table.columns, evidence.read)
    counted = _counted(engine, table, policy, algorithm, evidence)
    # Looked for before the search: with strict = true nobody waits for it in vain, and the hierarchies' files
    # could be gone after it.
    warnings = (
        *untrue_labels(policy.quasi_identifiers),
        *leaks(engine, table, policy, rows=counted.frequencies.rows),
    )
    check_warnings(policy, warnings)
    counted = replace(
        counted,
        frequencies=with_hierarchies(
            counted.frequencies,
            policy.quasi_identifiers,
            every=algorithm.needs_hierarchies,
            neighbours=algorithm.joins_neighbours,
        ),
    )
    problem = problem_of(policy, counted.frequencies)
    result = _solved(problem, algorithm, policy, on_progress, counted.distributed)
    whole = problem.table
    if isinstance(problem.table, RemoteTable):
        problem = _fetched(problem, problem.table, result)
        counted = replace(counted, frequencies=problem.table)
    check_result(problem, result, require_optimal=require_optimal)
    digest = engine.digest(table, counted)
    if (
        result.recoding is not None
        and result.recoding.wildcards
        and policy.options.get("reading") != "wildcard"
    ):
        raise InternalError("suppressed cells are to be read as wildcards, and the policy did not ask for it")
    made = Solution(
        policy=policy,
        counted=counted,
        whole=whole,
        problem=problem,
        result=result,
        source_digest=digest,
        columns=table.columns,
        warnings=warnings,
    )
    made.check()
    return made


def check_warnings(policy: Policy, warnings: Sequence[CodedWarning]) -> None:
    """Raise `AuditError` if there are warnings and the policy is strict."""
    if not policy.strict or not warnings:
        return
    told = [f"{each.code} ({', '.join(each.columns)})" if each.columns else each.code for each in warnings]
    raise AuditError(
        f"a strict release has no warning, and this one has {len(told)}: {'; '.join(told)}. Nothing was "
        "published; do what the warnings say, or acknowledge them in the policy",
        warnings=tuple(warnings),
    )


def _counted(
    engine: SqlEngine, table: Any, policy: Policy, algorithm: Algorithm, evidence: Evidence
) -> Counted:
    if not (isinstance(algorithm, Mondrian) and algorithm.distributed):
        remote = algorithm.looks_at_nodes and not policy.models and len(policy.sets) < 2
        return engine.count(table, policy.attributes, evidence, remote=remote)
    if evidence.read or any(each.role is Role.CLASS for each in policy.attributes):
        raise PolicyError(
            "distributed = true counts quasi-identifiers alone, and the policy has a class, or models that "
            "look at other columns; leave it out"
        )
    return engine.count_distributed(table, policy.attributes)


def _counted_again(engine: SqlEngine, table: Any, attributes: Sequence[Attribute]) -> FrequencyTable:
    """The distinct rows of other columns than those that are released by."""
    return engine.count(table, attributes).frequencies


def inputs_of(policy: Policy, source: object) -> dict[str, Path]:
    """The files that the release is made from, and what to call them."""
    inputs = {
        f"the hierarchy of {each.name!r}": each.hierarchy
        for each in policy.attributes
        if isinstance(each.hierarchy, Path)
    }
    if isinstance(policy.population, str | Path):
        inputs["the population"] = Path(policy.population)
    if policy.ledger is not None:
        inputs["the ledger"] = policy.ledger
    return {"the source": source, **inputs} if isinstance(source, Path) else inputs


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """What is known once the search is over.

    Parameters
    ----------
    policy, counted, problem, result, source_digest, columns, warnings
        What was asked, and what is known of it.
    whole
        The table that the search was for; `problem` has the groups instead, where an engine holds its rows.
    """

    policy: Policy
    counted: Counted
    whole: FrequencyTable
    problem: Problem
    result: Result
    source_digest: str
    columns: tuple[str, ...]
    warnings: tuple[CodedWarning, ...]

    @cached_property
    def recoding(self) -> Recoding:
        assert self.result.recoding is not None
        return self.result.recoding

    @property
    def application(self) -> Application:
        return Application(
            recoding=self.recoding,
            k=self.policy.k,
            sets=self.problem.sets,
            suppressed=self.policy.suppressed,
            dropped=self.policy.identifiers,
            models=self.problem.group_models,
            made=None if isinstance(self.recoding, DistributedRecoding) else self.groups,
        )

    @cached_property
    def groups(self) -> Groups:
        """The groups, computed from the counts and not by the search."""
        if isinstance(self.recoding, DistributedRecoding):
            raise PolicyError(
                "distributed = true leaves the rows and their groups in Spark, and this needs them here; "
                "leave it out"
            )
        problem = self.problem
        return groups(problem.table, self.recoding, problem.k, problem.sets, problem.group_models)

    def check(self) -> None:
        """Raise `InternalError` where the search says what the definitions do not say of its recoding."""
        problem, result = self.problem, self.result
        if isinstance(self.recoding, DistributedRecoding):
            return check_bound(result)  # its groups are the engine's, and its cost is counted from them
        made = self.groups
        check_numbers(replace(problem, table=self.whole), result, self.recoding, made)
        sizes = made.sizes[made.kept].tolist()
        broken = [each.name for each in problem.release_models if not each.holds(sizes)]
        if broken and not self.releases_small_groups:
            raise InternalError(f"the recoding that the search found breaks {', '.join(broken)}")
        return None

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The quasi-identifiers that the audit measures."""
        return list(self.policy.sets) or [tuple(each.name for each in self.policy.quasi_identifiers)]

    def expected(self, names: Sequence[str]) -> Expected:
        """What the audit must find on some columns, computed from the counts and not from the release."""
        if isinstance(self.recoding, DistributedRecoding):
            return self._expected_of(self.recoding.groups)
        made, domains = self.groups, self.problem.table.domains
        chosen = [index for index, domain in enumerate(domains) if domain.name in names]
        printed = [self.recoding.labels(index, domains[index]) for index in chosen]
        sizes, stars = printed_sizes(made, chosen, printed, SUPPRESSED)
        masked = made.suppressed if self.policy.suppressed == "mask" else 0
        # A group at the top of every hierarchy prints what a suppressed row prints, and tells as little.
        told_nothing = int(sizes[stars].sum())
        groups_told = sizes[~stars]
        return Expected(
            columns=tuple(name for name in self.columns if name not in self.policy.identifiers),
            rows=int(sizes.sum()) + masked,
            suppressed=masked + told_nothing,
            groups=len(groups_told),
            smallest=int(groups_told.min()) if len(groups_told) else None,
            verified=not (self.policy.accept_unverified and self.releases_small_groups),
            advice=_UNVERIFIED.format(self.result.algorithm) if self.releases_small_groups else "",
        )

    def _expected_of(self, groups: DistributedGroups) -> Expected:
        """The same of groups that an engine has; a group of stars tells as little as a suppressed row."""
        sizes = Counter(groups.sizes)
        if groups.stars:
            sizes -= Counter([groups.stars])
        return Expected(
            columns=tuple(name for name in self.columns if name not in self.policy.identifiers),
            rows=self.problem.table.rows,
            suppressed=groups.stars,
            groups=sizes.total(),
            smallest=min(sizes) if sizes else None,
            verified=True,
            advice="",
        )

    @cached_property
    def released_codes(self) -> tuple[frozenset[int], ...]:
        """Per attribute the codes that the manifest may name."""
        if isinstance(self.recoding, DistributedRecoding):
            return self.recoding.groups.told
        return released_codes(self.problem.table, self.groups, self.recoding)

    @property
    def releases_small_groups(self) -> bool:
        """Whether the algorithm is known not to guarantee k, and says so of this recoding."""
        return not self.recoding.wildcards and self.recoding.smallest_kept(self.policy.k) < self.policy.k


def _handed_out(engine: SqlEngine, table: Any, made: Solution, record: Record | None) -> Release:
    """A release as a data frame, audited as it is handed out."""
    data = engine.apply(table, made.counted, made.application)
    verdict = _audited(engine, table, data, made)
    manifest = _manifest(made, verdict, None, record)
    with nullcontext() if record is None else record.publishing(made, manifest):
        pass  # the caller has it in a moment
    return Release(
        data=data,
        manifest=manifest,
        result=made.result,
        verdict=verdict,
        warnings=_warnings(made, record),
    )


def _warnings(made: Solution, record: Record | None) -> tuple[CodedWarning, ...]:
    return made.warnings if record is None else (*made.warnings, *record.warnings)


def _published(
    engine: SqlEngine, table: Any, made: Solution, staged: Staged, record: Record | None
) -> Release:
    """A release as a file or a table: staged, audited as it was written, then named."""
    with staged:
        data = engine.apply(table, made.counted, made.application, staged.place)
        release_digest = staged.settle()
        verdict = _audited(engine, table, staged.place, made)
        manifest = _manifest(made, verdict, release_digest, record)
        with nullcontext() if record is None else record.publishing(made, manifest):
            staged.publish(manifest.to_json())
    return Release(
        data=data,
        path=made.policy.release,
        manifest=manifest,
        result=made.result,
        verdict=verdict,
        warnings=_warnings(made, record),
    )


def _audited(engine: SqlEngine, table: Any, written: Any, made: Solution) -> Verdict:
    models = made.problem.models
    known = engine.know(table, made.counted, made.application) if models else None
    verdicts = []
    for names in made.sets:
        verdict = audit(
            engine,
            written,
            names,
            made.policy.k,
            models=models,
            evidence=made.counted.evidence,
            known=known,
            wildcards=made.recoding.wildcards,
            dropped=made.policy.identifiers,
        )
        verdict.check(made.expected(names))
        verdicts.append(verdict)
    if made.policy.model is not None:
        words = engine.words(written, made.problem.table.domains)
        failure = model_failure(made.policy.model, words, verdicts[0].measured, made.problem.table.rows)
        if failure is not None:
            raise AuditError(f"the audit refused the release: {failure}. Nothing was published")
    # The weakest of them is the release's: with several quasi-identifiers, the smallest group of any.
    return weakest(verdicts)


_UNVERIFIED = (
    ". Algorithm '{}' does not guarantee k: generalize further, choose combinations = \"all\", "
    "or accept_unverified"
)


def _solved(
    problem: Problem,
    algorithm: Algorithm,
    policy: Policy,
    on_progress: ProgressCallback | None,
    distributed: DistributedRows | None,
) -> Result:
    if distributed is not None and isinstance(algorithm, Mondrian):
        return DistributedMondrian(
            algorithm=algorithm,
            problem=problem,
            rows=distributed.over(problem.table.domains),
            budget=policy.budget,
            on_progress=on_progress,
        ).solve()
    reason = algorithm.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
    threads = policy.threads or os.cpu_count() or 1
    return algorithm.solve(problem, policy.budget, threads=threads, seed=policy.seed, on_progress=on_progress)


def _fetched(problem: Problem, table: RemoteTable, result: Result) -> Problem:
    """The problem with the groups that were found in place of distinct rows that the engine holds."""
    if isinstance(result.recoding, LevelRecoding):
        levels = result.recoding.levels
    else:  # nothing is admissible: the coarsest recoding tells why
        levels = tuple(most for _, most in problem.levels) or tuple(
            domain.hierarchy.height for domain in table.domains
        )
    if result.suppressed > problem.most_suppressed:
        raise InternalError(f"the search suppresses {result.suppressed} rows, more than are allowed")
    return replace(problem, table=table.fetched(levels, problem.k))


def check_result(problem: Problem, result: Result, *, require_optimal: bool) -> None:
    """Raise unless there is a recoding to release, with the proof that was asked for."""
    if result.status is Status.INFEASIBLE:
        raise _nothing_admissible(problem, result)
    if result.recoding is None:
        if result.interrupted:
            raise KeyboardInterrupt
        raise NotProvedError(
            f"no recoding with k = {problem.k} was found before the search ended; that is no proof that "
            "there is none. Allow more seconds or nodes, or choose another algorithm"
        )
    if result.suppressed >= problem.table.rows:
        # No time finds more than what is proved.
        proved = result.status is Status.OPTIMAL
        way_out = "generalize more (bins, a hierarchy)" if proved else "allow the search more time"
        raise refused_altogether(problem) or InfeasibleError(
            f"the recoding that was found suppresses all {problem.table.rows:,} rows, and an empty table is "
            f"no release. Limit the suppression, or {way_out}",
            k=problem.k,
            limit=problem.table.rows if problem.limit is None else problem.limit,
            suppressed=result.suppressed,
        )
    if require_optimal and result.status is not Status.OPTIMAL:
        gap = "unknown" if result.gap is None else f"{100 * result.gap:.2g} %"
        kind = searched_kind(result.algorithm)
        # A search without any bound may be one that never proves anything.
        way_out = "" if result.bound is not None else ", or choose exact, subtree or lattice, which prove it"
        raise NotProvedError(
            f"optimality was required but not proved: other {kind} may cost less (status {result.status}, "
            f"gap {gap}). Nothing was published; allow more seconds or nodes{way_out}"
        )


def _nothing_admissible(problem: Problem, result: Result) -> InfeasibleError:
    if not result.reason:
        return infeasible(problem)
    limit = problem.most_suppressed
    return refused_altogether(problem) or InfeasibleError(
        result.reason, k=problem.k, limit=limit, suppressed=result.suppressed
    )


def _manifest(
    made: Solution, verdict: Verdict, release_digest: str | None, record: Record | None
) -> Manifest:
    found = manifest_of(
        made, groups=verdict.measured.groups, audit=verdict.audit, release_digest=release_digest
    )
    return replace(found, warnings=tuple(each.to_dict() for each in _warnings(made, record)))


def manifest_of(
    made: Solution, *, groups: int, audit: Mapping[str, object], release_digest: str | None
) -> Manifest:
    """The facts of a release, given what the audit measured in it."""
    result, table = made.result, made.problem.table
    assert result.recoding is not None
    return Manifest(
        shoal=version(),
        algorithm=result.algorithm,
        cost_metric=made.policy.cost,
        model=None if made.policy.model is None else made.policy.model.value,
        k=made.policy.k,
        rows=table.rows,
        suppressed=result.suppressed,
        groups=groups,
        cost=_plain(result.cost),
        bound=_plain(result.bound),
        gap=result.gap,
        status=result.status.value,
        seconds=round(result.seconds, 3),
        nodes=result.nodes,
        seed=made.policy.seed,
        policy_digest=made.policy.digest,
        source_digest=made.source_digest,
        release_digest=release_digest,
        recoding=result.recoding.describe(table.domains, made.released_codes),
        audit=audit,
        truthful=result.recoding.truthful,
        notes=result.recoding.notes(table.domains),
        trace=shortened((*result.trace, result.end)),
        warnings=tuple(each.to_dict() for each in made.warnings),
    )


def _plain(cost: Cost | None) -> int | float | None:
    return cost if cost is None or isinstance(cost, int) else float(cost)
