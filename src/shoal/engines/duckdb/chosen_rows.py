"""Some rows of a table, with new cells in some columns, written to a file or handed out as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.file import FileFormat
from shoal.engines.duckdb.session import DuckSession, quoted
from shoal.engines.duckdb.treating import treated_frame
from shoal.engines.duckdb.writing import copy, kept_delimiter
from shoal.engines.sql.table import DatabaseTable, FrameTable, StoredTable
from shoal.model.table.new_cells import NewCells


def write_chosen_rows(
    session: DuckSession,
    table: DatabaseTable,
    new: Mapping[str, NewCells],
    rows: NDArray[np.int64],
    dropped: Sequence[str],
    target: Path,
) -> str:
    """Write some rows of a table to a file, and return its delimiter.

    Parameters
    ----------
    session, table
        The table; its rows have an order.
    new
        New cells by column, in the order of the table: text.
    rows
        The rows to write, in the order in which they are written.
    dropped
        Columns that the file does not have.
    target
        The file.
    """
    count = session.fetched(f"SELECT count(*) FROM {session.rendered(table.relation)}", table.about)[0][0]
    place = np.full(int(count), -1, np.int64)
    place[rows] = np.arange(len(rows))
    numbers = {f"n{index}": cells.choices for index, cells in enumerate(new.values())}
    uploaded = session.upload("choices", {"place": place, **numbers})
    texts = [
        session.upload("texts", {"i": np.arange(len(cells.texts)), "t": list(cells.texts)})
        for cells in new.values()
    ]
    selected = [
        f"CAST(t{list(new).index(name)}.t AS VARCHAR) AS {quoted(name)}"
        if name in new
        else f"r.{quoted(name)}"
        for name in table.columns
        if name not in dropped
    ]
    joins = [
        f"LEFT JOIN {each.name} AS t{index} ON t{index}.i = c.n{index}" for index, each in enumerate(texts)
    ]
    query = (
        f"SELECT {', '.join(selected)} FROM {session.rendered(table.relation)} AS r "
        f"POSITIONAL JOIN {uploaded.name} AS c {' '.join(joins)} WHERE c.place >= 0 ORDER BY c.place"
    )
    form = FileFormat.of(target)
    if isinstance(table, StoredTable) and table.file.is_text and form.delimiter is None:
        form = replace(form, delimiter=kept_delimiter(table.file))
    copy(session, query, target, form, f"the release of {table.about}")
    for each in (uploaded, *texts):
        session.forget(each)
    return form.delimiter or ","


def chosen_frame(
    table: FrameTable, new: Mapping[str, NewCells], rows: NDArray[np.int64], dropped: Sequence[str]
) -> Any:
    """The same as a data frame, of the kind that the table is."""
    kept = np.zeros(len(table.frame), np.bool_)
    kept[rows] = True
    made = treated_frame(table, new, np.arange(len(kept)))
    frame = made.frame.without(list(dropped)).filtered(kept)
    ranks = np.argsort(np.argsort(rows))
    native = frame.shuffled(ranks).native if len(rows) else frame.native
    return native.lazy() if table.lazy else native
