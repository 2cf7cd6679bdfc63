"""The state of the step: which run is selected, and which are compared."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.studio.workspace import Run, Workspace

MOST_COMPARED = 3


@dataclass
class SearchSelection:
    """The step's own state; all tabs share it."""

    selected: int | None = None
    compared: list[int] = field(default_factory=list)

    def run(self, workspace: Workspace) -> Run | None:
        """The selected run, or the last one."""
        selected = None if self.selected is None else workspace.run(self.selected)
        return selected or (workspace.runs[-1] if workspace.runs else None)

    def runs_compared(self, workspace: Workspace) -> list[Run]:
        """The runs that are compared, as far as they are still there."""
        runs = [workspace.run(number) for number in self.compared]
        return [run for run in runs if run is not None]
