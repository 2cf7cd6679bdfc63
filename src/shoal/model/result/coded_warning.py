"""What a user should check before a release is signed: a sentence with a code.

A warning names columns and counts, and never a cell. It is a string, so that it prints like one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

LEAK_CODES: dict[str, str] = {
    "direct-identifier": "a kept column identifies people by itself, judging by its name or its cells",
    "likely-quasi-identifier": "a kept column has values that others may know about a person",
    "nearly-unique": "nearly every row has a value of its own in a kept column",
    "determines-quasi-identifier": "a kept column reveals what a quasi-identifier was",
    "free-text": "a kept column has free text, in which anybody may be named",
    "repeats-quasi-identifier": "a kept column follows from a quasi-identifier, or its cells contain it",
    "linking-column": "a kept column links the rows of a person, although rows are not linkable",
    "repeated-persons": "a column that numbers persons has repeated values, and k counts rows",
}
"""Warnings about what the columns of a table reveal."""
COLUMN_CODES = {
    **LEAK_CODES,
    "untrue-labels": "a hierarchy has values under labels that do not cover them",
    "mixed-column": "most values of a quasi-identifier are numbers or dates, and some are not",
    "rarely-changing": "a quasi-identifier changes within few persons, and only some rows are known",
}
"""Warnings about columns. They are acknowledged per column: an old yes never covers a new column."""
RELEASE_CODES: dict[str, str] = {
    "neighbouring-rows": "rows of one person follow each other in the release",
    "earlier-releases": "the ledger has earlier releases that may be about the same people",
    "known-from-earlier": "a quasi-identifier of an earlier release is released unchanged",
    "same-row-order": "an earlier release of the source has its rows in the same order",
    "unconfirmed-release": "the ledger announces a release that nobody confirmed",
    "together-unmeasured": "what an earlier release and this one reveal together was not measured",
    "together-below-k": "earlier releases and this one together have groups smaller than k",
    "few-recognised": "fewer than half of the rows of the release that is extended are in today's table",
    "ledger-unconfirmed": "the release was published, but the ledger could not be updated",
}
"""Warnings about a release as a whole."""
AUDIT_CODES: dict[str, str] = {
    "suppressed-rows": "fewer rows are suppressed than k",
    "linkable-rows": "the rows of one person can be linked, and together they reveal more than each row",
    "manifest": "the file next to a table cannot be read as its manifest",
}
"""Warnings that only an audit gives."""
CODES = {**COLUMN_CODES, **RELEASE_CODES, **AUDIT_CODES}


class CodedWarning(str):
    """A warning: its text, with a code for programs and the columns that it is about.

    Parameters
    ----------
    message
        The finding, and what to do.
    code
        One of `CODES`.
    columns
        The columns that it names, the one to act on first.
    published
        What the manifest says in place of the message, if that is only for those who have the source: which
        row has an unusual cell would be more than its label says.
    """

    code: str
    columns: tuple[str, ...]
    published: str | None

    def __new__(
        cls, message: str, *, code: str, columns: Sequence[str] = (), published: str | None = None
    ) -> Self:
        warning = super().__new__(cls, message)
        warning.code, warning.columns, warning.published = code, tuple(columns), published
        return warning

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (str(self), self.code, self.columns, self.published)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"code": self.code, "columns": list(self.columns), "message": self.published or str(self)}


def _restored(message: str, code: str, columns: tuple[str, ...], published: str | None) -> CodedWarning:
    return CodedWarning(message, code=code, columns=columns, published=published)
