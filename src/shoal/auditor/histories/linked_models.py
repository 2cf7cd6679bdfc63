"""Privacy models on the sensitive values of persons whose rows can be linked.

Persons with the same released history cannot be distinguished, and others can: a model that holds in all rows
that read alike may fail for those of them whose other rows read alike, too. A reader sees each row of a
history with the sensitive values of those who have it, and knows who has a value in any row. The model must
admit the rows there, and no more of these persons may have a value than the model lets a reader believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.measure.measures import Examines
from shoal.auditor.measure.models import ModelVerdict, model_verdict
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.marks import SUPPRESSED
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People
from shoal.privacy import PrivacyModel, SensitiveModel

Ints = NDArray[np.int64]

_SLACK = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class _Linked:
    """The rows of a table by persons who cannot be distinguished.

    Parameters
    ----------
    people
        The sensitive columns.
    person_of, class_of
        The person of each row, and for each person the number of the history.
    group_of
        For each row the number of its history and of what it reads.
    codes
        For each row the codes of its sensitive values.
    """

    people: People
    person_of: Ints
    class_of: Ints
    group_of: Ints
    codes: NDArray[np.int32]

    def groups(self) -> MeasuredGroups:
        """The rows of each history that read alike, as models see them."""
        lines, facts = distinct_codes(self.codes)
        entries, counts = np.unique(self.group_of * len(lines) + facts, return_counts=True)
        return MeasuredGroups(
            people=self.people,
            rows=np.bincount(self.group_of).astype(np.int64),
            of_entry=entries // len(lines),
            codes=lines[entries % len(lines)].astype(np.int32),
            counts=counts.astype(np.int64),
        )

    def believed(self, model: SensitiveModel) -> int:
        """Persons who share their history with too many who have a value in any of their rows."""
        place = self.people.position(model.attribute)
        column = self.people.columns[place]
        values = len(column.values)
        pairs = np.unique(self.person_of * values + self.codes[:, place])
        of_class = self.class_of[pairs // values]
        found, having = np.unique(of_class * values + pairs % values, return_counts=True)
        persons = np.bincount(self.class_of)
        most = np.array(
            [
                1.0 if text == SUPPRESSED else model.most_belief(value, column)
                for value, text in enumerate(column.values)
            ]
        )
        of_value, members = found % values, persons[found // values]
        allowed = most[of_value] * members + _SLACK
        if model.distinct_demand is not None:  # it counts different values: l - 1 persons have other ones
            allowed = (members - model.distinct_demand[1] + 1).astype(np.float64)
        broken = (having > allowed) & (most[of_value] < 1.0)
        return int(persons[np.unique(found[broken] // values)].sum())


def linked_verdicts(
    engine: Examines,
    source: Any,
    quasi_identifiers: Sequence[str],
    promise: Promise,
    models: Sequence[PrivacyModel],
    verdicts: Sequence[ModelVerdict],
    people: People,
    evidence: Evidence,
) -> tuple[ModelVerdict, ...]:
    """The verdicts on some models, with those on sensitive values judged by whole histories.

    Parameters
    ----------
    engine, source, quasi_identifiers
        The table, which has the column of persons.
    promise
        Who can be distinguished by what.
    models, verdicts
        The models, and what they measure in rows that read alike.
    people, evidence
        The whole table as the models see it, and the columns that they examine.
    """
    sensitive = [
        isinstance(model, SensitiveModel) and verdict.unmeasured is None
        for model, verdict in zip(models, verdicts, strict=True)
    ]
    if not any(sensitive):
        return tuple(verdicts)
    # Who knows some rows of a person finds several histories, in each of which the model holds.
    linked = _read(engine, source, quasi_identifiers, promise, people, evidence)
    found = []
    for model, verdict, own in zip(models, verdicts, sensitive, strict=True):
        if not own:
            found.append(verdict)
        else:
            assert isinstance(model, SensitiveModel)
            found.append(_judged(verdict.key, model, linked, promise))
    return tuple(found)


def _judged(key: str, model: SensitiveModel, linked: _Linked, promise: Promise) -> ModelVerdict:
    where = f"among {promise.unit}s with the same {'rows' if promise.unit == 'person' else 'members'}"
    verdict = replace(model_verdict(key, model, linked.groups()), where=where)
    believed = linked.believed(model)
    if not believed:
        return verdict
    return replace(
        verdict,
        holds=False,
        unit=promise.unit,
        units_failing=believed,
        where=f"{where}, of whom too many have one value in any of them",
    )


def _read(
    engine: Examines,
    source: Any,
    quasi: Sequence[str],
    promise: Promise,
    people: People,
    evidence: Evidence,
) -> _Linked:
    columns = tuple(column for column in people.columns if column.values)
    names = [column.name for column in columns]
    wanted = list(dict.fromkeys([*quasi, promise.column, *names]))
    # Rows of a database have no order, and need none where histories are multisets.
    rows = engine.rows(source, wanted) if promise.ordered else engine.cells(source, wanted)
    at = np.repeat(np.arange(len(rows.codes)), rows.counts)
    person_of = _persons(rows, promise.column)[at]
    _, row_of = distinct_codes(rows.codes[:, [rows.position(name) for name in quasi]])
    row_of = row_of[at].astype(np.int64)
    class_of = _classes(person_of, row_of, ordered=promise.ordered)
    _, group_of = np.unique(class_of[person_of] * (row_of.max(initial=0) + 1) + row_of, return_inverse=True)
    own = engine.measure_people(source, names, Evidence(sensitive=evidence.sensitive))
    assert own.labels is not None
    codes = np.empty((len(at), len(columns)), np.int32)
    for place, column in enumerate(columns):
        spelled = own.people.column(column.name).values
        known = {text: code for code, text in enumerate(column.values)}
        cells = own.labels.column(column.name)[own.of_entry].tolist()
        meant = own.codes[:, own.people.position(column.name)].tolist()
        texts = own.labels.texts(column.name)
        code_of = {texts[cell]: known.get(spelled[code], -1) for cell, code in zip(cells, meant, strict=True)}
        by_cell = np.array([code_of.get(text, -1) for text in rows.texts(column.name)], np.int32)
        codes[:, place] = by_cell[rows.column(column.name)][at]
    seen = (codes >= 0).all(axis=1)  # a suppressed value reveals nothing
    return _Linked(
        people=replace(people, columns=columns),
        person_of=person_of[seen],
        class_of=class_of,
        group_of=np.unique(group_of.reshape(-1)[seen], return_inverse=True)[1].reshape(-1).astype(np.int64),
        codes=codes[seen],
    )


def _persons(rows: CodedCells, column: str) -> Ints:
    """The number of the person of each line; an empty mark is a missing one."""
    texts = [text or "" for text in rows.texts(column)]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    marks = np.array([numbers[text] for text in texts], np.int64)[rows.column(column)]
    return np.unique(marks, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _classes(person_of: Ints, row_of: Ints, *, ordered: bool) -> Ints:
    """For each person the number of the history; equal histories have equal numbers."""
    place = np.arange(len(row_of)) if ordered else row_of
    listed = row_of[np.lexsort((place, person_of))]
    ends = np.cumsum(np.bincount(person_of))
    known: dict[bytes, int] = {}
    begins = np.concatenate(([0], ends[:-1]))
    return np.array(
        [
            known.setdefault(listed[begin:end].tobytes(), len(known))
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ],
        np.int64,
    )
