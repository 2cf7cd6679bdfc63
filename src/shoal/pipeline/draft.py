"""A release before it is written: the solution, and everything that writing and auditing it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from shoal.auditor import Expected
from shoal.auditor.measure.leaks import leaks
from shoal.engines._base import Application, Counted
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import AuditError, InternalError, PolicyError
from shoal.model.hierarchy.untrue_labels import untrue_labels
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.policy.stated_treatment import DROP
from shoal.model.recoding.distributed import DistributedGroups, DistributedRecoding
from shoal.model.recoding.groups import printed_sizes
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.phases import SEARCH
from shoal.model.result.problem import Problem
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.companion import Companion, NestedColumn
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.file_reading import FileReading
from shoal.pipeline.auto_search import answer
from shoal.pipeline.companions import addition_notes, check_companions, check_nested, in_addition
from shoal.pipeline.hardening.harden import Hardening, hardened
from shoal.pipeline.hardening.words import hardening_notes
from shoal.pipeline.phases import Phases
from shoal.pipeline.plan import Plan
from shoal.pipeline.pose import count
from shoal.pipeline.read_columns import mixed_columns, readings
from shoal.pipeline.released_places import check_labels, place_notes, without_finest
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import check_result
from shoal.pipeline.treating import Treated


@dataclass(frozen=True, kw_only=True, eq=False)
class Draft:
    """A release that can be written.

    Parameters
    ----------
    solution
        The recoding, and what is known about it.
    counted
        How the engine counted the table.
    source_digest, columns
        Of the table that is released.
    warnings
        What the user should look at.
    companions, nested
        The columns that are written in addition, and those that are written as structs.
    hardening
        What a row-by-row release reveals by being fine, and whether it was made coarser.
    treated
        What was done to the other columns and to the order of the rows, if anything was.
    reading
        How the source's file was read.
    phases
        What the run has taken so far.
    remarks
        Further sentences for the manifest's notes: how the source came about, and what parties of a run over
        several machines learned.
    """

    solution: Solution
    counted: Counted
    source_digest: str
    columns: tuple[str, ...]
    warnings: tuple[CodedWarning, ...]
    hardening: Hardening | None = None
    companions: tuple[Companion, ...] = ()
    nested: tuple[NestedColumn, ...] = ()
    treated: Treated | None = None
    reading: FileReading | None = None
    phases: Phases = field(default_factory=Phases)
    remarks: tuple[str, ...] = ()

    @property
    def policy(self) -> Policy:
        """The request."""
        return self.solution.plan.policy

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""
        return self.solution.problem

    @property
    def recoding(self) -> Recoding:
        """How the values change."""
        return self.solution.recoding

    @cached_property
    def described(self) -> dict[str, object]:
        """The recoding as the manifest has it."""
        described = self.recoding.describe(self.problem.table.domains, self.solution.released_codes)
        return without_finest(described, self.policy)

    @property
    def application(self) -> Application:
        """What the engine writes."""
        distributed = isinstance(self.recoding, DistributedRecoding)
        return Application(
            recoding=self.recoding,
            k=self.policy.k,
            sets=self.problem.sets,
            suppressed=self.policy.suppressed,
            dropped=self.policy.identifiers,
            models=self.problem.group_models,
            companions=self.companions,
            nested=self.nested,
            groups=None if distributed else self.solution.groups,
        )

    @property
    def sets(self) -> list[tuple[tuple[str, ...], int]]:
        """The sets of quasi-identifiers that the audit measures, each with the k that it must have."""
        k, names = self.policy.k, tuple(each.name for each in self.policy.quasi_identifiers)
        return [(each.columns, each.k or k) for each in self.policy.sets] or [(names, k)]

    def expected(self, names: Sequence[str]) -> Expected:
        """What the audit must measure on some columns, computed from the counts and not from the release."""
        if isinstance(self.recoding, DistributedRecoding):
            return self._expected_of(self.recoding.groups)
        made, domains = self.solution.groups, self.problem.table.domains
        chosen = [index for index, domain in enumerate(domains) if domain.name in names]
        codes = self.solution.released_codes
        printed = [self.recoding.labels(index, domains[index], codes[index]) for index in chosen]
        sizes, stars = printed_sizes(made, chosen, printed, SUPPRESSED)
        masked = made.suppressed if self.policy.suppressed == "mask" else 0
        # A group at the top of every hierarchy prints what a suppressed row prints, and reveals as little.
        only_stars, others = int(sizes[stars].sum()), sizes[~stars]
        small = self.solution.releases_small_groups
        return Expected(
            columns=self.released_columns,
            rows=int(sizes.sum()) + masked,
            suppressed=masked + only_stars,
            groups=len(others),
            smallest=int(others.min()) if len(others) else None,
            verified=not (self.policy.accept_unverified and small),
            advice=_UNVERIFIED.format(self.solution.result.algorithm) if small else "",
        )

    def _expected_of(self, groups: DistributedGroups) -> Expected:
        """The same for groups that stay in the engine."""
        sizes = Counter(groups.sizes)
        if groups.stars:
            sizes -= Counter([groups.stars])
        return Expected(
            columns=self.released_columns,
            rows=self.problem.table.rows,
            suppressed=groups.stars,
            groups=sizes.total(),
            smallest=min(sizes) if sizes else None,
            verified=True,
            advice="",
        )

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The columns of the release, in their order."""
        return tuple(
            name
            for column in self.columns
            if column not in self.policy.identifiers
            for name in (column, *(each.name for each in self.companions if each.column == column))
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """How to read the release, and what it reveals, in sentences."""
        notes = self.recoding.notes(self.problem.table.domains)
        return (
            *notes,
            *_own_ks(self.policy),
            *_person_note(self.policy),
            *_factor_note(self.policy),
            *_subset_note(self.policy),
            *place_notes(self.policy),
            *hardening_notes(self.policy, self.hardening),
            *addition_notes(self),
            *(() if self.treated is None else self.treated.notes),
            *self.remarks,
        )

    @property
    def readings(self) -> dict[str, CellReading]:
        """How the quasi-identifiers were read, and those treated columns that are not plain."""
        return {
            **readings(self.problem.table.domains),
            **({} if self.treated is None else self.treated.readings),
        }

    @property
    def treatment_facts(self) -> dict[str, dict[str, object]]:
        """What is done to each column that is not a quasi-identifier, as the manifest has it."""
        dropped: dict[str, dict[str, object]] = {
            each.name: {"name": DROP, "truthful": True}
            for each in self.policy.attributes
            if each.treatment is not None and each.is_dropped
        }
        if self.treated is None:
            return dropped
        facts = {**dropped, **self.treated.facts}
        if self.solution.result.suppressed:
            # How many cells changed would tell what cells of suppressed rows were like.
            for each in facts.values():
                each.pop("changed", None)
        return facts

    def check(self) -> None:
        """Raise `InternalError` where the recoding breaks what the policy demands of the whole release."""
        if self.recoding.wildcards and self.policy.options.get("reading") != "wildcard":
            raise InternalError("suppressed cells would read as wildcards, which the policy does not allow")
        check_labels(self.described, self.policy, self.solution.result.algorithm)
        if isinstance(self.recoding, DistributedRecoding) or self.solution.releases_small_groups:
            return
        made = self.solution.groups
        sizes = made.sizes[made.kept].tolist()
        broken = [each.name for each in self.problem.release_models if not each.holds(sizes)]
        if broken:
            raise InternalError(f"the recoding that the search found breaks {', '.join(broken)}")


def _factor_note(policy: Policy) -> list[str]:
    """How cost and bound weigh suppressed rows, if not as the cost is defined."""
    if policy.gs_factor == 0.5:
        return []
    return [
        f"cost and bound are {policy.cost} with ARX's generalization/suppression factor {policy.gs_factor:g}."
    ]


def _subset_note(policy: Policy) -> list[str]:
    """That not all rows of the source were to be released; which, the policy knows."""
    if policy.subset is None:
        return []
    return ["The release is a research subset of its source, chosen by a condition of the policy."]


def _person_note(policy: Policy) -> list[str]:
    """That the column of persons is not in the release, where the policy did not drop it by its role."""
    name = policy.entity
    if name is None or policy.promise is not None or policy.role_of(name) is Role.IDENTIFIER:
        return []
    return [
        f"The column {name!r}, which distinguishes persons, was dropped, so that rows of one person cannot "
        "be linked by it; k counts persons."
    ]


def _own_ks(policy: Policy) -> list[str]:
    """What holds on sets of columns that have their own k."""
    return [
        f"On {', '.join(map(repr, each.columns))} together, every row is like at least {each.k:,} released "
        "rows."
        for each in policy.sets
        if each.k is not None
    ]


_UNVERIFIED = (
    ". Algorithm '{}' does not guarantee k: generalize further, choose combinations = \"all\", "
    "or accept_unverified"
)


def draft(
    engine: SqlEngine,
    table: Any,
    plan: Plan,
    *,
    require_optimal: bool = False,
    on_progress: ProgressCallback | None = None,
    treated: Treated | None = None,
    phases: Phases | None = None,
) -> Draft:
    """Count an open table and solve its problem; nothing is written.

    Parameters
    ----------
    engine, table
        The table, as the engine opened it.
    plan
        The policy, and how to carry it out.
    require_optimal
        Whether anything less than a proof is an error.
    on_progress
        Called now and then while the search runs.
    treated
        How the table was made from the source, if its other columns are treated.
    phases
        Those of a run that counts already; others begin here.
    """
    if require_optimal and plan.policy.harden:
        raise PolicyError(
            "harden makes a release coarser than the search found it, so it is not optimal; leave out "
            "harden, or do not require a proof"
        )
    phases = phases or Phases.counting(on_progress)
    check_nested(plan.policy, engine, table)
    counted = count(engine, table, plan, remote=True)
    check_companions(plan.policy, table.columns, counted.frequencies.domains)
    # Looked for before the search: a strict run must not search in vain, and the hierarchies' files could be
    # gone afterwards.
    warnings = looked_for(engine, table, plan.policy, counted)
    check_warnings(plan.policy, warnings)
    digest = engine.digest(table if treated is None else treated.original, counted)
    phases.begin(SEARCH)
    solution = answer(plan, counted, on_progress=on_progress)
    check_result(solution.problem, solution.result, require_optimal=require_optimal)
    solution, hardening = hardened(solution, seconds=phases.left(plan.policy.budget))
    counted = replace(counted, frequencies=solution.problem.table)
    made = Draft(
        solution=solution,
        counted=counted,
        source_digest=digest,
        columns=table.columns,
        warnings=warnings,
        hardening=hardening,
        treated=treated,
        reading=engine.reading(table),
        phases=phases,
    )
    made.check()
    companions, nested = in_addition(made)
    return replace(made, companions=companions, nested=nested)


def looked_for(engine: SqlEngine, table: Any, policy: Policy, counted: Counted) -> tuple[CodedWarning, ...]:
    """What the user should look at before a search: labels, how columns were read, and leaks.

    Parameters
    ----------
    engine, table, policy
        The table, and what is to be released of it.
    counted
        How the engine counted it.
    """
    return (
        *untrue_labels(_with_labels(policy)),
        *mixed_columns(policy, readings(counted.frequencies.domains)),
        *leaks(engine, table, policy, rows=counted.frequencies.rows),
    )


def _with_labels(policy: Policy) -> list[Attribute]:
    """The columns that are released with the labels of a hierarchy."""
    return [
        *policy.quasi_identifiers,
        *(each for each in policy.attributes if each.name in policy.treatments),
    ]


def check_warnings(policy: Policy, warnings: Sequence[CodedWarning]) -> None:
    """Raise `AuditError` if there are warnings and the policy is strict."""
    if not policy.strict or not warnings:
        return
    listed = [f"{each.code} ({', '.join(each.columns)})" if each.columns else each.code for each in warnings]
    raise AuditError(
        f"a strict release has no warning, and this one has {len(listed)}: {'; '.join(listed)}. Nothing was "
        "published; do what the warnings say, or acknowledge them in the policy",
        warnings=tuple(warnings),
    )
