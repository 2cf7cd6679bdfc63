"""Reads the cells of a written table as values of domains: what each of them may stand for."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.engines.coding import codes_in
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.table import Table
from shoal.model.domain import SUPPRESSED, Domain
from shoal.model.label_reader import LabelReader
from shoal.model.words import Words


def words_read(session: DuckSession, table: Table, domains: Sequence[Domain]) -> list[Words]:
    """The distinct cells of columns, in rows of which at least one cell is not `*`."""
    names = [domain.name for domain in domains]
    cells = ", ".join(f"{table.seen(name)} AS g{index}" for index, name in enumerate(names))
    star = " AND ".join(table.is_star(name) for name in names)
    seen = session.fresh("seen")
    with table.selected(names) as relation:
        session.execute(
            f"CREATE TEMP TABLE {seen} AS SELECT DISTINCT {cells} FROM {relation} WHERE NOT ({star})",
            table.about,
        )
    found = []
    for index, domain in enumerate(domains):
        column = table.cells(domain.name, seen, f"g{index}")
        positions = session.rows(f"SELECT DISTINCT {column.index(f'g{index}')} FROM {seen}", table.about)
        shown = [None if at is None else column.cells[at] for (at,) in positions]
        found.append(_words(domain, shown))
    session.execute(f"DROP TABLE {seen}", table.about)
    return found


def _words(domain: Domain, cells: Sequence[object]) -> Words:
    reader = LabelReader(domain)
    told = [cell for cell in cells if cell != SUPPRESSED]
    read = [reader.codes(cell) if cell is None or isinstance(cell, str) else None for cell in told]
    # A column that was released as it came spells its values in its own way.
    strange = [index for index, codes in enumerate(read) if codes is None]
    for index, code in zip(strange, codes_in(domain, [told[each] for each in strange]), strict=True):
        read[index] = (code,) if code >= 0 else None
    return Words(
        column=domain.name,
        told=frozenset(codes for codes in read if codes is not None),
        strange=sum(codes is None for codes in read),
        suppressed=len(told) < len(cells),
    )
