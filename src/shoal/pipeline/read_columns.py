"""How the quasi-identifiers were read: for the manifest, for the command line, and what to warn about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.domain import Domain

CODE = "mixed-column"


def readings(domains: Iterable[Domain]) -> dict[str, CellReading]:
    """Column -> how its cells were read."""
    return {domain.name: domain.reading for domain in domains if domain.reading is not None}


def mixed_columns(policy: Policy, read: Mapping[str, CellReading]) -> tuple[CodedWarning, ...]:
    """One warning per quasi-identifier in which most values are numbers or dates, and some are not."""
    return tuple(
        CodedWarning(
            _mixed(attribute.name, reading, f": {reading.where}"),
            code=CODE,
            columns=[attribute.name],
            published=_mixed(attribute.name, reading, ""),
        )
        for attribute in policy.quasi_identifiers
        if (reading := read.get(attribute.name)) is not None
        and reading.mostly is not None
        and CODE not in attribute.acknowledge
    )


def _mixed(name: str, reading: CellReading, where: str) -> str:
    return (
        f"most values of {name!r} are {reading.mostly}s, but {reading.others:,} distinct value(s) are "
        f"not{where}. The column is read as categories; list these texts under missing = [...] if they mean "
        'that a value is missing, correct them, or set type = "category"'
    )


def refuse_other_forms(read: Mapping[str, CellReading]) -> None:
    """Raise `PolicyError` if a column is not plain: SQL for a warehouse compares cells as they are."""
    for name, reading in read.items():
        if not reading.is_plain:
            raise PolicyError(
                f"column {name!r} cannot be recoded by SQL, which compares cells as they are written, and it "
                f"has {reading.words}; store it as plain numbers or dates and NULL in the warehouse, or "
                "release the table with shoal anonymize"
            )
