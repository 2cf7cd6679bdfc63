"""What a release is still good for, measured against its original.

Distributions, associations, counting queries, and models that are trained on it. Works on any table. Reports
only the labels of the release and numbers; no value of the original that the release does not have.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.auditor.original.column_check import ReadColumn
from shoal.auditor.original.paired_rows import PairedRows, Reads, paired_rows, untrue_rows
from shoal.auditor.original.pairing import NOBODY
from shoal.auditor.utility.association import PairUtility, pair_utilities
from shoal.auditor.utility.compared_column import ComparedColumn
from shoal.auditor.utility.distributions import ColumnUtility, column_utility
from shoal.auditor.utility.models import ModelUtility, classifier_utility, regressor_utility
from shoal.auditor.utility.queries import QueryUtility, query_utility
from shoal.auditor.utility.training import Split
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.suggestion import suggestion

QUERIES = 500
MOST_QUERIES = 1_000_000
SAMPLE = 10_000
MOST_CELLS = 100
"""Columns without a role are measured if they have no more distinct cells: others are names or texts."""


@dataclass(frozen=True, kw_only=True)
class Utility:
    """What a release is still good for.

    Parameters
    ----------
    rows, originals
        Released rows, and original ones.
    columns
        The distribution of each column, before and after.
    pairs
        How strongly columns are associated.
    queries
        Errors of counting queries over quasi-identifiers.
    classifier, regressor
        Models that predict the class and the target; `None` if none is named.
    sample, seed
        How many rows at most were used for pairs and models, and the seed of the random choices.
    matched_by
        How released rows were paired with original ones; `None` if they could not be.
    """

    rows: int
    originals: int
    columns: tuple[ColumnUtility, ...]
    pairs: tuple[PairUtility, ...]
    queries: QueryUtility
    classifier: ModelUtility | None
    regressor: ModelUtility | None
    sample: int
    seed: int
    matched_by: str | None

    @property
    def mean_change(self) -> float | None:
        """The mean change of an association between two columns."""
        return float(np.mean([abs(each.after - each.before) for each in self.pairs])) if self.pairs else None

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "rows": self.rows,
            "originals": self.originals,
            "columns": [each.to_dict() for each in self.columns],
            "association": {
                "pairs": [each.to_dict() for each in self.pairs],
                "mean_change": self.mean_change,
            },
            "queries": self.queries.to_dict(),
            "classifier": None if self.classifier is None else self.classifier.to_dict(),
            "regressor": None if self.regressor is None else self.regressor.to_dict(),
            "sample": self.sample,
            "seed": self.seed,
            "matched_by": self.matched_by,
        }


def utility(
    engine: Reads,
    release: Any,
    original: Any,
    policy: Policy,
    *,
    target: str | None = None,
    models: bool = True,
    key: str | None = None,
    queries: int = QUERIES,
    sample: int = SAMPLE,
    seed: int = 0,
    original_engine: Reads | None = None,
    sets: ListedSets = NOT_LISTED,
    shuffled: bool = False,
) -> Utility:
    """Measure what a release is still good for.

    Parameters
    ----------
    engine, release, original, policy, key, original_engine, sets
        As for `comparison`. The policy's class is what a classifier predicts.
    target
        The number that a regressor predicts; a column that is not recoded.
    models
        Whether to train a classifier where the policy has a class, and a regressor where a target is named.
    queries
        How many random queries to run, at most a million.
    sample
        The most rows to use for associations and models.
    seed
        What makes the random choices.
    shuffled
        Whether the rows of the release are known to be in another order; without a key they are not paired.
    """
    for what, number, least in (("queries", queries, 0), ("sample", sample, 10), ("seed", seed, 0)):
        if not isinstance(number, int) or isinstance(number, bool) or number < least:
            raise PolicyError(f"{what} must be a whole number of at least {least}; it is {number!r}")
    if queries > MOST_QUERIES:
        raise PolicyError(f"at most {MOST_QUERIES:,} random queries can run; {queries:,} are too many")
    paired = paired_rows(
        engine, release, original, policy, key=key, original_engine=original_engine, sets=sets
    )
    label = next((each.name for each in policy.attributes if each.role is Role.CLASS), None)
    if models:
        for name in (label, target):
            _check_kept(name, policy, paired.tables.release.columns)
    columns = _compared_columns(paired, policy, target, key)
    quasi = [each for each in columns.values() if policy.role_of(each.name) is Role.QUASI_IDENTIFIER]
    random = np.random.default_rng(seed)
    split = _split(paired, sample, random, policy.treatments, may_pair=key is not None or not shuffled)
    shown = [each for name, each in columns.items() if name != key]
    return Utility(
        rows=len(paired.tables.release.codes),
        originals=len(paired.tables.original.codes),
        columns=tuple(column_utility(each) for each in shown),
        pairs=tuple(pair_utilities(shown, split.released, split.originals)),
        queries=query_utility(quasi, queries, random),
        classifier=classifier_utility(quasi, columns[label], split) if models and label is not None else None,
        regressor=regressor_utility(quasi, columns[target], split) if models and target is not None else None,
        sample=sample,
        seed=seed,
        matched_by=paired.matched_by if split.paired else None,
    )


def _split(
    rows: PairedRows, sample: int, random: np.random.Generator, treated: Collection[str], *, may_pair: bool
) -> Split:
    """The sample; rows count as paired if most are, and with equal kept cells: others were shuffled."""
    mismatched = rows.pairs == NOBODY
    for name in rows.tables.kept:
        if name not in treated:
            mismatched[untrue_rows(rows.tables, rows.pairs, name)] = True
    paired = may_pair and 2 * int(mismatched.sum()) <= len(mismatched)
    return Split.of(
        rows.pairs if paired else None,
        len(rows.pairs),
        len(rows.tables.original.codes),
        sample,
        random,
    )


def _compared_columns(
    paired: PairedRows, policy: Policy, target: str | None, key: str | None
) -> dict[str, ComparedColumn]:
    """The columns that are measured, in the order of the release."""
    release, original = paired.tables.release, paired.tables.original
    attributes = {each.name: each for each in policy.attributes}
    columns = {}
    for name in release.columns:
        attribute = attributes.get(name, Attribute(name=name))
        wanted = name == target or attribute.role not in (Role.IDENTIFIER, Role.OTHER)
        if not wanted and (name == key or attribute.role is Role.IDENTIFIER):
            continue
        if not wanted and len(release.texts(name)) > MOST_CELLS:
            continue
        column = paired.tables.columns[name]
        if not isinstance(column, ReadColumn):
            rows = np.bincount(original.column(name), minlength=len(original.texts(name)))
            column = ReadColumn(attribute, release.texts(name), original.texts(name), rows.astype(np.int64))
        columns[name] = ComparedColumn(name, column, release.column(name), original.column(name))
    return columns


def _check_kept(name: str | None, policy: Policy, columns: Sequence[str]) -> None:
    if name is None:
        return
    if policy.role_of(name) is Role.QUASI_IDENTIFIER:
        raise PolicyError(
            f"{name!r} is a quasi-identifier: its released cells are labels, which no model can "
            "predict; name a column that is kept as it was"
        )
    if name not in columns:
        raise PolicyError(
            f"the release and the original have no column {name!r} in common, so nothing can be trained to "
            f"predict it.{suggestion(name, columns)}"
        )


__all__ = [
    "QUERIES",
    "SAMPLE",
    "ColumnUtility",
    "ModelUtility",
    "PairUtility",
    "QueryUtility",
    "Utility",
    "utility",
]
