"""Audits any table: what is demanded of it, and the value of every other privacy model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.auditor.histories.judged import judged
from shoal.auditor.histories.linked_models import linked_verdicts
from shoal.auditor.histories.linked_rows import LinkedRows
from shoal.auditor.measure.audited import AtRisk, Audited
from shoal.auditor.measure.measured_models import (
    MeasuredModel,
    people_models,
    release_models,
    sensitive_models,
)
from shoal.auditor.measure.measures import Examines
from shoal.auditor.measure.models import ModelVerdict, keys, model_verdict, not_measured, refused_groups
from shoal.auditor.measure.offending import Offending, offending_groups
from shoal.auditor.measure.persons import Persons
from shoal.auditor.measure.suppressed_cells import SizesRead, SuppressedCells, set_apart, sizes_read
from shoal.auditor.measure.verdict import Verdict, weakest
from shoal.errors import PolicyError
from shoal.model.history.promise import Promise
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.suggestion import suggestion
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.privacy import PrivacyModel

KNOWN_EVENTS = 2
"""How many rows of a person an attacker is supposed to know, where nobody says it."""
ALONE = 2
"""Persons are counted who share something with nobody, where no k is demanded."""
SIZES_AT_RISK = (2, 3, 5, 10, 20)
"""Group sizes that agencies name: rows in smaller groups are reported for each."""


@dataclass(frozen=True, kw_only=True)
class AuditedSet:
    """Quasi-identifiers that others know together.

    Parameters
    ----------
    quasi_identifiers
        The columns.
    k
        Their own demand, where it is more than that of the whole table.
    """

    quasi_identifiers: tuple[Attribute, ...]
    k: int | None = None


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """What to audit in any table.

    Parameters
    ----------
    sets
        The quasi-identifiers; several sets of them if others know them apart.
    k
        Least rows of a group; `None` if nothing is demanded.
    models, evidence
        The models that are demanded, and the columns that they examine.
    sensitive
        The columns for which every model is measured.
    entity, survey_weight
        The column that distinguishes persons, and that of survey weights, for the models of people.
    suppressed_cells
        How `*` is read.
    offending
        How many offending groups to describe.
    persons
        Per column that distinguishes persons and that the table does not have, the persons of its rows as the
        original shows them, or why it does not, in words.
    no_population
        Why models of the population cannot be measured, in words; `None` if they can.
    linked
        The column of persons or households that the table has, and how much of their rows others may know;
        `None` if it has none.
    promised
        Whether that is demanded, and not only measured.
    """

    sets: tuple[AuditedSet, ...]
    k: int | None = None
    models: tuple[PrivacyModel, ...] = ()
    evidence: Evidence
    sensitive: tuple[Attribute, ...] = ()
    entity: str | None = None
    survey_weight: str | None = None
    suppressed_cells: SuppressedCells = "value"
    offending: int = 20
    persons: Mapping[str, Persons | str] = field(default_factory=dict)
    no_population: str | None = None
    linked: Promise | None = None
    promised: bool = False


def audit_table(engine: Examines, source: Any, request: AuditRequest) -> Audited:
    """Measure any table. Of several sets of quasi-identifiers, report the weakest."""
    audits = [
        # Where nothing is demanded of the table, a policy's own k of a set is none either.
        _Audit(
            engine,
            source,
            replace(request, k=each.k) if request.k is not None and (each.k or 0) > request.k else request,
            each.quasi_identifiers,
        ).audited()
        for each in request.sets
    ]
    verdict = weakest([each.verdict for each in audits])
    (least,) = [each for each in audits if each.verdict.quasi_identifiers == verdict.quasi_identifiers][:1]
    described = [group for each in audits for group in each.offending.described]
    offending = Offending(
        groups=sum(each.offending.groups for each in audits),
        rows=sum(each.offending.rows for each in audits),
        described=tuple(described[: request.offending]),
    )
    linked = _linked(engine, source, request)
    if linked is None:
        return replace(least, verdict=verdict, offending=offending)
    if request.linked is not None and request.promised and request.models:
        verdict = _with_linked_models(engine, source, request, request.linked, verdict)
    if request.linked is not None and request.promised and request.k is not None:
        verdict = verdict.with_models(judged(linked.measured, request.linked, request.k))
    known = {each.key for each in least.measured}
    measured = (*least.measured, *(each for each in linked.models if each.key not in known))
    return replace(least, verdict=verdict, offending=offending, measured=measured, linked=linked)


def _with_linked_models(
    engine: Examines, source: Any, request: AuditRequest, promise: Promise, verdict: Verdict
) -> Verdict:
    """The verdict, with models that look at persons who cannot be distinguished by all of their rows."""
    names, evidence = verdict.quasi_identifiers, request.evidence
    people = engine.measure_people(source, names, evidence).people
    models = linked_verdicts(engine, source, names, promise, request.models, verdict.models, people, evidence)
    return replace(verdict, models=models)


def _linked(engine: Examines, source: Any, request: AuditRequest) -> LinkedRows | None:
    """What rows of one person reveal together; `None` if nothing is demanded and the engine cannot tell."""
    promise = request.linked
    if promise is None:
        return None
    names = dict.fromkeys(each.name for every in request.sets for each in every.quasi_identifiers)
    try:
        measured = engine.measure_histories(
            source,
            list(names),
            promise.column,
            known_events=(promise.known_events or KNOWN_EVENTS,),
            ordered=promise.ordered,
            k=max(ALONE, request.k or 0) if not request.promised or request.k is None else request.k,
        )
    except PolicyError:
        if request.promised:
            raise
        return None
    return LinkedRows(column=promise.column, unit=promise.unit, measured=measured, promised=request.promised)


def check_columns(columns: Sequence[str], quasi_identifiers: Sequence[str]) -> None:
    """Raise `PolicyError` unless a table has the quasi-identifiers."""
    for name in quasi_identifiers:
        if name not in columns:
            raise PolicyError(f"the table has no column {name!r}.{suggestion(name, columns)}")
    if not quasi_identifiers:
        raise PolicyError("name at least one quasi-identifier")


class _Audit:
    """The audit of a table by one set of quasi-identifiers."""

    def __init__(
        self, engine: Examines, source: Any, request: AuditRequest, quasi: tuple[Attribute, ...]
    ) -> None:
        self._engine, self._source, self._request, self._quasi = engine, source, request, quasi
        self._names = [each.name for each in quasi]
        self._counted: list[tuple[Evidence, MeasuredGroups]] = []

    def audited(self) -> Audited:
        request = self._request
        columns = self._engine.columns(self._source)
        check_columns(columns, self._names)
        k = 1 if request.k is None else request.k
        read = sizes_read(self._engine, self._source, self._names, k, request.suppressed_cells)
        verdict = Verdict(
            quasi_identifiers=tuple(self._names),
            columns=columns,
            demanded=k,
            measured=read.measured,
            models=tuple(
                self._verdict(key, model)
                for key, model in zip(keys(request.models), request.models, strict=True)
            ),
            wildcards=read.wildcards,
        )
        return Audited(
            verdict=verdict,
            demanded=request.k,
            suppressed_cells=request.suppressed_cells,
            sizes=read.sizes,
            at_risk=_at_risk(read, request.k),
            measured=tuple(self._measured(read)),
            offending=self._offending(verdict, k),
        )

    def _verdict(self, key: str, model: PrivacyModel) -> ModelVerdict:
        request, persons = self._request, self._persons(model)
        if isinstance(persons, str):
            return not_measured(key, model, persons)
        if persons is not None:
            return persons.verdict(key, model, self._groups_for(model))
        if model.needs_population and request.no_population is not None:
            return not_measured(key, model, request.no_population)
        groups = self._groups_for(model)
        model.check(groups.people)
        return model_verdict(key, model, groups)

    def _persons(self, model: PrivacyModel) -> Persons | str | None:
        """The persons that a model counts by a column that the table does not have."""
        return next(
            (self._request.persons[name] for name in model.columns if name in self._request.persons), None
        )

    def _groups_for(self, model: PrivacyModel) -> MeasuredGroups:
        """The groups as a model sees them."""
        persons = self._persons(model)
        if isinstance(persons, Persons):
            return self._read(persons.groups(self._names))
        return self._groups(self._request.evidence)

    def _groups(self, evidence: Evidence) -> MeasuredGroups:
        """The groups with some columns counted; nothing is counted twice."""
        for known, groups in self._counted:
            if known == evidence:
                return groups
        groups = self._read(self._engine.measure_people(self._source, self._names, evidence))
        self._counted.append((evidence, groups))
        return groups

    def _read(self, groups: MeasuredGroups) -> MeasuredGroups:
        return set_apart(groups) if self._request.suppressed_cells == "conservative" else groups

    def _measured(self, read: SizesRead) -> list[MeasuredModel]:
        """Every model; each column by itself, for rows of `*` are judged by what a column still reveals."""
        request, measured = self._request, []
        for attribute in request.sensitive:
            measured += sensitive_models(self._groups(Evidence(sensitive=(attribute,))), attribute)
        # The weights of single rows are not known: they are added up by group.
        weight = None if request.suppressed_cells == "conservative" else request.survey_weight
        if request.entity is not None or weight is not None:
            entities = () if request.entity is None else (request.entity,)
            measured += people_models(
                self._groups(Evidence(entities=entities, survey_weight=weight)), request.entity
            )
        return [*measured, *release_models(read.sizes)]

    def _offending(self, verdict: Verdict, k: int) -> Offending:
        if not verdict.broken:
            return Offending()
        request, refused = self._request, {}
        unmeasured = verdict.unmeasured
        for key, model in zip(keys(request.models), request.models, strict=True):
            if key in unmeasured:
                continue
            groups = self._groups_for(model)
            lines = refused_groups(model, groups)
            if lines.any():
                refused[key] = _labels(groups).lines(lines)
        counted = tuple(each.name for each in (*request.evidence.sensitive, *request.sensitive))
        return offending_groups(
            self._engine,
            self._source,
            self._quasi,
            tuple(dict.fromkeys(counted)),
            k=k,
            reading=request.suppressed_cells,
            refused=refused,
            limit=request.offending,
        )


def _labels(groups: MeasuredGroups) -> CodedCells:
    assert groups.labels is not None
    return groups.labels


def _at_risk(read: SizesRead, k: int | None) -> tuple[AtRisk, ...]:
    total = int(read.rows.sum())
    sizes = sorted({*SIZES_AT_RISK, *(() if k is None or k < 2 else (k,))})
    return tuple(
        AtRisk(below=size, rows=rows, share=rows / total if total else 0.0)
        for size in sizes
        for rows in [read.rows_below(size)]
    )
