"""Measures the risk of any table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from shoal.auditor.risk.attackers import PeopleOfGroups, individual, people_by_size, people_of
from shoal.auditor.risk.by_attacker import attackers_of
from shoal.auditor.risk.hidden_persons import Counts, hidden_persons
from shoal.auditor.risk.households import households_of
from shoal.auditor.risk.identifying import identifying
from shoal.auditor.risk.limits import Limits
from shoal.auditor.risk.people_in_groups import people_in_groups
from shoal.auditor.risk.population import Population
from shoal.auditor.risk.report import RiskReport
from shoal.auditor.risk.safe_harbor import safe_harbor
from shoal.auditor.risk.subsets import Subset, subset_of, subsets_measured
from shoal.auditor.risk.suda import suda_scores
from shoal.auditor.risk.suda_summary import SudaSummary
from shoal.errors import PolicyError
from shoal.model.cells.column_texts import ColumnTexts, in_plain_form
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.people import PARTS_OF_A_PERSON
from shoal.model.table.sampled_cells import SampledCells
from shoal.privacy.uniqueness.population_uniqueness import PopulationUniqueness, population_uniqueness

MOST_LINES = 2_000_000
"""Distinct rows that are fetched to measure sets of columns; with more, each column is measured alone."""
MOST_CELLS = 10_000
"""Distinct cells of a column that are searched for what Safe Harbor removes."""


class Reads(Counts, Protocol):
    """What measuring risk needs from an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def group_sizes(self, source: Any, quasi_identifiers: Sequence[str]) -> GroupSizes: ...

    def cells(self, source: Any, columns: Sequence[str]) -> CodedCells: ...

    def sample(self, source: Any, column: str, most: int) -> SampledCells: ...


def measure_risk(
    engine: Reads,
    source: Any,
    quasi_identifiers: Sequence[str],
    *,
    threshold: float,
    population: Population | None = None,
    readers: Mapping[str, CellReader] | None = None,
    sets: ListedSets = NOT_LISTED,
    texts: Mapping[str, ColumnTexts] | None = None,
    entity: str | None = None,
    linked: Promise | None = None,
    limits: Limits | None = None,
    suda: bool = False,
    suda_size: int | None = None,
) -> RiskReport:
    """Measure what attackers can expect of a table, whoever made it.

    Parameters
    ----------
    engine
        Where to measure.
    source
        The table.
    quasi_identifiers
        What an attacker is assumed to know.
    threshold
        The risk above which rows are counted.
    population
        What is known about the population.
    readers
        How cells of a column are read, where a table of the population is compared with them.
    sets
        What short labels of the table represent, for the same.
    texts
        How columns of the population read in plain form, if they have another one: the table may, too.
    entity
        The column that distinguishes persons, if one can have several rows; then persons are counted.
    linked
        By what the rows of one person, or the members of one household, can be linked, if they can.
    limits
        What is demanded.
    suda, suda_size
        Whether minimal sample uniques are looked for, and how many columns they have at most.
    """
    names, known = list(quasi_identifiers), population or Population()
    demanded = limits or Limits()
    if entity is not None and (known.survey_weight is not None or known.cells is not None):
        raise PolicyError(
            "weights and tables of the population are compared with rows, and entity says that one person "
            "can have several; make one row per person, or say the size of the population"
        )
    sizes = engine.group_sizes(source, names)
    if sizes.rows + sizes.suppressed == 0:
        raise PolicyError("the table has no rows; there is no risk to measure")
    lines = engine.cells(source, names) if sizes.count <= MOST_LINES else None
    subsets = _subsets(engine, source, names, lines, sizes)
    rows = sizes.rows + sizes.suppressed
    persons = hidden_persons(engine, source, names, entity, linked, sizes.suppressed)
    if persons is not None:
        sizes = persons.sizes
    spelled = None if lines is None else in_plain_form(lines.spelled(sets), texts or {}, released=True)
    size, people, uniqueness = known.people(sizes.rows if persons is None else persons.count), None, None
    if persons is None:
        people, uniqueness = _people(engine, source, names, spelled, sizes, known, readers or {})
    elif size is not None and persons.count == sizes.rows:
        uniqueness = population_uniqueness(sizes, size)
    if people is None and size is None and demanded.attacker == "journalist" and demanded.demands:
        raise PolicyError(
            "the risk of a journalist depends on the population; say its size, the sampling fraction, a "
            "column of survey weights or a table of it"
        )
    special = _suda(lines, known, uniqueness, sizes, suda_size) if suda else None
    sampled = [engine.sample(source, name, MOST_CELLS) for name in engine.columns(source)]
    return RiskReport(
        quasi_identifiers=tuple(names),
        sizes=sizes,
        threshold=threshold,
        **attackers_of(sizes, people, persons, size, threshold),
        individual=None if known.survey_weight is None or people is None else individual(people, threshold),
        population=uniqueness,
        subsets=tuple(subsets),
        identifying=tuple(identifying(names, subsets, [e for e in sampled if e.column not in names], rows)),
        safe_harbor=tuple(safe_harbor(sampled, rows)),
        limits=demanded,
        notes=(*_notes(people, subsets, names), *([] if persons is None else persons.notes(size))),
        entity=entity,
        table_rows=None if entity is None else rows,
        persons=persons,
        household=households_of(engine, source, names, linked, threshold, known, size),
        suda=special,
    )


