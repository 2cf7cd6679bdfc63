"""What the desk tells the recipient about a release, which the manifest repeats."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from shoal.errors import InternalError
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.manifest import shortened
from shoal.model.result.result import Cost, Result


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A release as the desk knows it.

    Parameters
    ----------
    run
        The run.
    rows, suppressed, groups
        All rows, those that are suppressed, and the groups of the others.
    columns
        The columns of the release.
    levels
        Per quasi-identifier its level.
    cost, bound, gap, status, nodes, seconds, trace
        The answer of the search.
    transcripts
        Holder -> the digest of its conversation with the desk.
    """

    run: str
    rows: int
    suppressed: int
    columns: tuple[str, ...]
    levels: tuple[int, ...]
    cost: int | float | None
    bound: int | float | None
    gap: float | None
    status: str
    nodes: int
    seconds: float
    groups: int = 0
    trace: tuple[Mapping[str, Any], ...] = ()
    transcripts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: str, rows: int, columns: tuple[str, ...], result: Result) -> Facts:
        """The facts of an answer."""
        if not isinstance(result.recoding, LevelRecoding):
            raise InternalError("a joint release without levels")
        return cls(
            run=run,
            rows=rows,
            suppressed=result.suppressed,
            columns=columns,
            levels=result.recoding.levels,
            cost=_plain(result.cost),
            bound=_plain(result.bound),
            gap=result.gap,
            status=result.status.value,
            nodes=result.nodes,
            seconds=round(result.seconds, 3),
            trace=shortened((*result.trace, result.end)),
        )

    def with_transcripts(self, transcripts: Mapping[str, str]) -> Facts:
        """The facts with the digests of all conversations."""
        return replace(self, transcripts=dict(transcripts))

    @property
    def source_digest(self) -> str:
        """Of the transcripts, in their order: nobody has seen the source, and they stand for it."""
        return hashlib.sha256("".join(self.transcripts.values()).encode()).hexdigest()

    @property
    def sent(self) -> dict[str, Any]:
        """As a frame has them."""
        return asdict(self)


def _plain(cost: Cost | None) -> int | float | None:
    return cost if cost is None or isinstance(cost, int) else float(cost)
