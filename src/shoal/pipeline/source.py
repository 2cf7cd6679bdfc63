"""What a run reads: the table it releases, and every file that must not be overwritten."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.table.engine_entry import engine_of_address
from shoal.model.table.table_source import TableSource


def source_of(source: Any, table: str | None, policy: Policy | None) -> Any:
    """The table to read: the one passed to the call, or else the policy's own source."""
    if source is None and table is None and policy is not None:
        source = policy.source
    if source is None and table is not None:
        raise PolicyError("table names a table behind a connection: give that as the source, too")
    if source is None:
        raise PolicyError("there is no source: give a path or a data frame, or name it in the policy")
    source = os.fspath(source) if isinstance(source, os.PathLike) else source
    if table is not None:
        return TableSource(connection=source, table=table)
    if isinstance(source, str) and "://" in source and engine_of_address(source) is not None:
        raise PolicyError("name the table behind the connection: table=...")
    return source


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
    return {"the source": source, **inputs} if isinstance(source, Path) else inputs
