"""Trains models on released and on original rows, and lets both predict original ones.

Features are the quasi-identifiers. A word becomes the shares of its label's values, so that an original row
has a single 1; a number becomes the middle of its label and the shares of ten parts of its range. The width
of a label is no feature: every row of the test has width 0, so a model that used it would learn nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.original.pairing import NOBODY
from shoal.auditor.utility.compared_column import ComparedColumn, Numbers

FOLDS = 5
NUMBER_PARTS, WORD_PARTS = 11, 60

Model = Callable[[Numbers], tuple[NDArray[Any], Numbers | None]]
"""A trained model: from features to a prediction per row and, for classes, their probabilities."""


@dataclass(frozen=True, eq=False)
class Split:
    """The rows that models see.

    Parameters
    ----------
    originals, released
        Rows of each table.
    original_folds, released_folds
        In which test each of them is.
    paired
        Whether a released row is in the test of its original row.
    """

    originals: NDArray[np.int64]
    released: NDArray[np.int64]
    original_folds: NDArray[np.int64]
    released_folds: NDArray[np.int64]
    paired: bool

    @classmethod
    def of(
        cls,
        pairs: NDArray[np.int64] | None,
        released: int,
        originals: int,
        most: int,
        random: np.random.Generator,
    ) -> Split:
        """A random sample of the rows, in their order, in random folds."""
        chosen = np.sort(random.permutation(originals)[:most])
        folds = random.permutation(np.arange(originals) % FOLDS)
        rows = np.arange(released)
        if pairs is None:
            some = np.sort(random.permutation(released)[: most * released // max(1, originals)])
            return cls(chosen, some, folds[chosen], random.permutation(len(some)) % FOLDS, False)
        inside = np.zeros(originals + 1, np.bool_)
        inside[chosen] = True
        some = rows[inside[pairs] & (pairs != NOBODY)]
        return cls(chosen, some, folds[chosen], folds[pairs[some]], True)


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model predicts for each row: a value and, for two classes, how likely the second is."""

    values: NDArray[Any]
    odds: Numbers


@dataclass(frozen=True, eq=False)
class Predicted:
    """Each original row that has a value: the value, its fold, and what each model predicts.

    The baseline is trained on original rows and knows only their values.
    """

    truth: NDArray[Any]
    folds: NDArray[np.int64]
    original: Predictions
    released: Predictions
    baseline: Predictions


def cross_validated(
    columns: Sequence[ComparedColumn],
    split: Split,
    truth: NDArray[Any],
    released_values: NDArray[Any],
    trained: Callable[[Numbers, NDArray[Any]], Model],
    has_original: NDArray[np.bool_],
    has_released: NDArray[np.bool_],
) -> Predicted:
    """Train and test on all folds.

    Parameters
    ----------
    columns, split
        The features, and the rows.
    truth, released_values
        What is to be predicted, of original and of released rows.
    trained
        Trains a model; without a feature it knows only the values.
    has_original, has_released
        The original and released rows that have a value.
    """
    released, original = _features(columns, split)
    answers = [Predictions(np.zeros_like(truth), np.full(len(truth), 0.5)) for _ in range(3)]
    for fold in range(FOLDS):
        tested = has_original & (split.original_folds == fold)
        own = has_original & (split.original_folds != fold)
        other = has_released & (split.released_folds != fold)
        if not tested.any() or not own.any():
            continue
        nothing = (original[own][:, :0], truth[own])
        trainings = [
            (original[own], truth[own]),
            (released[other], released_values[other]) if other.any() else nothing,
            nothing,
        ]
        for answer, (features, values) in zip(answers, trainings, strict=True):
            varied = np.flatnonzero(np.ptp(features, axis=0) > 1e-9)  # others would only blur the answer
            model = trained(features[:, varied], values)
            answer.values[tested], shares = model(original[tested][:, varied])
            if shares is not None:
                answer.odds[tested] = shares[:, -1]
    return Predicted(
        truth[has_original],
        split.original_folds[has_original],
        *(Predictions(each.values[has_original], each.odds[has_original]) for each in answers),
    )


def _features(columns: Sequence[ComparedColumn], split: Split) -> tuple[Numbers, Numbers]:
    """Features of released rows and of original ones, in the same columns."""
    released, original = [np.zeros((len(split.released), 0))], [np.zeros((len(split.originals), 0))]
    for column in columns:
        positions = column.read.positions
        of_point, parts = column.parts(WORD_PARTS if positions is None else NUMBER_PARTS)
        points = column.points[split.originals]
        labels = column.released[split.released]
        original.append(np.eye(parts)[of_point[points]])
        released.append(column.memberships(of_point, parts)[labels])
        if positions is not None:
            own = np.append(positions, 0.5)  # the missing value lies in the middle
            original.append(own[np.minimum(points, len(positions))][:, None])
            released.append(column.middles[labels][:, None])
    return np.hstack(released), np.hstack(original)
