"""Arrow, Feather and ORC files, streamed by pyarrow batch by batch."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.engines.duckdb.file import check_survives
from shoal.engines.duckdb.files.converted import Converted, Parts, needed
from shoal.engines.duckdb.files.names import distinct_names
from shoal.engines.duckdb.session import DuckSession
from shoal.errors import EngineError, PolicyError
from shoal.model.table.file_reading import FileReading

_FILE = b"ARROW1"
_OLD = b"FEA1"


def arrow_table(session: DuckSession, name: str, path: Path, kind: str) -> Converted:
    """Open a file of Arrow's formats, or of ORC.

    Parameters
    ----------
    session
        Where it is read.
    name, path
        The file.
    kind
        "arrow" or "orc".
    """
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        raise PolicyError(needed(name, "pyarrow", "arrow")) from None
    try:
        schema, batches = _orc(path) if kind == "orc" else _arrow(arrow, path)
        names, renamed = distinct_names(schema.names, trim=False)
        renaming = (
            schema
            if not renamed
            else arrow.schema([field.with_name(each) for field, each in zip(schema, names, strict=True)])
        )
        alike = (arrow.RecordBatch.from_arrays(each.columns, schema=renaming) for each in batches)
        reader = arrow.RecordBatchReader.from_batches(renaming, alike)
        parts = Parts(session, name)
        streamed = session.upload_frame("arrow", reader, name)
        described = session.fetched(f"DESCRIBE {streamed.name}", name)
        check_survives({row[0]: row[1] for row in described}, r"\b(UHUGEINT|BIT)\b", "a Parquet file")
        parts.store(f"SELECT * FROM {streamed.name}")
        session.forget(streamed)
    except arrow.ArrowException:
        raise EngineError(f"{name} cannot be read; is it complete, and does its name end rightly?") from None
    return Converted(relation=parts.relation({}), reading=FileReading(format=kind, renamed=renamed))


def _arrow(arrow: Any, path: Path) -> tuple[Any, Iterator[Any]]:
    ipc = importlib.import_module("pyarrow.ipc")
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(_OLD):
        table = importlib.import_module("pyarrow.feather").read_table(str(path))
        return table.schema, iter(table.to_batches())
    if start == _FILE:
        reader = ipc.open_file(arrow.memory_map(str(path)))
        return reader.schema, (reader.get_batch(each) for each in range(reader.num_record_batches))
    stream = ipc.open_stream(arrow.memory_map(str(path)))
    return stream.schema, iter(stream)


def _orc(path: Path) -> tuple[Any, Iterator[Any]]:
    orc = importlib.import_module("pyarrow.orc").ORCFile(str(path))
    return orc.schema, (orc.read_stripe(each) for each in range(orc.nstripes))
