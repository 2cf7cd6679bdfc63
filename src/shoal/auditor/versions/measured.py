"""Two versions of a release, lined up row by row: the worst that a reader of both can do.

The register says which written row of one version is which of the other; nothing else of it is believed, and
that the next version can believe it is checked: it lists every row of all versions, in the parts found here.
Labels and sensitive values are those of the written files. Rows are alike if they have the same labels in
both files, are absent from the same one, and were alike in all earlier versions. Among fewer than k such
rows somebody could be found who is known to have joined, stayed or left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.measure.models import ModelVerdict, keys, model_verdict
from shoal.errors import AuditError
from shoal.model.result.register import Register
from shoal.model.result.version_words import TOGETHER
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy import GroupModel, PrivacyModel, SensitiveModel

SIGNATURES = "m-invariance({})"
_NOWHERE = -1


class Reads(Protocol):
    """What is needed of an engine."""

    def rows(self, source: Any, columns: Sequence[str]) -> CodedCells:
        """All rows of some columns of a table in their order."""
        ...


def audit_versions(
    engine: Reads,
    written: Any,
    before: Any,
    *,
    register: Register,
    previous: Register,
    k: int,
    models: Sequence[PrivacyModel] = (),
) -> tuple[ModelVerdict, ...]:
    """Measure what a release and the version before it reveal together.

    `AuditError` if a register does not describe its file.

    Parameters
    ----------
    engine
        Reads both files.
    written, before
        The release and the version before it, as they were written.
    register, previous
        Their registers.
    k
        The least number of rows that must be alike.
    models
        The further demands; those on the values of one column are measured.
    """
    if register.versions[:-1] != previous.versions or register.salt != previous.salt:
        raise AuditError(_unrelated(register, previous))
    if register.models != previous.models:
        raise AuditError("the release and the version before it satisfy different models")
    demands = [each for each in models if isinstance(each, SensitiveModel)]
    examined = list(dict.fromkeys(each.attribute for each in demands))
    new = _Version(engine.rows(written, [*register.columns, *examined]), register)
    old = _Version(engine.rows(before, [*register.columns, *examined]), previous)
    lined_up = _LinedUp(new, old)
    return (
        lined_up.alike(k),
        *(
            lined_up.measured(f"{key}(versions)", model)
            for key, model in zip(keys(demands), demands, strict=True)
        ),
        *(lined_up.signatures(name) for name in examined),
    )


class _Version:
    """The written rows of a version, with the marks that its register gives them."""

    def __init__(self, rows: CodedCells, register: Register) -> None:
        if len(rows.codes) != len(register.rows):
            raise AuditError("a release does not have the rows that its register lists")
        self.rows, self.register = rows, register
        self.row_of = {mark: row for row, mark in enumerate(register.rows)}
        lines = np.column_stack([_texts_alike(rows, name) for name in register.columns])
        self.group = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
        last = np.array([-1 if each[-1] is None else each[-1] for each in register.parts], np.int64)
        claimed = last[register.part_of_row]
        pairs = np.unique(np.column_stack([self.group, claimed]), axis=0)
        if len(pairs) != len(np.unique(self.group)) or len(pairs) != len(np.unique(claimed)):
            raise AuditError("the rows of a release are not in the groups that its register lists")


class _LinedUp:
    """The rows of both versions, and of earlier ones, in parts that nobody can tell apart."""

    def __init__(self, new: _Version, old: _Version) -> None:
        self._new, self._old = new, old
        past = dict(zip(old.register.rows, old.register.part_of_row.tolist(), strict=True))
        past |= zip(old.register.gone, old.register.part_of_gone.tolist(), strict=True)
        marks = list(dict.fromkeys([*past, *new.register.rows]))
        self._in_new = np.array([new.row_of.get(mark, _NOWHERE) for mark in marks], np.int64)
        self._in_old = np.array([old.row_of.get(mark, _NOWHERE) for mark in marks], np.int64)
        lines = np.column_stack(
            [
                np.array([past.get(mark, _NOWHERE) for mark in marks], np.int64),
                np.where(self._in_old == _NOWHERE, _NOWHERE, old.group[self._in_old]),
                np.where(self._in_new == _NOWHERE, _NOWHERE, new.group[self._in_new]),
            ]
        )
        self._part = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
        self._check_register(marks)

    def _check_register(self, marks: Sequence[bytes]) -> None:
        """Raise `AuditError` unless the new register lists all rows, divided as they are divided here."""
        register = self._new.register
        claimed = dict(zip(register.rows, register.part_of_row.tolist(), strict=True))
        claimed |= zip(register.gone, register.part_of_gone.tolist(), strict=True)
        if claimed.keys() != set(marks):
            raise AuditError("the register of the release does not list the rows of all versions")
        pairs = {(part, claimed[mark]) for part, mark in zip(self._part.tolist(), marks, strict=True)}
        if len(pairs) != len({part for part, _ in pairs}) or len(pairs) != len({part for _, part in pairs}):
            raise AuditError(
                "the register of the release does not divide the rows as the versions divide them"
            )

    def alike(self, k: int) -> ModelVerdict:
        """How many rows are alike in all versions."""
        sizes = np.bincount(self._part)
        small = sizes < k
        return ModelVerdict(
            key=TOGETHER,
            demand=alike_words(k),
            measured=int(sizes.min()) if len(sizes) else None,
            holds=not small.any(),
            groups_failing=int(small.sum()),
            rows_failing=int(sizes[small].sum()),
            where=f"{len(self._new.register.versions)} versions, row by row",
        )

    def measured(self, key: str, model: GroupModel) -> ModelVerdict:
        """What a model measures in each part, in either file; the less safe counts."""
        verdicts = [
            model_verdict(key, model, self._groups(version, rows))
            for version, rows in ((self._new, self._in_new), (self._old, self._in_old))
        ]
        return max(verdicts, key=lambda each: each.risk)

    def _groups(self, version: _Version, rows: NDArray[np.int64]) -> MeasuredGroups:
        """The parts that a file has, as privacy models see them."""
        names = [name for name in version.rows.columns if name not in version.register.columns]
        here = np.flatnonzero(rows != _NOWHERE)
        here = here[np.argsort(self._part[here], kind="stable")]
        group = np.unique(self._part[here], return_inverse=True)[1].reshape(-1)
        cells = version.rows.codes[rows[here]]
        return MeasuredGroups(
            people=People(columns=tuple(_column(version.rows, name) for name in names)),
            rows=np.bincount(group).astype(np.int64),
            of_entry=group,
            codes=cells[:, [version.rows.position(name) for name in names]],
            counts=np.ones(len(here), np.int64),
        )

    def signatures(self, column: str) -> ModelVerdict:
        """The rows that have another value of a column in one file than in the other."""
        both = np.flatnonzero((self._in_new != _NOWHERE) & (self._in_old != _NOWHERE))
        new = _texts(self._new.rows, column, self._in_new[both])
        old = _texts(self._old.rows, column, self._in_old[both])
        changed = both[[one != other for one, other in zip(new, old, strict=True)]]
        return ModelVerdict(
            key=SIGNATURES.format(column),
            demand=f"no row with another value of {column!r} than in the version before",
            measured=len(changed),
            holds=not len(changed),
            groups_failing=len(np.unique(self._part[changed])),
            rows_failing=len(changed),
            lower_is_safer=True,
        )


def alike_words(k: int) -> str:
    """What is demanded of rows in all versions."""
    return f"at least {k} rows that are alike in every version, also of those that joined or left"


def _unrelated(register: Register, previous: Register) -> str:
    if register.salt == previous.salt and previous.versions == register.versions[: len(previous.versions)]:
        return "the release does not extend that one directly; name the version before it"
    return "the release does not extend that one: their registers are of different releases"


def _texts(rows: CodedCells, column: str, chosen: NDArray[np.int64]) -> list[str]:
    texts = rows.texts(column)
    return [texts[code] or "" for code in rows.column(column)[chosen].tolist()]


def _texts_alike(rows: CodedCells, column: str) -> NDArray[np.int64]:
    """Per row the number of its text; a missing cell is one that reads as nothing."""
    numbers: dict[str, int] = {}
    of_code = np.array(
        [numbers.setdefault(text or "", len(numbers)) for text in rows.texts(column)], np.int64
    )
    return np.asarray(of_code[rows.column(column)], np.int64)


def _column(rows: CodedCells, name: str) -> SensitiveColumn:
    texts = rows.texts(name)
    counts = np.bincount(rows.column(name), minlength=len(texts))
    return SensitiveColumn(
        name=name, counts=tuple(counts.tolist()), values=tuple(text or "" for text in texts)
    )
