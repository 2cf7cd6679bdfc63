"""Has the auditor read several tables as they were written, or as somebody released them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.auditor.tables.audited import AuditedTables
from shoal.auditor.tables.measured import MeasuredTables, measured_tables
from shoal.auditor.tables.written_table import WrittenTable
from shoal.engines.duckdb.folder import table_files, tables_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.tables.linked_table import LinkedTable
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.result.manifest import manifest_path
from shoal.model.result.tables_manifest import tables_facts
from shoal.model.suggestion import suggestion
from shoal.model.table.linked_columns import LinkedColumns


def measure_written(
    engine: SqlEngine, written: Mapping[str, Any], described: Sequence[LinkedColumns], k: int | None = None
) -> MeasuredTables:
    """Measure several tables, as a reader of them would.

    Parameters
    ----------
    engine
        Where the tables are read.
    written
        For each table its file or data frame.
    described
        What links them, and which columns are quasi-identifiers; each table after its parent.
    k
        What is demanded of persons, if anything is.
    """
    tables = []
    for each in described:
        columns = engine.columns(written[each.name])
        for name in each.needed:
            if name not in columns:
                raise PolicyError(
                    f"table {each.name!r} has no column {name!r}, so nothing can be measured across the "
                    f"tables.{suggestion(name, columns)}"
                )
        cells = engine.rows(engine.written(written[each.name]), each.needed)
        tables.append(WrittenTable(columns=each, cells=cells))
    return measured_tables(tables, k)


def columns_of(policy: TablesPolicy, table: LinkedTable, columns: Sequence[str]) -> LinkedColumns:
    """What the columns of a table are, by a policy."""
    up, linking = policy.parent_key(table), policy.linking(table, columns)
    return LinkedColumns(
        name=table.name,
        labels=tuple(each.name for each in policy.policy_of(table).quasi_identifiers),
        key=table.key,
        parent=table.parent,
        parent_key=up,
        repeats={column: owner for column, owner in linking.items() if column not in (table.key, up)},
    )


def audit_folder(engine: SqlEngine, folder: Path, policy: TablesPolicy | None = None) -> AuditedTables:
    """Measure a folder of several tables; its manifest is checked against it, if it has one.

    Parameters
    ----------
    engine
        Where the tables are read.
    folder
        The folder.
    policy
        What is demanded; what its manifest says when absent.
    """
    facts = facts_beside(folder)
    if policy is None and facts is None:
        raise PolicyError(
            f"the folder {folder.name} has no manifest of several tables next to it; name the policy "
            "(--policy, or policy=...) that says which columns link them"
        )
    try:
        files = {path.name.partition(".")[0]: path for path in table_files(folder)}
    except OSError as error:
        raise EngineError(f"cannot read {folder}: {error.strerror}") from None
    stated = {} if facts is None else facts["tables"]
    names = list(stated) if policy is None else [each.name for each in policy.ordered]
    for name in names:
        if name not in files:
            raise PolicyError(f"the folder {folder.name} has no table {name!r}.{suggestion(name, files)}")
    if policy is None:
        described = [LinkedColumns.stated(name, each) for name, each in stated.items()]
    else:
        described = [columns_of(policy, each, engine.columns(files[each.name])) for each in policy.ordered]
    k = policy.k if policy is not None else int((facts or {})["k"])
    measured = measure_written(engine, files, described, k)
    return AuditedTables(measured=measured, demanded=k, disagreements=_disagreements(folder, facts, measured))


def facts_beside(folder: Path) -> dict[str, Any] | None:
    """The facts of the manifest of several tables next to a folder, if there is one."""
    try:
        return tables_facts(manifest_path(folder).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _disagreements(
    folder: Path, facts: Mapping[str, Any] | None, measured: MeasuredTables
) -> tuple[str, ...]:
    """What the manifest says, and the folder does not."""
    if facts is None:
        return ()
    found = []
    if facts.get("release_digest") != tables_digest(folder):
        found.append("the files are not those that the manifest describes")
    for name, rows in measured.rows.items():
        each = facts["tables"].get(name, {})
        stated = each.get("rows", 0) - each.get("suppressed", 0)
        if stated != rows:
            found.append(f"table {name!r} has {rows:,} rows, and the manifest says {stated:,}")
    if facts["audit"].get("persons-sharing") != measured.smallest:
        found.append("the manifest says another number of persons who share their rows")
    return tuple(found)
