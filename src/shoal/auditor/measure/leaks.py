"""Silent leaks: kept columns that name people, or reveal what was recoded. The only detector.

`anonymize`, the audit, the report and the studio all use it. A warning names columns and counts, never a
cell, and says what to do. What the policy says on purpose settles it: `role = "other"` all that concerns a
column but free text, any other role what the column's name, look and number of values suggest, `acknowledge`
single codes.
Columns are judged one by one: what several kept columns reveal together is not examined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from shoal.auditor.measure.person_leaks import Links, person_leaks
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.likely_role import likely_role
from shoal.model.table.table_sample import TableSample

NEARLY_UNIQUE = 0.9
"""The least distinct values per cell of a nearly unique column."""
FEW_ROWS = 20
"""With fewer rows it means nothing that values differ, or that columns agree."""
DETERMINES = 0.8
"""How much of the possible information a column must add to reveal another; see `Agreement.strength`."""
CONTAINS = 0.1
"""In how many more rows a column's cells must contain another's cell of the same row than of another row."""
MOST_SHOWN = 0.995
"""Above this a share is not shown in per cent, which would round it to 100."""
FEWEST_SIGNS = 2
"""Shorter texts are contained in many others by chance."""
FREE = 0.5
"""The least distinct values per cell of free text, and the least share of cells that are sentences."""
FEWEST_WORDS = 4
"""Words of a cell that is no label, but a sentence."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_SETTLING = ("drop", "pseudonym")
"""Treatments that leave nothing in a column that others could know."""
_UNTRUE = ("shift", "noise", "swap", "pram", "microaggregate")
"""Treatments after which a value does not find its person's row."""
_WAY_OUT = (
    "Drop it (role identifier), generalize it (role quasi-identifier), or keep it on purpose (role other)"
)


