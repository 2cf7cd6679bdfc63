"""Persons in the groups of a release that no longer has the column that distinguishes them.

They are counted in the original, whose rows are paired with the released ones. The pairing is not trusted
blindly: a pair counts only if every cell of the released row is true of its original row and no other pairing
in order gives it another one. A row whose pair is not certain adds no person to its group, so what is counted
is never more than there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.measure.models import ModelVerdict, model_verdict, not_measured
from shoal.auditor.original.column_check import Flags
from shoal.auditor.original.paired_rows import PairedRows, untrue_rows
from shoal.auditor.original.pairing import NOBODY
from shoal.auditor.original.row_pairs import latest_pairs
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People, SensitiveColumn
from shoal.privacy import PrivacyModel


@dataclass(frozen=True, kw_only=True, eq=False)
class Persons:
    """Whose row each released row is, as far as the original shows.

    Parameters
    ----------
    column
        The column of the original that distinguishes persons.
    paired
        The rows of both tables; the original's with that column.
    are_means
        Whether the release says that its labels are values of groups, which are true of no row.
    """

    column: str
    paired: PairedRows
    are_means: bool = False

    @cached_property
    def certain(self) -> Flags:
        """Per released row whether its original row is known for certain."""
        tables, pairs = self.paired.tables, self.paired.pairs
        columns = list(tables.kept) if self.are_means else list(tables.columns)
        if not columns:
            return np.zeros(len(pairs), np.bool_)
        certain: Flags = pairs != NOBODY
        if self.paired.matched_by == "order":
            whole = bool(certain.all())
            certain = certain & (pairs == latest_pairs(tables)) if whole else np.zeros_like(certain)
        for name in columns:
            certain[untrue_rows(tables, pairs, name)] = False
        return certain

    @property
    def where(self) -> str:
        """Where persons are counted, in words."""
        paired = f"persons counted in the original, paired row by row by {self.paired.matched_by}"
        unsure = int((~self.certain & ~self.paired.tables.silent).sum())
        return f"{paired}; {unsure:,} row(s) whose pair is not certain add nobody" if unsure else paired

    def groups(self, names: Sequence[str]) -> MeasuredGroups:
        """The groups of the release by some columns, with at least the persons that each has."""
        table = self.paired.tables.release
        chosen = [table.position(name) for name in names]
        visible = np.flatnonzero(~table.stars()[:, chosen].all(axis=1))
        lines, of_row = distinct_codes(table.codes[visible][:, chosen])
        sizes = np.bincount(of_row, minlength=len(lines)).astype(np.int64)
        people = self._codes(visible, of_row, len(lines))
        most = int(people.max(initial=0)) + 1
        entries, counts = np.unique(of_row * most + people, return_counts=True)
        return MeasuredGroups(
            people=People(
                columns=(SensitiveColumn(name=self.column, counts=tuple(np.bincount(people).tolist())),)
            ),
            rows=sizes,
            of_entry=entries // most,
            codes=(entries % most).astype(np.int32).reshape(-1, 1),
            counts=counts.astype(np.int64),
            labels=CodedCells(
                columns=tuple(names),
                cells=tuple(table.cells[each] for each in chosen),
                codes=lines.astype(np.int32),
                counts=sizes,
            ),
        )

    def _codes(self, rows: NDArray[np.int64], of_row: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
        """Per row the code of its person; where that is not certain, of a person of its group anyway."""
        original = self.paired.tables.original
        texts = [text or "" for text in original.texts(self.column)]  # an empty mark is a missing one
        number = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        code = np.array([number[text] for text in texts], np.int64)
        nobody = len(number)
        sure = self.certain[rows]
        codes = np.full(len(rows), nobody, np.int64)
        codes[sure] = code[original.column(self.column)[self.paired.pairs[rows[sure]]]]
        known = np.full(groups, nobody, np.int64)
        known[of_row[sure]] = codes[sure]
        return np.where(sure, codes, known[of_row])

    def verdict(self, key: str, model: PrivacyModel, groups: MeasuredGroups) -> ModelVerdict:
        """What a model of persons measures; not measured, if that is too few and some pairs are not certain.

        Parameters
        ----------
        key, model
            The model and its name.
        groups
            The groups of `groups`, or some that were set apart from them.
        """
        visible = ~self.paired.tables.silent
        if bool(visible.any()) and not bool(self.certain[visible].any()):
            return not_measured(key, model, _NOT_PAIRED)
        verdict = model_verdict(key, model, groups)
        sure = bool(self.certain[visible].all())
        if not sure and not verdict.holds:
            why = (
                f"{self.where}, and so {verdict.groups_failing:,} group(s) cannot be shown to have enough; "
                "name a column of both tables that is different in each row (--key COLUMN; in Python key=...)"
            )
            return not_measured(key, model, why)
        return replace(verdict, where=self.where, at_least=not sure)


_NOT_PAIRED = (
    "the rows of the table cannot be paired with those of the original: give the table that the release was "
    "made from (--original FILE), or a column of both that is different in each row (--key COLUMN)"
)
