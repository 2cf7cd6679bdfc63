"""`shoal.audit_tables`: measure what holds across several linked tables."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from shoal.api._door import door
from shoal.api.anonymize_tables import read_tables_policy
from shoal.auditor.tables.audited import AuditedTables
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.pipeline.tables.audit import audit_folder


@door
def audit_tables(
    folder: str | Path, *, policy: TablesPolicy | str | Path | None = None, engine: DuckDB | None = None
) -> AuditedTables:
    """Measure several linked tables together: whether keys hold, and how many persons look the same.

    Nothing is raised if a demand does not hold: see `meets` and `failures`.

    Parameters
    ----------
    folder
        A folder with a file for each table, named like the tables of the policy.
    policy
        What links the tables and what is demanded, or its file; by default what the manifest next to the
        folder says.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> audited = shoal.audit_tables("hospital/release", policy="hospital/hospital.toml")
    >>> audited.meets, audited.measured.smallest
    """
    stated = read_tables_policy(policy) if isinstance(policy, str | Path) else policy
    with DuckDB() if engine is None else nullcontext(engine) as opened:
        return audit_folder(opened, Path(folder), stated)
