"""A table of observed messages as the target of an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.auditor.attacks import Target
from shoal.auditor.attacks.sender_log import sender_log
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.model.table.coded_cells import CodedCells


def log_target(
    source: Any,
    *,
    senders: str,
    pseudonym: str | None,
    once: bool,
    k: int,
    allowed: Mapping[str, float],
    engine: SqlEngine | None,
) -> Target:
    """The messages of a log, one per row, in their order where rows have one.

    Parameters
    ----------
    source
        The table.
    senders, pseudonym
        The column of possible senders, and that of pseudonyms if there is one.
    once
        Whether each sender has at most one message, or one pseudonym.
    k, allowed
        What is promised of every message, and the limits of attacks.
    engine
        An engine with other limits than the default.
    """
    wanted = (senders,) if pseudonym is None else (senders, pseudonym)
    if senders == pseudonym:
        raise PolicyError(f"senders and pseudonym both name {senders!r}; they are two columns")
    with using(engine, source) as opened:
        columns = opened.columns(source)
        for name in wanted:
            if name not in columns:
                raise PolicyError(f"the log has no column {name!r}.{suggestion(name, columns)}")
        cells = _one_by_one(opened, source, wanted)
    if not cells.rows:
        raise PolicyError("the log has no rows; there is no message to attack")
    texts = [[cells.texts(name)[code] for code in cells.column(name).tolist()] for name in wanted]
    log = sender_log(texts[0], texts[1] if pseudonym is not None else None, once=once)
    return Target(release=cells, quasi_identifiers=(), k=k, allowed=allowed, log=log)


def _one_by_one(engine: SqlEngine, source: Any, columns: tuple[str, ...]) -> CodedCells:
    try:
        return engine.rows(source, columns)
    except PolicyError:  # rows of this table have no order; any order will do
        cells = engine.cells(source, columns)
        codes = np.repeat(cells.codes, cells.counts, axis=0)
        return replace(cells, codes=codes, counts=np.ones(len(codes), np.int64))
