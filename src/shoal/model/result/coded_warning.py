"""What a user should look at before a release is signed: a sentence with a code.

A warning names columns and counts, and never a cell. It is a text, so that it prints as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

LEAK_CODES: dict[str, str] = {
    "direct-identifier": "a kept column names people by itself, by its name or by the look of its cells",
    "likely-quasi-identifier": "a kept column is one that others may know of a person",
    "nearly-unique": "nearly every row has a value of its own in a kept column",
    "determines-quasi-identifier": "a kept column tells what a quasi-identifier was",
    "repeats-quasi-identifier": "a kept column follows from a quasi-identifier, or its cells contain it",
}
"""Warnings about columns that are released unchanged."""
COLUMN_CODES = {
    **LEAK_CODES,
    "untrue-labels": "a hierarchy has values under labels that do not hold them",
}
"""Warnings about columns; acknowledged column by column: an old yes never covers a new column."""
RELEASE_CODES: dict[str, str] = {
    "earlier-releases": "the ledger has earlier releases that may be about the same people",
    "known-from-earlier": "what was a quasi-identifier of an earlier release is released as it is",
    "unconfirmed-release": "the ledger announces a release that nobody confirmed",
    "together-unmeasured": "what an earlier release and this one tell together was not measured",
    "together-below-k": "earlier releases and this one together have groups smaller than k",
    "ledger-unconfirmed": "the release was published, and the ledger could not be told",
}
"""Warnings about a release as a whole."""
AUDIT_CODES: dict[str, str] = {
    "suppressed-rows": "fewer rows are suppressed than k",
    "manifest": "the file beside a table cannot be read as its manifest",
}
"""Warnings that only an audit gives."""
CODES = {**COLUMN_CODES, **RELEASE_CODES, **AUDIT_CODES}


class CodedWarning(str):
    """A warning: its text, with a code for programs and the columns that it is about.

    Parameters
    ----------
    message
        What was found, and what to do.
    code
        One of `CODES`.
    columns
        The columns that it names, the one to act on first.
    """

    code: str
    columns: tuple[str, ...]

    def __new__(cls, message: str, *, code: str, columns: Sequence[str] = ()) -> Self:
        made = super().__new__(cls, message)
        made.code, made.columns = code, tuple(columns)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (str(self), self.code, self.columns)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"code": self.code, "columns": list(self.columns), "message": str(self)}


def _made(message: str, code: str, columns: tuple[str, ...]) -> CodedWarning:
    return CodedWarning(message, code=code, columns=columns)