def _suda(
    lines: CodedCells | None,
    known: Population,
    uniqueness: PopulationUniqueness | None,
    sizes: GroupSizes,
    most: int | None,
) -> SudaSummary:
    """The minimal sample uniques; the sampling fraction is what is known of the population."""
    if lines is None:
        raise PolicyError(
            f"the table has {sizes.count:,} groups, too many to look for minimal sample uniques; use fewer "
            "or coarser columns"
        )
    fraction = known.fraction
    if fraction is None and uniqueness is not None and 0 < sizes.rows < uniqueness.size:
        fraction = sizes.rows / uniqueness.size
    return suda_scores(_visible(lines), size=most, sampling_fraction=fraction).summary


def _subsets(
    engine: Reads, source: Any, names: Sequence[str], lines: CodedCells | None, sizes: GroupSizes
) -> list[Subset]:
    if lines is not None:
        return subsets_measured(_visible(lines))
    alone = [subset_of([name], engine.group_sizes(source, [name])) for name in names]
    return [*alone, subset_of(names, sizes)] if len(names) > 1 else alone


def _visible(lines: CodedCells) -> CodedCells:
    """Without the rows whose cells all read `*`: they belong to no group."""
    return lines.lines(np.flatnonzero(~lines.stars().all(axis=1)))


def _people(
    engine: Reads,
    source: Any,
    names: Sequence[str],
    lines: CodedCells | None,
    sizes: GroupSizes,
    known: Population,
    readers: Mapping[str, CellReader],
) -> tuple[PeopleOfGroups | None, PopulationUniqueness | None]:
    """The people of each group, and how many are unique; `None` where the population is not known."""
    people = known.people(sizes.rows)
    if known.survey_weight is not None:
        groups = _weighed(engine, source, names, known.survey_weight)
        total = max(sizes.rows, round(float((groups.people * groups.times).sum())))
        return groups, population_uniqueness(sizes, total)
    if people is None:
        return None, None
    if known.cells is None:
        return people_by_size(sizes, people), population_uniqueness(sizes, people)
    if lines is None:
        raise PolicyError(
            f"the table has {sizes.count:,} groups, too many to compare each with a table of the population; "
            "say the size of the population instead"
        )
    visible = _visible(lines)
    counted = people_in_groups(visible, known.cells, [readers.get(name, CellReader()) for name in names])
    groups = people_of(visible.counts, counted.astype(np.float64), "population")
    single = groups.people == 1
    alone = float((groups.rows * groups.times)[single].sum()) / sizes.rows if sizes.rows else 0.0
    return groups, population_uniqueness(sizes, people, alone)


def _weighed(engine: Reads, source: Any, names: Sequence[str], weight: str) -> PeopleOfGroups:
    groups = engine.measure_people(source, names, Evidence(survey_weight=weight))
    visible = groups.rows > 0
    if groups.stars is not None:
        visible[groups.stars] = False
    assert groups.population is not None
    people = groups.population[visible] / PARTS_OF_A_PERSON
    return people_of(groups.rows[visible], people, "survey weights")


def _notes(people: PeopleOfGroups | None, subsets: Sequence[Subset], names: Sequence[str]) -> list[str]:
    words = []
    if people is not None and people.fewer:
        source = "the weights say" if people.by == "survey weights" else "the population has"
        words.append(
            f"in {people.fewer:,} group(s) {source} fewer people than the table has rows; each is "
            "taken for all of its people"
        )
    if len(subsets) < 2 ** len(names) - 1:
        largest = max((len(each.columns) for each in subsets if len(each.columns) < len(names)), default=1)
        words.append(f"of the sets of columns only those of up to {largest} were measured, and the whole")
    return words
