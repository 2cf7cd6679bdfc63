"""Audits any table: what is demanded of it, and every privacy model's value besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.suggestion import suggestion
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.privacy import PrivacyModel

SIZES_AT_RISK = (2, 3, 5, 10, 20)
"""Group sizes that agencies name: rows in smaller groups are told for each."""


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """What is asked of any table.

    Parameters
    ----------
    sets
        The quasi-identifiers; several sets of them if others know them apart.
    k
        Least rows of a group; `None` if nothing is demanded.
    models, evidence
        The models that are demanded, and what they look at.
    sensitive
        The columns of which every model is measured.
    entity, survey_weight
        The column that tells persons apart, and that of survey weights, for the models of people.
    suppressed_cells
        What `*` is taken for.
    offending
        How many offending groups to describe.
    persons
        Per column that tells persons apart and that the table does not have, the persons of its rows as the
        original tells them, or why it does not, in words.
    no_population
        Why models of the population cannot be measured, if there are such; in words.
    """

    sets: tuple[tuple[Attribute, ...], ...]
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


def audit_table(engine: Examines, source: Any, asked: AuditRequest) -> Audited:
    """Measure any table. Of several sets of quasi-identifiers the weakest is told."""
    found = [_Audit(engine, source, asked, quasi).audited() for quasi in asked.sets]
    verdict = weakest([each.verdict for each in found])
    (least,) = [each for each in found if each.verdict.quasi_identifiers == verdict.quasi_identifiers][:1]
    described = [group for each in found for group in each.offending.described]
    offending = Offending(
        groups=sum(each.offending.groups for each in found),
        rows=sum(each.offending.rows for each in found),
        described=tuple(described[: asked.offending]),
    )
    return replace(least, verdict=verdict, offending=offending)


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
        self, engine: Examines, source: Any, asked: AuditRequest, quasi: tuple[Attribute, ...]
    ) -> None:
        self._engine, self._source, self._asked, self._quasi = engine, source, asked, quasi
        self._names = [each.name for each in quasi]
        self._found: list[tuple[Evidence, MeasuredGroups]] = []

    def audited(self) -> Audited:
        asked = self._asked
        columns = self._engine.columns(self._source)
        check_columns(columns, self._names)
        k = 1 if asked.k is None else asked.k
        read = sizes_read(self._engine, self._source, self._names, k, asked.suppressed_cells)
        verdict = Verdict(
            quasi_identifiers=tuple(self._names),
            columns=columns,
            demanded=k,
            measured=read.measured,
            models=tuple(
                self._verdict(key, model) for key, model in zip(keys(asked.models), asked.models, strict=True)
            ),
            wildcards=read.wildcards,
        )
        return Audited(
            verdict=verdict,
            demanded=asked.k,
            suppressed_cells=asked.suppressed_cells,
            sizes=read.sizes,
            at_risk=_at_risk(read, asked.k),
            measured=tuple(self._measured(read)),
            offending=self._offending(verdict, k),
        )

    def _verdict(self, key: str, model: PrivacyModel) -> ModelVerdict:
        asked, persons = self._asked, self._persons(model)
        if isinstance(persons, str):
            return not_measured(key, model, persons)
        if persons is not None:
            return persons.verdict(key, model, self._looked_at(model))
        if model.needs_population and asked.no_population is not None:
            return not_measured(key, model, asked.no_population)
        found = self._looked_at(model)
        model.check(found.people)
        return model_verdict(key, model, found)

    def _persons(self, model: PrivacyModel) -> Persons | str | None:
        """Whom a model counts that looks at a column that the table does not have."""
        return next(
            (self._asked.persons[name] for name in model.columns if name in self._asked.persons), None
        )

    def _looked_at(self, model: PrivacyModel) -> MeasuredGroups:
        """The groups as a model sees them."""
        persons = self._persons(model)
        if isinstance(persons, Persons):
            return self._read(persons.groups(self._names))
        return self._groups(self._asked.evidence)

    def _groups(self, evidence: Evidence) -> MeasuredGroups:
        """The groups with some columns counted; what was counted once is not counted again."""
        for known, groups in self._found:
            if known == evidence:
                return groups
        groups = self._read(self._engine.measure_people(self._source, self._names, evidence))
        self._found.append((evidence, groups))
        return groups

    def _read(self, groups: MeasuredGroups) -> MeasuredGroups:
        return set_apart(groups) if self._asked.suppressed_cells == "conservative" else groups

    def _measured(self, read: SizesRead) -> list[MeasuredModel]:
        """Every model; each column by itself, for rows of `*` are judged by what a column still tells."""
        asked, found = self._asked, []
        for attribute in asked.sensitive:
            found += sensitive_models(self._groups(Evidence(sensitive=(attribute,))), attribute)
        # The weights of rows that stand alone are not known: they are added up by group.
        weight = None if asked.suppressed_cells == "conservative" else asked.survey_weight
        if asked.entity is not None or weight is not None:
            entities = () if asked.entity is None else (asked.entity,)
            found += people_models(
                self._groups(Evidence(entities=entities, survey_weight=weight)), asked.entity
            )
        return [*found, *release_models(read.sizes)]

    def _offending(self, verdict: Verdict, k: int) -> Offending:
        if not verdict.broken:
            return Offending()
        asked, refused = self._asked, {}
        unmeasured = verdict.unmeasured
        for key, model in zip(keys(asked.models), asked.models, strict=True):
            if key in unmeasured:
                continue
            groups = self._looked_at(model)
            lines = refused_groups(model, groups)
            if lines.any():
                refused[key] = _labels(groups).lines(lines)
        counted = tuple(each.name for each in (*asked.evidence.sensitive, *asked.sensitive))
        return offending_groups(
            self._engine,
            self._source,
            self._quasi,
            tuple(dict.fromkeys(counted)),
            k=k,
            reading=asked.suppressed_cells,
            refused=refused,
            limit=asked.offending,
        )


def _labels(groups: MeasuredGroups) -> CodedCells:
    assert groups.labels is not None
    return groups.labels


def _at_risk(read: SizesRead, k: int | None) -> tuple[AtRisk, ...]:
    told = int(read.rows.sum())
    sizes = sorted({*SIZES_AT_RISK, *(() if k is None or k < 2 else (k,))})
    return tuple(
        AtRisk(below=size, rows=rows, share=rows / told if told else 0.0)
        for size in sizes
        for rows in [read.rows_below(size)]
    )
