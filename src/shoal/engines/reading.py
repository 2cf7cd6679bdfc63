"""Reads the cells of a written table as values of domains: what each of them may stand for."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines import sql
from shoal.engines.coding import codes_in
from shoal.engines.table import Table
from shoal.model.domain import SUPPRESSED, Domain
from shoal.model.label_reader import LabelReader
from shoal.model.words import Words


def words_read(table: Table, domains: Sequence[Domain]) -> list[Words]:
    """The distinct cells of columns, in rows of which at least one cell is not `*`."""
    session, names = table.session, [domain.name for domain in domains]
    cells = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(names)]
    star = sql.every([table.is_star(name) for name in names])
    with table.selected(names) as relation:
        told = exp.select(*cells).distinct().from_(sql.rows_of(relation)).where(star.not_())
        seen = session.keep("seen", told, table.about)
    found = []
    for index, domain in enumerate(domains):
        column = table.cells(domain.name, seen, f"g{index}")
        # A frame's cells are those of all rows; of them only those that were seen count.
        looked = column.dictionary.value(exp.column(f"g{index}"))
        positions = exp.select(exp.alias_(looked.value, "p")).distinct().from_(seen)
        if looked.join is not None:
            positions = positions.join(looked.join)
        shown = [
            None if at == len(column.cells) else column.cells[at]
            for (at,) in session.rows(positions, table.about)
        ]
        found.append(_words(domain, shown))
    session.forget(seen)
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
