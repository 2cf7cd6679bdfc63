"""Opens, treats and counts each of several tables, and finds the persons in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines._base import Counted
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.policy.tables.linked_table import LinkedTable
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.file_source import file_of
from shoal.pipeline.draft import looked_for
from shoal.pipeline.placing import refuse_made
from shoal.pipeline.tables.forest import Forest, forest_of
from shoal.pipeline.tables.links import links_of
from shoal.pipeline.treating import Treated, treated, treatments_of
from shoal.treatments import SecretKey


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedTable:
    """One of the tables, ready for the search.

    Parameters
    ----------
    linked, policy
        What the policy says about it, and its policy by itself: keys have pseudonyms, rows are shuffled.
    path
        Its file; `None` for a data frame.
    treated
        The table as it is released but for its quasi-identifiers.
    counted
        How it was counted.
    parent_of
        For each row the row of the parent's table, if there is one.
    source_digest
        SHA-256 of the source.
    """

    linked: LinkedTable
    policy: Policy
    path: Path | None
    treated: Treated
    counted: Counted
    parent_of: NDArray[np.int64] | None
    source_digest: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """All tables, the persons in them, and what the user should look at."""

    tables: tuple[PreparedTable, ...]
    forest: Forest
    warnings: tuple[CodedWarning, ...]


def prepare(engine: DuckDB, policy: TablesPolicy, sources: Mapping[str, Any], secret: SecretKey) -> Prepared:
    """Read all tables; `PolicyError` if keys do not hold.

    Parameters
    ----------
    engine
        Where the tables are read.
    policy
        The request.
    sources
        For each table its file or data frame.
    secret
        Where pseudonyms and the order of rows come from.
    """
    opened = {each.name: engine.open(sources[each.name]) for each in policy.ordered}
    policies = {each.name: _policy(policy, each, opened[each.name].columns) for each in policy.ordered}
    cells = {
        each.name: engine.rows(
            opened[each.name],
            list(policy.linking(each, opened[each.name].columns)) or _any(opened[each.name]),
        )
        for each in policy.ordered
    }
    links_of(policy, cells)  # before anything is changed: errors speak of the source
    made: dict[str, Treated] = {}
    for name, own in policies.items():
        done = treated(engine, opened[name], own, secret, secret.bound("order of", name))
        assert done is not None, "keys are renewed and rows shuffled"
        made[name] = done
    shuffled = {name: each.lines(made[name].order) for name, each in cells.items()}
    links = links_of(policy, shuffled)
    counted = {name: engine.count(made[name].table, policies[name].attributes) for name in made}
    forest = forest_of(
        policy,
        links,
        {name: each.frequencies for name, each in counted.items()},
        {name: engine.distinct_rows(made[name].table, each) for name, each in counted.items()},
    )
    return Prepared(
        tables=tuple(
            PreparedTable(
                linked=each,
                policy=policies[each.name],
                path=file_of(sources[each.name]),
                treated=made[each.name],
                counted=counted[each.name],
                parent_of=links.parent_of.get(each.name),
                source_digest=engine.digest(opened[each.name], counted[each.name]),
            )
            for each in policy.ordered
        ),
        forest=forest,
        warnings=tuple(
            _about(name, warning)
            for name, own in policies.items()
            for warning in looked_for(engine, made[name].table, own, counted[name])
        ),
    )


def _policy(policy: TablesPolicy, table: LinkedTable, columns: tuple[str, ...]) -> Policy:
    """The policy of one table, checked against its columns."""
    own = policy.policy_of(table, columns)
    try:
        refuse_made(own, "a release of several tables")
        own.check_columns(columns)
        treatments_of(own)
    except PolicyError as error:
        raise PolicyError(f"table {table.name!r}: {error}") from None
    return own


def _any(table: Any) -> list[str]:
    """Any column: only the number of rows counts."""
    return list(table.columns[:1])


def _about(name: str, warning: CodedWarning) -> CodedWarning:
    """A warning that says which table it is about."""
    return CodedWarning(
        f"table {name!r}: {warning}",
        code=warning.code,
        columns=warning.columns,
        published=None if warning.published is None else f"table {name!r}: {warning.published}",
    )
