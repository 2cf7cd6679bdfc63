"""The road of several tables: prepare, search, publish."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.duckdb.folder import TablesStaging
from shoal.errors import AuditError, PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.result.phases import SEARCH
from shoal.model.table.file_source import file_of
from shoal.pipeline.phases import Phases
from shoal.pipeline.source import inputs_of
from shoal.pipeline.tables.prepared import Prepared, prepare
from shoal.pipeline.tables.publish import TablesDraft, publish_tables
from shoal.pipeline.tables.release import TablesRelease
from shoal.pipeline.tables.search import algorithms_of, search_tables
from shoal.treatments import SecretKey


def run_tables(
    sources: Mapping[str, Any],
    policy: TablesPolicy,
    *,
    engine: DuckDB,
    on_progress: ProgressCallback | None = None,
    key_file: str | Path | None = None,
) -> TablesRelease:
    """Release several tables by a policy, or raise and publish nothing.

    Parameters
    ----------
    sources
        For each table its file, or its data frame; all of one kind.
    policy
        The request.
    engine
        Where the tables are read and written.
    on_progress
        Called now and then while the search runs.
    key_file
        The file of the secret key for pseudonyms and the order of rows; fresh without one.
    """
    algorithms = algorithms_of(policy)
    files = {name: path for name, source in sources.items() if (path := file_of(source)) is not None}
    staged = _staged(policy, sources, files, key_file)
    phases = Phases.counting(on_progress)
    prepared = prepare(engine, policy, sources, SecretKey.of(key_file))
    _check_warnings(policy, prepared)
    phases.begin(SEARCH)
    found = search_tables(policy, prepared, algorithms, on_progress)
    drafted = TablesDraft(policy=policy, prepared=prepared, found=found, phases=phases)
    return publish_tables(engine, drafted, staged)


def _staged(
    policy: TablesPolicy, sources: Mapping[str, Any], files: Mapping[str, Path], key_file: str | Path | None
) -> TablesStaging | None:
    if not files:
        if policy.release is not None:
            raise PolicyError(
                "tables that are data frames are handed out as data frames; leave out the path of the release"
            )
        return None
    if len(files) < len(sources):
        raise PolicyError("some tables are files and others data frames; read the files, or write the frames")
    if policy.release is None:
        raise PolicyError(
            "say which folder the tables shall be written to (path=..., --output, or [release] path)"
        )
    if policy.release.suffix:
        raise PolicyError(
            f"several tables are released to a folder, and {policy.release.name!r} is named like a file; "
            "leave out the suffix"
        )
    inputs = {f"the table {name!r}": path for name, path in files.items()}
    for each in policy.tables:
        hierarchies = inputs_of(policy.policy_of(each), None)
        inputs |= {f"{what} of {each.name!r}": path for what, path in hierarchies.items()}
    if key_file is not None:
        inputs["the key file"] = Path(key_file)
    return TablesStaging(policy.release, inputs)


def _check_warnings(policy: TablesPolicy, prepared: Prepared) -> None:
    """Raise `AuditError` if there are warnings and the policy is strict."""
    if not policy.strict or not prepared.warnings:
        return
    raise AuditError(
        f"a strict release has no warning, and this one has {len(prepared.warnings)}: "
        f"{'; '.join(prepared.warnings)}. Nothing was published; do what the warnings say, or acknowledge "
        "them in the policy",
        warnings=prepared.warnings,
    )
