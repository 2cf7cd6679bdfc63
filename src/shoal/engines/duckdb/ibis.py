"""Tables of Ibis: read once from their own backend, and returned as tables of Ibis.

With a backend of DuckDB the expression runs as a relation, whose rows are streamed. Any other backend returns
an Arrow table. A second run of the expression could return different rows, so the rows are kept in the
session, which spills them to disk beyond the memory limit.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from shoal.engines.duckdb.file import check_names
from shoal.engines.duckdb.relation import RelationTable, kept_rows
from shoal.engines.duckdb.session import DuckSession
from shoal.errors import EngineError

ABOUT = "the Ibis table"


class IbisRows(RelationTable):
    """The rows that a table of Ibis had when it was read."""


def is_ibis(source: object) -> bool:
    """Whether a source is a table of Ibis; Ibis is not imported for it."""
    return isinstance(source, getattr(sys.modules.get("ibis.expr.types"), "Table", ()))


def ibis_rows(session: DuckSession, source: Any) -> IbisRows:
    """Keep the rows of a table of Ibis."""
    check_names(list(source.columns), ABOUT)
    try:
        reader = _streamed(source) or source.to_pyarrow().to_reader()
    except Exception as error:  # whatever the backend raises; its message can quote cells
        raise EngineError(
            f"the backend of {ABOUT} cannot run it ({type(error).__name__}); execute it yourself to see why"
        ) from None
    return kept_rows(session, reader, ABOUT, IbisRows)


def _streamed(source: Any) -> Any:
    """The rows of an expression that DuckDB can run as it is; `None` for any other."""
    try:
        backend = source.get_backend()
        if backend.name != "duckdb":
            return None
        return backend.con.sql(backend.compile(source)).to_arrow_reader()
    except Exception:  # tables in memory, or several backends: Ibis itself brings the rows together
        return None


def ibis_of(relation: Any) -> Any:
    """Released rows as a table of Ibis, in memory."""
    return importlib.import_module("ibis").memtable(relation.to_arrow_table())
