"""`shoal.side_by_side`: rows of a release next to the rows they were made from."""

from __future__ import annotations

import io
import json
import os
import zipfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.auditor.original.column_check import KeptColumn
from shoal.auditor.original.paired_rows import paired_rows
from shoal.auditor.original.pairing import NOBODY
from shoal.auditor.original.row_pairs import RowPairs, row_pairs
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import write_bytes
from shoal.model.policy.policy import Policy
from shoal.model.table.side_by_side import Row, SideBySide
from shoal.pipeline.check_manifest import is_shuffled, sets_of
from shoal.pipeline.opened import refuse_subset
from shoal.pipeline.placing import refuse_made
from shoal.pipeline.source import source_of

_LAYOUT = 2
"""Version of the file of pairs; a file with another version is replaced."""


@door
@alongside_policy("start", "rows", "pairs", "engine")
def side_by_side(
    release: Any,
    original: Any = None,
    *,
    policy: Policy | str | Path,
    start: int = 0,
    rows: int = 50,
    pairs: str | Path | None = None,
    engine: SqlEngine | None = None,
) -> SideBySide:
    """Some rows of a table, and what a release made of each; which cells it changed, and which rows are gone.

    A release keeps the order of rows, and does not show which were left out. Its rows are paired with
    the earliest ones in order that they are true of; `certain` marks the rows of which no other pairing is
    possible. Tables of a database have no order, and are refused; so are shuffled releases.

    Parameters
    ----------
    release
        A path or a data frame.
    original
        The table that it was made from, likewise; the policy's source when absent.
    policy
        The policy that the release was made by, or its file.
    start, rows
        The first row of the original, from 0, and how many.
    pairs
        A file in which to keep the pairs: to find them, all rows are read. Created if it is absent or about
        of other tables; it has numbers of rows in it and no cell.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> rows = shoal.side_by_side("release.csv", "stays.csv", policy="stays.toml", rows=5)
    """
    if start < 0 or rows < 0:
        raise PolicyError(f"start and rows must not be negative; they are {start} and {rows}")
    stated = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    refuse_subset(stated, "a comparison with the original")
    refuse_made(stated, "a comparison row by row")
    private = source_of(original, None, stated, described=True)
    stamp = None if pairs is None else _stamp(release, private, stated)
    with ExitStack() as stack:
        here = engine if engine is not None else stack.enter_context(engine_for(release))
        there = engine if engine is not None else stack.enter_context(engine_for(private))
        if stated.order == "shuffle" or is_shuffled(here, release):
            raise PolicyError(
                "the rows of the release were shuffled, so it is unknown which of them was made from which "
                "row; look at the release by itself"
            )
        paired = None if pairs is None or stamp is None else _kept(Path(pairs), stamp)
        if paired is None:
            paired = _paired(here, there, release, private, stated)
            if pairs is not None and stamp is not None:
                _keep(paired, Path(pairs), stamp)
        return _rows(here, there, release, private, paired, start, rows)


def _paired(here: SqlEngine, there: SqlEngine, release: Any, private: Any, policy: Policy) -> RowPairs:
    """The pairs; treated columns do not help to find them, and their changed cells are counted afterwards."""
    found = row_pairs(
        paired_rows(
            here,
            release,
            private,
            policy,
            original_engine=there,
            sets=sets_of(here, release),
            treated=policy.treatments,
        )
    )
    changed = dict(found.changed)
    both = {*here.columns(release)} & {*there.columns(private)}
    rows = np.flatnonzero(found.partner != NOBODY)
    for name in policy.treatments:
        if name in both:
            after, before = here.rows(release, [name]), there.rows(private, [name])
            texts = KeptColumn(after.texts(name), before.texts(name))
            cells = texts.of_cell[after.column(name)[found.partner[rows]]]
            changed[name] = int((cells != texts.of_value[before.column(name)[rows]]).sum())
    return replace(found, changed=changed)


def _rows(
    here: SqlEngine, there: SqlEngine, release: Any, private: Any, matched: RowPairs, start: int, rows: int
) -> SideBySide:
    names, originals = here.columns(release), there.columns(private)
    columns = (*originals, *(name for name in names if name not in originals))
    partner = matched.partner[start : start + rows]
    before = there.some_rows(private, originals, start, len(partner)) if len(partner) else ()
    paired = partner[partner != NOBODY]
    first = int(paired[0]) if len(paired) else 0
    # In order: what the page needs of the release is one stretch of it.
    cells = here.some_rows(release, names, first, int(paired[-1]) - first + 1) if len(paired) else ()
    places = [names.index(name) if name in names else None for name in columns]
    after: list[Row | None] = [
        None
        if row == NOBODY
        else tuple(None if place is None else cells[row - first][place] for place in places)
        for row in partner.tolist()
    ]
    padded = tuple((*row, *(None for _ in columns[len(originals) :])) for row in before)
    common = [at for at, name in enumerate(columns) if name in names and name in originals]
    return SideBySide(
        columns=columns,
        dropped=tuple(name for name in originals if name not in names),
        added=columns[len(originals) :],
        start=start,
        before=padded,
        after=tuple(after),
        marked=tuple(_marked(*pair, common) for pair in zip(padded, after, strict=True)),
        certain=tuple(matched.certain[start : start + rows].tolist()),
        originals=len(matched.partner),
        released=matched.rows,
        unpaired=matched.unpaired,
        matched_by=matched.matched_by,
        uncertain=int((~matched.certain).sum()),
        changed=matched.changed,
    )


def _marked(before: Row, after: Row | None, common: list[int]) -> frozenset[int]:
    if after is None:
        return frozenset()
    return frozenset(at for at in common if before[at] != after[at] and not _alike(before[at], after[at]))


def _alike(value: str | None, cell: str | None) -> bool:
    """Whether two texts are one value: a frame and a file may write a number in two ways."""
    texts = KeptColumn([cell], [value])
    return bool(texts.of_cell[0] == texts.of_value[0])


def _stamp(release: Any, private: Any, policy: Policy) -> str:
    """What identifies these tables: their paths, sizes and times, and the policy."""
    seen = []
    for source in (release, private):
        if not isinstance(source, str | os.PathLike):
            raise PolicyError("pairs are kept for files; leave out pairs=... for a data frame or a database")
        path = Path(source)
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        try:
            stats = [(str(file.resolve()), file.stat()) for file in files]
        except OSError as error:
            raise EngineError(f"cannot read {path.name}: {error.strerror}") from None
        seen.append([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats])
    return json.dumps([_LAYOUT, policy.digest, seen])


def _kept(place: Path, stamp: str) -> RowPairs | None:
    """The pairs that a file has; `None` if there is none, or it is of other tables."""
    try:
        with np.load(place, allow_pickle=False) as stored:
            facts = json.loads(str(stored["facts"]))
            if facts.pop("stamp") != stamp:
                return None
            return RowPairs(partner=stored["partner"], certain=stored["certain"], **facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile):
        return None


def _keep(paired: RowPairs, place: Path, stamp: str) -> None:
    facts = {
        "stamp": stamp,
        "rows": paired.rows,
        "unpaired": paired.unpaired,
        "matched_by": paired.matched_by,
        "changed": dict(paired.changed),
    }
    content = io.BytesIO()
    np.savez(content, partner=paired.partner, certain=paired.certain, facts=np.array(json.dumps(facts)))
    write_bytes(place, content.getvalue())
