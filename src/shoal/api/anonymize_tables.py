"""`shoal.anonymize_tables`: release several linked tables by a policy."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._door import door
from shoal.api._progress import shown
from shoal.api.read_policy import policy_options, policy_text
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import LeakWarning, PolicyError, ShoalWarning
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.policy.tables.tables_toml import parse_tables_policy
from shoal.model.result.coded_warning import LEAK_CODES
from shoal.model.suggestion import suggestion
from shoal.model.table.file_source import FileSource
from shoal.pipeline.tables.release import TablesRelease
from shoal.pipeline.tables.run import run_tables


@door
def anonymize_tables(
    policy: TablesPolicy | str | Path,
    *,
    tables: Mapping[str, Any] | None = None,
    path: str | Path | None = None,
    strict: bool = False,
    progress: bool | None = None,
    on_progress: ProgressCallback | None = None,
    engine: DuckDB | None = None,
    key_file: str | Path | None = None,
) -> TablesRelease:
    """Release several tables that are linked by keys, so that k persons look the same across all of them.

    Keys are renewed, the same in all tables, and lead to released rows alone. Nothing is published unless the
    audit of what was written holds, of all tables together.

    Parameters
    ----------
    policy
        The file of a policy with [tables.NAME], or such a policy.
    tables
        The tables in place of the policy's files: name -> file or data frame. Data frames give data frames.
    path
        The folder to write, in place of the policy's.
    strict
        Raise `AuditError`, and publish nothing, if there is a warning.
    progress
        Whether to show a line with the progress of the search, as for `anonymize`.
    on_progress
        Called with a `Progress` now and then while the search runs.
    engine
        An engine with other limits than the default, as in `DuckDB(memory="4GB")`.
    key_file
        A file with a secret key of at least 16 bytes, for pseudonyms and the order of rows, as for
        `anonymize`; fresh without one.

    Examples
    --------
    >>> release = shoal.anonymize_tables("hospital/hospital.toml")
    >>> print(release)
    >>> release.paths["stays"]
    """
    stated = policy if isinstance(policy, TablesPolicy) else read_tables_policy(policy)
    if path is not None:
        stated = replace(stated, release=Path(path))
    if strict:
        stated = replace(stated, strict=True)
    sources = sources_of(stated, tables)
    if path is None and not any(isinstance(each, Path | FileSource) for each in sources.values()):
        stated = replace(stated, release=None)  # the policy names a folder for its files
    with (
        DuckDB(threads=stated.threads) if engine is None else nullcontext(engine) as opened,
        shown(progress, on_progress, stated.cost) as watch,
    ):
        released = run_tables(sources, stated, engine=opened, on_progress=watch, key_file=key_file)
    for warning in released.warnings:
        category = LeakWarning if warning.code in LEAK_CODES else ShoalWarning
        warnings.warn(warning, category, stacklevel=3)  # past the decorator
    return released


def read_tables_policy(path: str | Path) -> TablesPolicy:
    """The policy for several tables in a TOML file; paths in it are relative to the file."""
    path = Path(path)
    try:
        return parse_tables_policy(policy_text(path), path.parent, policy_options)
    except PolicyError as error:
        raise PolicyError(f"{path.name}: {error}") from None


def sources_of(policy: TablesPolicy, tables: Mapping[str, Any] | None) -> dict[str, Any]:
    """The file or the data frame of each table of a policy."""
    names = [each.name for each in policy.tables]
    for name in tables or {}:
        if name not in names:
            raise PolicyError(f"the policy has no table {name!r}.{suggestion(name, names)}")
    sources = {}
    for each in policy.tables:
        source = (tables or {}).get(each.name, each.source)
        if source is None:
            raise PolicyError(
                f'[tables.{each.name}]: it names no file; write path = "...", or pass '
                f'tables={{"{each.name}": ...}}'
            )
        sources[each.name] = Path(source) if isinstance(source, str) else source
    return sources
