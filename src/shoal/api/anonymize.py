"""The front door: a table and what is asked of it in, a release out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import LeakWarning, PolicyError, ShoalWarning
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.coded_warning import LEAK_CODES
from shoal.model.table.domain import Kind, Value
from shoal.model.table.table_source import release_place
from shoal.pipeline.plan import source_of
from shoal.pipeline.release import Release, release


@door
@alongside_policy("path", "ledger", "require_optimal", "strict", "on_progress", "engine")
def anonymize(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    class_attribute: str | None = None,
    identifiers: Sequence[str] = (),
    other: Sequence[str] = (),
    types: Mapping[str, Kind] | None = None,
    bins: Mapping[str, int | float] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    weights: Mapping[str, int | float] | None = None,
    sets: Sequence[Sequence[str]] = (),
    models: Sequence[Any] = (),
    entity: str | None = None,
    survey_weight: str | None = None,
    population: Any = None,
    cost: str | None = None,
    suppression: int | str = "unlimited",
    model: str | None = None,
    algorithm: str = "auto",
    options: Mapping[str, object] | None = None,
    accept_unverified: bool = False,
    seconds: float | None = None,
    nodes: int | None = None,
    gap: float | None = None,
    threads: int | None = None,
    seed: int = 0,
    path: str | Path | None = None,
    suppressed: SuppressedRows = "drop",
    attacks: Mapping[str, float] | None = None,
    ledger: str | Path | None = None,
    require_optimal: bool = False,
    strict: bool = False,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
) -> Release:
    """Release a table so that every row hides among at least k - 1 others, at the least loss of detail.

    Nothing is published unless the audit of what was written holds. Ctrl-C ends the search, not the call: the
    best recoding so far is released, and `release.result.interrupted` says so.

    Parameters
    ----------
    source
        A CSV, TSV or Parquet path, a folder of Parquet files, a pandas, polars or pyarrow table, a relation
        of DuckDB, a data frame of Spark; with `table` the URL of a database or an open connection to it; the
        policy's own source when absent.
    table
        The table behind a connection, with its schema if it needs one.
    policy
        A whole request, or its file; only `path`, `ledger` and what follows go with it.
    quasi_identifiers
        The columns that others may know of a person. They are recoded.
    k
        Least size of a group of rows with the same quasi-identifiers.
    sensitive, class_attribute, identifiers, other
        Columns with these roles; identifiers are dropped. Columns that are not named have the role "other",
        too; to name one there says that it is released as it is on purpose, and nothing is warned of.
    types, bins, orders, hierarchies
        Per quasi-identifier: its type, the width of bins, the order of its values, its hierarchy: a file, a
        `Hierarchy`, a `Recipe` to build one, or a tree as nested dictionaries. All but bins also of sensitive
        columns.
    levels, weights
        Per quasi-identifier: the least and the greatest level that is allowed (`None` for its top), and what
        its cells weigh in costs that are means over cells.
    sets
        Quasi-identifiers that others know apart from each other, each a list of columns (Datafly).
    models
        Further privacy models, each a dictionary like `{"name": "k-map", "k": 5}` or one of `shoal.privacy`.
    entity
        The column that tells persons apart, where one person has several rows: k persons are demanded then.
    survey_weight, population
        For k-map and delta-presence: the column that says how many people a row stands for, or the table of
        the population, a path or a data frame.
    cost
        What to minimize: "discernibility", unless `model` implies another; "classification",
        "general-loss", "ncp", "entropy", "suppressed-cells"; over levels
        also "precision", "height", "relative-height", "groups", "average-group-size", "suppressed-rows".
    suppression
        Most rows that may be suppressed: a number, a share like "5%", or "unlimited".
    model
        The recoding model that the release must be of, by its name in the survey's taxonomy: "AG_TS",
        "AG_CS", "AG_", "CG_", "_TS", "_AS" or "_CS". It decides what "auto" is.
    algorithm, options, seconds, nodes, gap, threads, seed
        The search, the algorithm's own options, and its budget.
    accept_unverified
        Publish a release whose audit does not hold. Only mu-Argus asks for it.
    path
        The file to write, or the name of a table to make where the source lives; needed when the source is a
        file or a table.
    suppressed
        "drop" suppressed rows, or "mask" them: kept as rows of `*` without any other cell.
    attacks
        Per attack the highest success rate, 0 to 1, that the policy allows. "composition" is measured before
        the release is published, if a ledger is kept.
    ledger
        The file in which releases are written down. Earlier releases that this one can be combined with are
        told of; with a policy it replaces the policy's.
    require_optimal
        Raise `NotProvedError` unless the release is proved optimal.
    strict
        Raise `AuditError` and publish nothing if there is a warning; with a policy also if that says so.
    on_progress
        Called with a `Progress` now and then while the search runs.
    engine
        An engine with other limits than the default, as in `DuckDB(memory="4GB")`, for files and data frames.
    """
    asked: dict[str, Any] = {
        "quasi_identifiers": quasi_identifiers,
        "k": k,
        "sensitive": sensitive,
        "class_attribute": class_attribute,
        "identifiers": identifiers,
        "other": other,
        "types": types,
        "bins": bins,
        "orders": orders,
        "hierarchies": hierarchies,
        "levels": levels,
        "weights": weights,
        "sets": sets,
        "models": models,
        "entity": entity,
        "survey_weight": survey_weight,
        "population": population,
        "cost": cost,
        "suppression": suppression,
        "model": model,
        "algorithm": algorithm,
        "options": options,
        "accept_unverified": accept_unverified,
        "seconds": seconds,
        "nodes": nodes,
        "gap": gap,
        "threads": threads,
        "seed": seed,
        "suppressed": suppressed,
        "attacks": attacks,
    }
    if policy is None:
        if quasi_identifiers is None or k is None:
            raise PolicyError("name the quasi_identifiers and k, or give a policy")
        policy = policy_of(**asked)
    else:
        policy = policy if isinstance(policy, Policy) else read_policy(policy)
    source = source_of(source, table, policy)
    if path is not None:
        policy = replace(policy, release=release_place(path, source))
    if ledger is not None:
        policy = replace(policy, ledger=Path(ledger))
    if strict:
        policy = replace(policy, strict=True)
    # An engine that was handed in stays open: it is the caller's.
    with nullcontext(engine) if engine is not None else engine_for(source, threads=policy.threads) as opened:
        released = release(
            source, policy, engine=opened, require_optimal=require_optimal, on_progress=on_progress
        )
    for warning in released.warnings:
        category = LeakWarning if warning.code in LEAK_CODES else ShoalWarning
        warnings.warn(warning, category, stacklevel=4)  # past what stands before the door
    return released
