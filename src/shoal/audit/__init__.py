"""Re-measures a release from what was written.

This room never reaches the algorithms, the core or a recoding: the auditor must not share their mistakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from shoal.audit.verdict import Expected, Verdict
from shoal.errors import PolicyError
from shoal.model.measurement import Measurement
from shoal.model.names import hint


class Measures(Protocol):
    """All that an audit wants of an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def measure(self, source: Any, quasi_identifiers: Sequence[str], k: int) -> Measurement: ...


def audit(engine: Measures, source: Any, quasi_identifiers: Sequence[str], k: int) -> Verdict:
    """Measure a table, any table, and compare with k.

    Parameters
    ----------
    engine
        Where to measure.
    source
        The table: what was written or handed out.
    quasi_identifiers
        The columns that make the groups.
    k
        Least size of a group.
    """
    columns = engine.columns(source)
    for name in quasi_identifiers:
        if name not in columns:
            raise PolicyError(f"the table has no column {name!r}.{hint(name, columns)}")
    if not quasi_identifiers:
        raise PolicyError("name at least one quasi-identifier")
    measured = engine.measure(source, quasi_identifiers, k)
    return Verdict(quasi_identifiers=tuple(quasi_identifiers), columns=columns, demanded=k, measured=measured)


__all__ = ["Expected", "Measures", "Verdict", "audit"]
