"""What an audit needs from an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from shoal.model.history.measured_histories import MeasuredHistories
from shoal.model.policy.evidence import Evidence
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.measurement import Measurement, WildcardMeasurement


class Measures(Protocol):
    """What the audit of a release needs from an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def measure(self, source: Any, quasi_identifiers: Sequence[str], k: int) -> Measurement: ...

    def measure_wildcards(
        self, source: Any, quasi_identifiers: Sequence[str], k: int
    ) -> WildcardMeasurement: ...

    def measure_people(
        self, source: Any, quasi_identifiers: Sequence[str], evidence: Evidence, known: Any = None
    ) -> MeasuredGroups: ...

    def measure_histories(
        self,
        source: Any,
        quasi_identifiers: Sequence[str],
        column: str,
        *,
        known_events: tuple[int, ...],
        ordered: bool,
        k: int,
    ) -> MeasuredHistories: ...


class Examines(Measures, Protocol):
    """What the audit of any table needs in addition."""

    def group_sizes(self, source: Any, quasi_identifiers: Sequence[str]) -> GroupSizes: ...

    def cells(self, source: Any, columns: Sequence[str]) -> CodedCells: ...

    def rows(self, source: Any, columns: Sequence[str]) -> CodedCells: ...
