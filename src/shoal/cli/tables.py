"""`shoal anonymize` and `shoal audit` of several linked tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.cli import arguments
from shoal.cli.console import INTERRUPTED, print_json, say
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.policy.budget import stated_seconds
from shoal.model.policy.tables.tables_toml import has_several_tables

if TYPE_CHECKING:
    from shoal.model.policy.tables.tables_policy import TablesPolicy

_TAKEN = ("consistent", "algorithm", "threads", "seed", "strict")
_BUDGET = ("seconds", "nodes", "gap")


def is_for_several(path: str | Path) -> bool:
    """Whether a file is a policy for several tables; what cannot be read is reported where it is."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        return False
    try:
        return has_several_tables(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False


def is_of_several(folder: Path) -> bool:
    """Whether a folder is a release of several tables, by its manifest."""
    # Imported here, like all that needs NumPy.
    from shoal.model.result.manifest import manifest_path
    from shoal.model.result.tables_manifest import tables_facts

    try:
        return folder.is_dir() and tables_facts(manifest_path(folder).read_text(encoding="utf-8")) is not None
    except (OSError, ValueError):
        return False


def release_tables(
    path: Path,
    stated: Mapping[str, Any],
    refused: Mapping[str, Any],
    *,
    memory: str | None,
    search_memory: str | None,
    temp_directory: Path | None,
    key_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Release the tables of a policy file.

    Parameters
    ----------
    path
        The policy.
    stated
        The flags that go with a policy file, by keyword.
    refused
        Those that do not, by their names.
    memory, search_memory, temp_directory, key_file, as_json, quiet
        As for `shoal anonymize`.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.anonymize_tables import anonymize_tables, read_tables_policy
    from shoal.cli.progress import ProgressLine
    from shoal.engines.duckdb.engine import DEFAULT_MEMORY, DuckDB
    from shoal.pipeline.tables.release import tables_lines

    refuse_alongside_policy(refused)
    policy = _with_flags(read_tables_policy(path), stated)
    engine = DuckDB(
        memory=memory or DEFAULT_MEMORY,
        threads=policy.threads,
        temp_directory=temp_directory,
        search_memory=search_memory,
    )
    with engine, ProgressLine(quiet=quiet, cost=policy.cost) as progress:
        try:
            warnings.simplefilter("ignore", ShoalWarning)  # printed below, as lines of the command
            release = anonymize_tables(policy, engine=engine, on_progress=progress, key_file=key_file)
        except KeyboardInterrupt:
            say("shoal: interrupted; nothing was published")
            raise typer.Exit(INTERRUPTED) from None
    if not quiet:
        for line in tables_lines(release):
            say(line)
    for warning in release.warnings:
        say(f"shoal: warning: {warning}")
    if as_json:
        typer.echo(release.manifest.to_json(), nl=False)
    if release.interrupted:
        say("shoal: the search was interrupted; the best answer so far was released, and its audit holds")
        raise typer.Exit(INTERRUPTED)


def _with_flags(policy: TablesPolicy, stated: Mapping[str, Any]) -> TablesPolicy:
    """The policy with the settings of flags in place of its own."""
    given = {name: value for name, value in stated.items() if value is not None and value is not False}
    for name in given:
        if name not in (*_TAKEN, *_BUDGET, "path", "options"):
            raise PolicyError(f"{name} is for a single table, and the policy has several; leave it out")
    limits = {name: given[name] for name in _BUDGET if name in given}
    if "seconds" in limits:
        limits["seconds"] = stated_seconds(arguments.seconds(limits["seconds"]))
    elif "nodes" in limits and policy.budget.assumed:
        limits["seconds"] = None
    if "seconds" in limits:
        limits["assumed"] = False
    changed: dict[str, Any] = {name: given[name] for name in _TAKEN if name in given}
    if "options" in given:
        changed["options"] = {**policy.options, **arguments.options(given["options"])}
    if "path" in given:
        changed["release"] = Path(given["path"])
    return replace(policy, budget=replace(policy.budget, **limits), **changed)


def audit_folder(
    folder: Path,
    policy: Path | None,
    refused: Mapping[str, Any],
    *,
    memory: str | None,
    temp_directory: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure a folder of several tables; the exit code is that of `shoal audit`.

    Parameters
    ----------
    folder, policy
        The folder, and the policy, if one is named.
    refused
        Flags that are for a single table, by their names.
    memory, temp_directory, as_json, quiet
        As for `shoal audit`.
    """
    from shoal.api.audit_tables import audit_tables
    from shoal.engines.duckdb.engine import DEFAULT_MEMORY, DuckDB

    for name, value in refused.items():
        if value:
            raise PolicyError(f"{name} is for a single table, and several are measured; leave it out")
    with DuckDB(memory=memory or DEFAULT_MEMORY, temp_directory=temp_directory) as engine:
        audited = audit_tables(folder, policy=policy, engine=engine)
    if as_json:
        print_json(audited.to_dict())
    if not quiet:
        for line in audited.lines():
            say(line)
    if not audited.meets:
        raise AuditError(". Also ".join(audited.failures))
