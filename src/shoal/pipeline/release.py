"""What a run hands out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.auditor import Verdict
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.manifest import Manifest
from shoal.model.result.released_column import ReleasedColumn
from shoal.model.result.result import Result
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.file_reading import FileReading
from shoal.pipeline.release_card import release_card, release_lines

if TYPE_CHECKING:
    from shoal.reports.codebook import Codebook


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """What was released.

    Parameters
    ----------
    data
        The released table, of the kind that the source was; `None` when the source was a file.
    path
        The file that was written, or the name of the table, if one was.
    manifest
        The facts that outlive the run; written next to the file.
    result
        The answer of the search.
    verdict
        What the audit measured in the written bytes, or in the data frame that is handed out.
    warnings
        What the user should look at: texts, each a `CodedWarning`.
    columns
        What became of each quasi-identifier: its loss, its values and labels, and an example.
    readings
        How each quasi-identifier was read: column -> its type, form and missing markers.
    advice
        What else could be released, with measured figures, in sentences: what the other kind of release would
        lose, and what a few suppressed rows would save. Empty where that is not cheap to know.
    reading
        How the source's file was read: what was stated, and what was found; `None` for any other source.
    """

    data: Any = field(default=None, repr=False)
    path: Path | str | None = None
    manifest: Manifest
    result: Result
    verdict: Verdict
    warnings: tuple[CodedWarning, ...] = ()
    columns: tuple[ReleasedColumn, ...] = field(default=(), repr=False)
    advice: tuple[str, ...] = ()
    reading: FileReading | None = field(default=None, repr=False)
    readings: Mapping[str, CellReading] = field(default_factory=dict, repr=False)

    def codebook(self) -> Codebook:
        """The data dictionary of the release: what each column means, its cells, and how to read it."""
        # Imported here: reading a release back needs this class.
        from shoal.pipeline.codebook import codebook_of
        from shoal.pipeline.read_back.opened import opened_release

        return codebook_of(opened_release(self, None))

    def __repr__(self) -> str:
        facts = self.manifest
        where = f"{str(self.path)!r}, " if self.path is not None else ""
        return (
            f"Release({where}{facts.status}, k={self.verdict.k}, cost={facts.cost}, gap={facts.gap}, "
            f"rows={facts.rows - facts.suppressed}, suppressed={facts.suppressed}, groups={facts.groups})"
        )

    def __str__(self) -> str:
        return "\n".join(release_lines(self))

    def _repr_html_(self) -> str:
        return release_card(self).html()