class Looks(Links, Protocol):
    """What the detector needs from an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def sample_table(
        self,
        source: Any,
        rows: int | None,
        kept: Sequence[str],
        quasi_identifiers: Sequence[str] = (),
        hidden: Sequence[str] = (),
    ) -> TableSample: ...


def leaks(
    engine: Looks,
    source: Any,
    policy: Policy,
    *,
    rows: int | None = None,
    released: Sequence[str] | None = None,
    recoded: bool = False,
) -> tuple[CodedWarning, ...]:
    """The warnings about the columns that a release has, or would have.

    Parameters
    ----------
    engine, source, rows
        The table, and how many rows it has, if that is known.
    policy
        The roles of its columns.
    released
        The columns that are released; when absent, all but the policy's identifiers.
    recoded
        Whether the table is a release: then its original quasi-identifiers cannot be compared with.
    """
    stated, columns = {each.name: each for each in policy.attributes}, engine.columns(source)
    names = [each.name for each in policy.quasi_identifiers if each.name in columns]
    hidden = [each for each in policy.identifiers if each in columns]
    kept = [
        name
        for name in columns
        if name not in (*names, *hidden)
        and not _is_treated_away(stated.get(name))
        and (released is None or name in released)
    ]
    look = engine.sample_table(source, rows, kept, [] if recoded else names, [] if recoded else hidden)
    detector = _Detector(policy, look, names, hidden)
    by_column = {name: detector.of(name, stated.get(name)) for name in kept}
    likely = [name for name in kept if name in detector.likely and not by_column[name]]
    warnings = [warning for each in by_column.values() for warning in each]
    warnings += [_likely(likely)] if likely else []
    people = person_leaks(engine, source, policy, columns=columns, kept=kept, look=look, recoded=recoded)
    return (*warnings, *people)


def _is_settled(attribute: Attribute | None) -> bool:
    """Whether the policy keeps a column on purpose, or its treatment leaves nothing of it."""
    if attribute is None or attribute.treatment is None:
        return attribute is not None and attribute.role is Role.OTHER
    return attribute.treatment.name in _SETTLING


def _is_treated_away(attribute: Attribute | None) -> bool:
    return attribute is not None and attribute.treatment is not None and _is_settled(attribute)


class _Detector:
    """Judges the columns of one table.

    Parameters
    ----------
    policy, look
        The roles, and what the table looks like.
    names, hidden
        The quasi-identifiers and the identifiers.
    """

    def __init__(
        self, policy: Policy, look: TableSample, names: Sequence[str], hidden: Sequence[str]
    ) -> None:
        self._policy, self._look, self._names, self._hidden = policy, look, names, hidden
        self.likely: set[str] = set()
        self._kept = "is released unchanged"

    def of(self, column: str, stated: Attribute | None) -> list[CodedWarning]:
        """The warnings about one column."""
        if not self._look.informative(column):
            return []  # missing or suppressed throughout
        treatment = None if stated is None else stated.treatment
        self._kept = "is released unchanged"
        if treatment is not None:
            self._kept = f"is released with the treatment {treatment.name!r}"
        warnings = self._free_text(column) if treatment is None else []
        if not _is_settled(stated):
            if stated is None:
                # Free text is nearly unique, too; that somebody is named in it is the graver finding.
                own = self._by_itself(column)
                named = [each for each in own if each.code != "nearly-unique"]
                warnings = (named or warnings) if warnings else own
            elif treatment is not None and treatment.name not in _UNTRUE:
                warnings += self._nearly_unique(column)
            warnings += self._compared_with_others(column, stated)
        settled = () if stated is None else stated.acknowledge
        return [each for each in warnings if each.code not in settled]

    def _by_itself(self, column: str) -> list[CodedWarning]:
        distinct = self._look.distinct[column]
        role, why, evidence = likely_role(
            column,
            rows=distinct.known,
            distinct=distinct.values,
            texts=self._look.informative(column),
        )
        if role is Role.IDENTIFIER and evidence != "uniqueness":
            words = f"{column!r} is released unchanged and seems to identify people: {why}"
            return [_warning("direct-identifier", f"{words}. {_WAY_OUT}", column)]
        if column == self._policy.survey_weight:
            return []
        if role is Role.QUASI_IDENTIFIER and distinct.values > 1:
            self.likely.add(column)
        return self._nearly_unique(column)

    def _free_text(self, column: str) -> list[CodedWarning]:
        """Sentences name people, whatever the role of their column: only an explicit yes settles it."""
        texts, distinct = self._look.informative(column), self._look.distinct[column]
        many = distinct.known >= FEW_ROWS and distinct.share >= FREE
        if not many or sum(len(_WORD.findall(text)) >= FEWEST_WORDS for text in texts) < FREE * len(texts):
            return []
        words = (
            f"{column!r} is released unchanged and seems to be free text, in which anybody may be named. "
            'Drop it (treatment drop), or keep it on purpose (acknowledge = ["free-text"])'
        )
        return [_warning("free-text", words, column)]

    def _nearly_unique(self, column: str) -> list[CodedWarning]:
        if not self._is_unique(column):
            return []
        words = (
            f"{column!r} {self._kept}, and nearly every row has a value of its own in it: anyone "
            "who knows a person's value can find that person's row"
        )
        return [_warning("nearly-unique", f"{words}. {_WAY_OUT}", column)]

    def _is_unique(self, column: str) -> bool:
        distinct = self._look.distinct[column]
        return distinct.known >= FEW_ROWS and distinct.share >= NEARLY_UNIQUE

    def _compared_with_others(self, column: str, stated: Attribute | None) -> list[CodedWarning]:
        # A column that differs in every row determines every other column; that is reported once.
        determined = [] if self._is_unique(column) else self._determined(column, forwards=True)
        # A sensitive column that follows from a quasi-identifier is what privacy models measure.
        follows = [] if stated is not None else self._determined(column, forwards=False)
        follows = [name for name in follows if name not in determined]
        contains = [name for name in (*self._names, *self._hidden) if self._contains(column, name)]
        contains = [name for name in contains if name not in (*determined, *follows)]
        kept, warnings = f"{column!r} {self._kept}", []
        if determined:
            agree = self._agree(column, determined)
            words = f"{kept} and gives away {_listed(determined)}: rows with the same {column!r} {agree}"
            warnings.append(
                _warning("determines-quasi-identifier", f"{words}. {_WAY_OUT}", column, *determined)
            )
        if follows:
            known = f"a person's {follows[0]!r}" if len(follows) == 1 else "one of them"
            words = (
                f"{kept} and follows from {_listed(follows)}: anyone who knows {known} can work out "
                f"{column!r} and look for it in the release"
            )
            warnings.append(_warning("repeats-quasi-identifier", f"{words}. {_WAY_OUT}", column, *follows))
        if contains:
            words = f"{kept}, and some of its cells contain the same row's {_listed(contains)}"
            warnings.append(_warning("repeats-quasi-identifier", f"{words}. {_WAY_OUT}", column, *contains))
        return warnings

    def _determined(self, column: str, *, forwards: bool) -> list[str]:
        """The quasi-identifiers that a column determines, or those that determine it."""
        return [
            name
            for name in self._names
            for agreement in [self._look.agreements.get((column, name) if forwards else (name, column))]
            if agreement is not None and agreement.rows >= FEW_ROWS and agreement.strength >= DETERMINES
        ]

    def _agree(self, column: str, names: Sequence[str]) -> str:
        """How often rows with the same value of a column agree in others."""
        least = min(self._look.agreements[column, name].chance for name in names)
        if least > MOST_SHOWN:
            return f"{'always' if least == 1 else 'nearly always'} have the same {_listed(names)}"
        often = "in" if len(names) == 1 else "each in at least"
        return f"have the same {_listed(names)} {often} {100 * least:.0f} % of cases"

    def _contains(self, column: str, name: str) -> bool:
        """Whether cells contain what another column has in their own row, more than what it has elsewhere."""
        pairs = zip(self._look.texts[column], self._look.texts.get(name, ()), strict=False)
        both = [
            (cell, other)
            for cell, other in pairs
            if cell is not None and other is not None and len(other) >= FEWEST_SIGNS
        ]
        if len(both) < FEW_ROWS:
            return False
        half = len(both) // 2
        elsewhere = [other for _, other in (*both[half:], *both[:half])]
        own = sum(other in cell for cell, other in both)
        by_chance = sum(other in cell for (cell, _), other in zip(both, elsewhere, strict=True))
        return (own - by_chance) / len(both) >= CONTAINS


def _likely(columns: Sequence[str]) -> CodedWarning:
    if len(columns) == 1:
        words = f"{columns[0]!r} is released unchanged, and others may know it about a person. {_WAY_OUT}"
    else:
        words = (
            f"{_listed(columns)} are released unchanged, and others may know them about a person. Drop them "
            "(role identifier), generalize them (role quasi-identifier), or keep them on purpose (role other)"
        )
    return _warning("likely-quasi-identifier", words, *columns)


def _warning(code: str, message: str, *columns: str) -> CodedWarning:
    return CodedWarning(message, code=code, columns=columns)


def _listed(names: Sequence[str]) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} and {last}" if first else last
