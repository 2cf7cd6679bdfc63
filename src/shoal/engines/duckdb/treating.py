"""A table with new cells in some columns, and its rows in another order: what is counted and released then.

A file is copied into the session's private folder, and a table into a temporary one, sorted by the new order,
so that counting, writing and the audit all read the same rows in the same order. DuckDB sorts on disk where
memory ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Application, Counted
from shoal.engines.duckdb.file import cell_type
from shoal.engines.duckdb.folder import FolderTable
from shoal.engines.duckdb.relation import RelationTable
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.frames.frame import Replacement
from shoal.engines.sql.recoding import plan
from shoal.engines.sql.table import DatabaseTable, FrameTable, StoredTable
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import number_of

_TEXTS = ("str", "object", "large_string", "utf8")
"""How the names of types of text begin, in any library."""
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


def why_not_treated(table: DatabaseTable | FrameTable) -> str | None:
    """Why the cells of a table cannot be treated, in words; `None` if they can."""
    if isinstance(table, StoredTable) and isinstance(table.file, FolderTable):
        return "is a folder of Parquet files, whose rows are put into other files"
    return "is a relation of DuckDB" if isinstance(table, RelationTable) else None


def treated_table(
    session: DuckSession,
    table: DatabaseTable,
    new: Mapping[str, NewCells],
    order: NDArray[np.int64],
    columns: Sequence[str] | None = None,
) -> DatabaseTable:
    """A file or a table with new cells, its rows in a new order.

    Parameters
    ----------
    session, table
        The table.
    new
        The new cells by column, in the order of the table. A column that the table lacks is added as text.
    order
        Per row of the result the row of the table; rows that are not in it are left out.
    columns
        The columns of the result, if not those of the table: those that it lacks are new ones.
    """
    types = _types(session, table, new)
    added = (name for name in new if name not in table.columns)
    names = (*table.columns, *added) if columns is None else columns
    count = session.fetched(f"SELECT count(*) FROM {session.rendered(table.relation)}", table.about)[0][0]
    place = np.full(int(count), -1, np.int64)
    place[order] = np.arange(len(order))
    numbers = {f"n{index}": cells.choices for index, cells in enumerate(new.values())}
    uploaded = session.upload("choices", {"place": place, **numbers})
    texts = [
        session.upload("texts", {"i": np.arange(len(cells.texts)), "t": list(cells.texts)})
        for cells in new.values()
    ]
    selected = [
        f"CAST(t{list(new).index(name)}.t AS {types[name]}) AS {quoted(name)}"
        if name in new
        else f"r.{quoted(name)}"
        for name in names
    ]
    joins = [
        f"LEFT JOIN {each.name} AS t{index} ON t{index}.i = c.n{index}" for index, each in enumerate(texts)
    ]
    # Every name says whose it is: a column of the source can be called like one of ours.
    rows = (
        f"SELECT {', '.join(selected)} FROM {session.rendered(table.relation)} AS r "
        f"POSITIONAL JOIN {uploaded.name} AS c {' '.join(joins)} WHERE c.place >= 0 ORDER BY c.place"
    )
    made = copy(table)
    made.types = {name: cell_type(types[name]) if name in new else table.types[name] for name in names}
    if isinstance(table, StoredTable):
        file = session.folder / f"{session.fresh('treated')}.parquet"
        session.run(f"COPY ({rows}) TO {literal(str(file))} (FORMAT parquet)", table.about)
        table.file.check_unchanged()
        stored = f"SELECT * FROM read_parquet({literal(str(file))})"
        made.relation = session.view("treated", stored, table.about)
    else:  # Parquet would change some types of a database
        name = session.fresh("treated")
        session.run(f"CREATE TEMP TABLE {name} AS {rows}", table.about)
        made.relation = exp.to_table(name)
    for each in (uploaded, *texts):
        session.forget(each)
    return made


def _types(session: DuckSession, table: DatabaseTable, new: Mapping[str, NewCells]) -> dict[str, str]:
    """The DuckDB type of each new column."""
    described = session.fetched(f"DESCRIBE SELECT * FROM {session.rendered(table.relation)}", table.about)
    types = {row[0]: row[1] for row in described}
    found = {}
    for name, cells in new.items():
        if name not in types or table.is_text or cells.kind == "text" or types[name] == "VARCHAR":
            found[name] = "VARCHAR"
        elif cells.kind == "same":
            found[name] = types[name]
        else:
            whole = _are_whole(cells) and types[name].removeprefix("U") in _WHOLE
            found[name] = types[name] if whole else "DOUBLE"
    return found


def treated_frame(table: FrameTable, new: Mapping[str, NewCells], order: NDArray[np.int64]) -> FrameTable:
    """A data frame with new cells, its rows in a new order; as `treated_table`."""
    frame, new = table.frame, {name: cells.used for name, cells in new.items()}
    texts = {name: cells for name, cells in new.items() if not _keeps_type(frame.type_name(name), cells)}
    frame = frame.replaced(
        {name: _replacement(frame.type_name(name), cells) for name, cells in texts.items()}
    )
    for name, cells in new.items():
        if cells.rows is not None:
            frame = frame.exchanged(name, cells.rows)
        elif name not in texts:
            frame = frame.rewritten(name, Replacement(cells.texts, cells.choices))
    if len(order) < len(frame):
        kept = np.zeros(len(frame), np.bool_)
        kept[order] = True
        frame, order = frame.filtered(kept), np.argsort(np.argsort(order))
    if not np.array_equal(order, np.arange(len(order))):
        frame = frame.shuffled(order)
    return FrameTable(table.session, frame, lazy=table.lazy)


def frame_with_columns(table: FrameTable, new: Mapping[str, NewCells], columns: Sequence[str]) -> FrameTable:
    """A data frame with new columns of text, and without some of its own.

    Parameters
    ----------
    table
        The frame.
    new
        The new columns.
    columns
        The columns of the result, in their order.
    """
    made = table.frame.replaced(
        {name: Replacement(cells.texts or (None,), cells.choices, None) for name, cells in new.items()}
    )
    dropped = [name for name in made.columns if name not in columns]
    return FrameTable(table.session, made.without(dropped).arranged(columns), lazy=table.lazy)


def _keeps_type(type_name: str, cells: NewCells) -> bool:
    """Whether new cells are of the type that the column has."""
    whole_type = type_name.lower().startswith(("int", "uint"))
    return cells.kind == "same" or (cells.kind == "number" and whole_type and _are_whole(cells))


def _are_whole(cells: NewCells) -> bool:
    numbers = [number_of(text) for text in cells.texts if text is not None]
    return all(each is not None and each.denominator == 1 for each in numbers)


def _replacement(type_name: str, cells: NewCells) -> Replacement:
    """Numbers in a column of numbers, text in any other."""
    if cells.kind == "text" or type_name.lower().startswith(_TEXTS):
        return Replacement(cells.texts, cells.choices)
    return Replacement([None if text is None else float(text) for text in cells.texts], cells.choices)


def kept_rows(
    table: DatabaseTable | FrameTable, counted: Counted, application: Application
) -> NDArray[np.bool_]:
    """Per row of a table, in its order, whether the application keeps it."""
    prepared = plan(table.session, counted, application)
    names = [*(column.name for column in prepared.columns), *prepared.lookup.reads]
    with table.selected(names) as relation:
        rows = prepared.lookup.rows(table, [], relation)
        arrays = table.session.arrays(exp.select("kept").from_(rows.subquery("w")), table.about)
    return np.asarray(arrays["kept"], np.bool_)
