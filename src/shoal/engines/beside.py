"""What the audit needs of each written row and the release does not have: whose row it is, what it weighs.

Columns that tell persons apart are mostly identifiers, and dropped. Their codes, never their cells, are kept
in the order of the written rows, in the session's private folder or in memory, until the session ends.
"""

from __future__ import annotations

import numpy as np

from shoal.engines import sql
from shoal.engines._base import Application, Beside, Counted
from shoal.engines.duckdb_session import DuckSession
from shoal.engines.recoding import plan
from shoal.engines.table import StoredTable, Table

WEIGHT = "w"


def kept_beside(
    session: DuckSession, table: Table, counted: Counted, application: Application
) -> Beside | None:
    """What is kept of the rows that the application writes; `None` if the release itself has it all."""
    evidence = counted.evidence
    columns = tuple(name for name in counted.persons if name in application.dropped)
    weight = evidence.survey_weight if evidence.survey_weight in application.dropped else None
    if not columns and weight is None:
        return None
    cells = [f"{counted.persons[name]} AS e{index}" for index, name in enumerate(columns)]
    if weight is not None:
        cells.append(f"{table.millionths(weight)} AS {WEIGHT}")
    kept = ", ".join([*(f"e{index}" for index in range(len(columns))), *([WEIGHT] if weight else [])])
    prepared = plan(session, counted, application)
    names = [*(domain.name for domain in counted.frequencies.domains), *columns]
    with table.weighed(names, weight) as relation:
        rows = prepared.lookup.rows(cells, relation)
        statement = f"SELECT {kept} FROM ({rows})" + ("" if prepared.suppressed == "mask" else " WHERE kept")
        if isinstance(table, StoredTable):
            place = session.folder / f"{session.fresh('beside')}.parquet"
            session.execute(f"COPY ({statement}) TO {sql.literal(str(place))} (FORMAT parquet)", table.about)
            table.file.check_unchanged()
            (count,) = session.row(
                f"SELECT count(*) FROM read_parquet({sql.literal(str(place))})", table.about
            )
            return Beside(columns=columns, weighs=weight is not None, rows=int(count), place=place)
        arrays = session.arrays(statement, table.about)
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    return Beside(
        columns=columns,
        weighs=weight is not None,
        rows=len(next(iter(plain.values()))),
        place=plain,
    )
