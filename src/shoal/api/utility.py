"""`shoal.utility`: what a release is still good for, measured against its original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.auditor.utility import QUERIES, SAMPLE, Utility
from shoal.auditor.utility import utility as measured
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.pipeline.check_manifest import is_shuffled, is_truthful, sets_of
from shoal.pipeline.opened import refuse_subset
from shoal.pipeline.placed_original import placed_original
from shoal.pipeline.source import source_of


@alongside_policy(
    *("original_table", "class_attribute", "target", "models", "key", "weight", "queries", "sample", "seed"),
    *("engine", "original_engine"),
)
@door
def utility(
    source: Any,
    *,
    original: Any = None,
    table: str | None = None,
    original_table: str | None = None,
    policy: Policy | str | Path | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    class_attribute: str | None = None,
    target: str | None = None,
    models: bool = True,
    key: str | None = None,
    weight: str | None = None,
    queries: int = QUERIES,
    sample: int = SAMPLE,
    seed: int = 0,
    engine: SqlEngine | None = None,
    original_engine: SqlEngine | None = None,
) -> Utility:
    """Measure how useful a release from any tool is, compared with its original.

    Parameters
    ----------
    source
        The release: a path, a data frame or, with `table`, a connection.
    original
        The table that it was made from, likewise; the policy's source when absent.
    table, original_table
        The tables behind connections: of the release, and of the original.
    policy
        The policy that the release was made by, or its file; or else name the columns.
    quasi_identifiers, sensitive, hierarchies
        The columns that are recoded, those that are kept, and whose labels the release has.
    class_attribute
        The column that a classifier predicts; the policy's class when a policy is given.
    target
        The column, of numbers, that a regressor predicts.
    models
        Whether to train models; they need scikit-learn.
    key
        A column that is different in every row of both tables, where rows were shuffled or have no order.
    weight
        The column of survey weights that means and tables count rows by; the policy's when absent.
    queries, sample, seed
        Random queries to run; the most rows to read for associations and models; the random seed.
    engine, original_engine
        Engines with other limits than the default; the second for the original, if it lives elsewhere.

    Examples
    --------
    >>> utility = shoal.utility("release.csv", original="stays.csv", policy="stays.toml", models=False)
    >>> utility.queries.median_error
    """
    stated = _policy(policy, quasi_identifiers, sensitive, hierarchies, class_attribute)
    released = source_of(source, table, stated)
    if original_table is not None and original is None:
        raise PolicyError("original_table names a table behind a connection: give that as original")
    if original is None and policy is None:
        raise PolicyError("utility is measured against the original: pass original=...")
    refuse_subset(stated, "a comparison with the original")
    private = source_of(original, original_table, stated, described=True)
    with ExitStack() as stack:
        if stated.unmade:
            private, made = stack.enter_context(placed_original(private, stated))
            stated, original_engine = made or stated, None
        opened = engine if engine is not None else stack.enter_context(engine_for(released))
        private_engine = (
            original_engine if original_engine is not None else stack.enter_context(engine_for(private))
        )
        return measured(
            opened,
            released,
            private,
            stated,
            target=target,
            models=models,
            key=key,
            weight=weight,
            queries=queries,
            sample=sample,
            seed=seed,
            original_engine=private_engine,
            sets=sets_of(opened, released),
            truthful=is_truthful(opened, released),
            shuffled=stated.order == "shuffle" or is_shuffled(opened, released),
        )


def _policy(
    policy: Policy | str | Path | None,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, HierarchyLike] | None,
    class_attribute: str | None,
) -> Policy:
    if policy is None:
        return policy_of(
            quasi_identifiers=quasi_identifiers,
            k=1,
            sensitive=sensitive,
            hierarchies=hierarchies,
            class_attribute=class_attribute,
        )
    stated = read_policy(policy) if isinstance(policy, str | os.PathLike) else policy
    if class_attribute is None:
        return stated
    # What a model should predict is a question about the release, not a demand on it.
    others = (
        attribute
        for attribute in stated.attributes
        if attribute.name != class_attribute and attribute.role is not Role.CLASS
    )
    return replace(stated, attributes=(*others, Attribute(name=class_attribute, role=Role.CLASS)))
