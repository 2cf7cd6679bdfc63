"""What a run reads: the table it releases, and every file that must not be overwritten."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from shoal.engines.duckdb.files.several import sources
from shoal.errors import PolicyError
from shoal.files.pattern import is_pattern
from shoal.model.policy.policy import Policy
from shoal.model.table.engine_entry import engine_of_address
from shoal.model.table.file_source import FileSource, file_of, with_options
from shoal.model.table.table_source import TableSource

_NETWORK = re.compile(r"(https?|ftp|s3|gs|az|abfss?)://", re.IGNORECASE)


def source_of(source: Any, table: str | None, policy: Policy | None, *, described: bool = False) -> Any:
    """The table to read: the one passed to the call, or else the policy's own source.

    Parameters
    ----------
    source, table
        What the call passes.
    policy
        The policy, if there is one.
    described
        Whether what the policy says of its file holds for a passed file, too: not for a release.
    """
    if source is None and table is None and policy is not None:
        source = policy.source
    if source is None and table is not None:
        raise PolicyError("table names a table behind a connection: give that as the source, too")
    if source is None:
        raise PolicyError("there is no source: give a path or a data frame, or name it in the policy")
    if isinstance(source, os.PathLike) and not isinstance(source, FileSource):
        source = os.fspath(source)
    if table is not None:
        return TableSource(connection=source, table=table)
    if isinstance(source, str) and "://" in source and engine_of_address(source) is not None:
        raise PolicyError("name the table behind the connection: table=...")
    if isinstance(source, str) and _NETWORK.match(source):
        raise PolicyError("Shoal reads no file over the network; download it, and name the local file")
    if not described or policy is None or (policy.source is not None and file_of(source) is None):
        return source
    return with_options(source, policy.file)


def original_of(source: Any, policy: Policy | None) -> Any:
    """The table that a release was made from, read as the policy says; `None` stays `None`."""
    return source if policy is None or file_of(source) is None else with_options(source, policy.file)


def inputs_of(policy: Policy, source: object) -> dict[str, Path]:
    """The files that a release is made from, by what messages call them; none of them is overwritten."""
    inputs = {
        f"the hierarchy of {each.name!r}": each.hierarchy
        for each in policy.attributes
        if isinstance(each.hierarchy, Path)
    }
    if isinstance(policy.population, str | Path):
        inputs["the population"] = Path(policy.population)
    if policy.ledger is not None:
        inputs["the ledger"] = policy.ledger
    if policy.extend is not None:
        inputs["the release that is extended"] = policy.extend
    path = file_of(source)
    if path is None:
        return inputs
    files = sources(path)[0] if is_pattern(path) else [path]
    return {**{f"the source{'' if path == each else f' {each.name}'}": each for each in files}, **inputs}
