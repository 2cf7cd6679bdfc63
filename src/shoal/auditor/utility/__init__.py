"""What a release is still good for, measured against its original.

Distributions, means and tables with what the release leaves open, associations, counting queries, and models
that are trained on it. Works on any table. Reports only the labels of the release and figures: of the
original, means, quartiles and counts.
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
from shoal.auditor.utility.card import utility_card
from shoal.auditor.utility.compared_column import ComparedColumn, Numbers
from shoal.auditor.utility.contingency import Contingency, contingencies
from shoal.auditor.utility.distributions import ColumnUtility, column_utility
from shoal.auditor.utility.models import ModelUtility, classifier_utility, regressor_utility
from shoal.auditor.utility.queries import QueryUtility, query_utility
from shoal.auditor.utility.summaries import Figure, Summary, summary
from shoal.auditor.utility.training import Split
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.suggestion import suggestion
from shoal.model.table.number_text import number_of

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
    summaries
        Mean, median and quartiles of numbers and dates, with what the release leaves open.
    tables
        Tables of pairs of quasi-identifiers in coarse categories, likewise.
    weight
        The column of survey weights that summaries and tables count rows by, if there is one.
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
    summaries: tuple[Summary, ...] = ()
    tables: tuple[Contingency, ...] = ()
    weight: str | None = None

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
            "summaries": [each.to_dict() for each in self.summaries],
            "tables": [each.to_dict() for each in self.tables],
            "weight": self.weight,
        }

    def _repr_html_(self) -> str:
        return utility_card(self).html()


def utility(
    engine: Reads,
    release: Any,
    original: Any,
    policy: Policy,
    *,
    target: str | None = None,
    models: bool = True,
    key: str | None = None,
    weight: str | None = None,
    queries: int = QUERIES,
    sample: int = SAMPLE,
    seed: int = 0,
    original_engine: Reads | None = None,
    sets: ListedSets = NOT_LISTED,
    truthful: bool = True,
    shuffled: bool = False,
) -> Utility:
    """Measure what a release is still good for.

    Parameters
    ----------
    engine, release, original, policy, key, original_engine, sets
        As for `comparison`. The policy's class is what a classifier predicts.
    target
        The number that a regressor predicts; a column that is not recoded.
    weight
        The column of survey weights, which both tables must have; when absent, the policy's if both have it.
    truthful
        Whether cells are true of their rows: what means of groups enclose is not known.
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
    weighed = _weight_column(weight, policy, paired)
    weights = _weights(paired, weighed)
    figures = (
        summary(each, *weights)
        for each in shown
        if truthful and each.name not in (weighed, *policy.treatments)
    )
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
        summaries=tuple(each for each in figures if each is not None),
        tables=contingencies(quasi if truthful else (), *weights),
        weight=weighed,
    )


def _weight_column(stated: str | None, policy: Policy, paired: PairedRows) -> str | None:
    """The column of weights: the stated one, or that of the policy if both tables have it."""
    tables = paired.tables
    has = [name for name in tables.release.columns if name in tables.original.columns]
    if stated is None:
        return policy.survey_weight if policy.survey_weight in has else None
    if policy.role_of(stated) is Role.QUASI_IDENTIFIER:
        raise PolicyError(
            f"weight names {stated!r}, which is a quasi-identifier: its released cells are labels"
        )
    if stated not in has:
        raise PolicyError(
            f"weight names {stated!r}, and the release and the original have no such column in common."
            f"{suggestion(stated, has)}"
        )
    return stated


def _weights(paired: PairedRows, name: str | None) -> tuple[Numbers, Numbers]:
    """What each released row counts, and each original one; a masked row counts nothing."""
    tables = paired.tables
    if name is None:
        return np.ones(len(tables.release.codes)), np.ones(len(tables.original.codes))
    found = []
    for what, table in (("release", tables.release), ("original", tables.original)):
        numbers = [0 if text is None else number_of(text) for text in table.texts(name)]
        used = np.unique(table.column(name)).tolist()
        if any((each := numbers[code]) is None or each < 0 for code in used):
            raise PolicyError(
                f"weight: column {name!r} of the {what} has cells that are not numbers from 0 on; correct "
                "them, and write them plainly, like 12.5, or leave out the weight"
            )
        found.append(np.array([float(each or 0) for each in numbers])[table.column(name)])
    return found[0], found[1]


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
    "Contingency",
    "Figure",
    "ModelUtility",
    "PairUtility",
    "QueryUtility",
    "Summary",
    "Utility",
    "utility",
]
