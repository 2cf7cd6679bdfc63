"""`shoal.suda`: how special each row of a table is, by the combinations that make it unique."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.api._door import door
from shoal.auditor.measure.any_table import check_columns
from shoal.auditor.risk.suda import Suda, suda_scores
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.table.number_text import is_finite
from shoal.pipeline.source import source_of


@door
def suda(
    source: Any,
    *,
    quasi_identifiers: Sequence[str],
    table: str | None = None,
    size: int | None = None,
    sampling_fraction: float | None = None,
    engine: SqlEngine | None = None,
) -> Suda:
    """The SUDA and DIS-SUDA score of each row, as sdcMicro's `suda2` has them.

    The scores are about single rows of the private table. Keep them with it: they are no part of a release.

    Parameters
    ----------
    source, table
        A path, a data frame, or a connection to a database in which rows have an order, and its table.
    quasi_identifiers
        The columns.
    size
        The most columns of a minimal sample unique; all columns, or as many as take some seconds, if absent.
    sampling_fraction
        The share of the population that the rows are; 0.01 if absent, as in sdcMicro.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> scored = shoal.suda("stays.csv", quasi_identifiers=["age", "sex", "zip"])
    >>> scored.scores.argmax()  # the row that is easiest to find
    """
    names = [quasi_identifiers] if isinstance(quasi_identifiers, str) else list(quasi_identifiers)
    check_fraction(sampling_fraction)
    place = source_of(source, table, None)
    with using(engine, place) as opened:
        rows = opened.written(place)
        check_columns(rows.columns, names)
        return suda_scores(opened.rows(rows, names), size=size, sampling_fraction=sampling_fraction)


def check_fraction(stated: float | None) -> None:
    """Raise `PolicyError` unless a sampling fraction is a share."""
    if stated is not None and not (is_finite(stated) and 0 < stated <= 1):
        raise PolicyError(f"the sampling fraction is a share, above 0 and at most 1; it is {stated!r}")
