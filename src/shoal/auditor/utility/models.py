"""A classifier and a regressor that are trained on released rows and tested on original ones.

Models are linear (logistic regression, ridge) in what `training` makes of the quasi-identifiers: shares of
labels mean something to them, where trees would cut them. Each row is tested once, by models whose training
had neither it nor, where rows are paired, its released row.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.utility.compared_column import ComparedColumn, Numbers
from shoal.auditor.utility.training import FOLDS, Model, Predicted, Predictions, Split, cross_validated
from shoal.errors import PolicyError
from shoal.model.table.number_text import number_of

MOST_CLASSES = 50


@dataclass(frozen=True, kw_only=True)
class ModelUtility:
    """How well a model predicts original rows.

    Parameters
    ----------
    target
        What it predicts.
    score
        What is measured: "accuracy", or "R2".
    original, released, baseline
        The score of the model that was trained on original rows, of the one that was trained on released
        rows, and of one that knows only the most frequent class, or the mean.
    also, original_also, released_also
        A second score and its name: area under the ROC curve of two classes, mean absolute error of numbers.
    rows
        Original rows that were tested.
    paired
        Whether a released row was kept from the test of its own original row.
    """

    target: str
    score: str
    original: float
    released: float
    baseline: float
    also: str | None = None
    original_also: float | None = None
    released_also: float | None = None
    rows: int
    paired: bool

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        second = None
        if self.also is not None:
            second = {"name": self.also, "original": self.original_also, "released": self.released_also}
        return {
            "target": self.target,
            "score": self.score,
            "original": self.original,
            "released": self.released,
            "baseline": self.baseline,
            "also": second,
            "rows": self.rows,
            "folds": FOLDS,
            "paired": self.paired,
        }


def classifier_utility(
    columns: Sequence[ComparedColumn], target: ComparedColumn, split: Split
) -> ModelUtility:
    """Predict a class."""
    linear_model, metrics, limits = _sklearn()
    texts = dict.fromkeys(text for text in (*target.read.values, *target.read.cells) if text is not None)
    number = {text: code for code, text in enumerate(sorted(texts))}
    known = np.array([-1 if text is None else number[text] for text in target.read.values], np.int64)
    codes = np.array([-1 if text is None else number[text] for text in target.read.cells], np.int64)
    truth, released = known[target.original[split.originals]], codes[target.released[split.released]]
    classes = np.unique(truth[truth >= 0])
    released = np.where(np.isin(released, classes), released, -1)
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise PolicyError(
            f"column {target.name!r} has {len(classes):,} values; a classifier distinguishes 2 to "
            f"{MOST_CLASSES}. Name another class, or a number as target of a regressor"
        )

    def trained(features: Numbers, values: NDArray[Any]) -> Model:
        if not features.shape[1] or len(np.unique(values)) < 2:
            often = np.bincount(values).argmax()
            return lambda tested: (np.full(len(tested), often), None)
        # Of two classes Newton's method takes a few steps; of many its matrix would be too large.
        solver = "newton-cholesky" if len(classes) == 2 else "lbfgs"
        model = linear_model.LogisticRegression(solver=solver, max_iter=200)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one that has not converged after 200 steps is near enough
            model.fit(features, values)
        return lambda tested: (model.predict(tested), model.predict_proba(tested))

    with limits(limits=1):  # sums in another order would give other last digits
        predicted = cross_validated(columns, split, truth, released, trained, truth >= 0, released >= 0)
    two = len(classes) == 2
    return ModelUtility(
        target=target.name,
        score="accuracy",
        original=float(metrics.accuracy_score(predicted.truth, predicted.original.values)),
        released=float(metrics.accuracy_score(predicted.truth, predicted.released.values)),
        baseline=float(metrics.accuracy_score(predicted.truth, predicted.baseline.values)),
        also="ROC AUC" if two else None,
        original_also=_area(metrics, predicted, predicted.original, classes[1]) if two else None,
        released_also=_area(metrics, predicted, predicted.released, classes[1]) if two else None,
        rows=len(predicted.truth),
        paired=split.paired,
    )


def regressor_utility(
    columns: Sequence[ComparedColumn], target: ComparedColumn, split: Split
) -> ModelUtility:
    """Predict a number."""
    linear_model, metrics, limits = _sklearn()
    truth = _numbers(target.read.values)[target.original[split.originals]]
    released = _numbers(target.read.cells)[target.released[split.released]]
    if np.isfinite(truth).sum() < 2 * FOLDS or target.read.kind != "number":
        raise PolicyError(
            f"column {target.name!r} is to be predicted as a number, but is not one or has too few; name a "
            "column of numbers, or a class (--class) for a classifier"
        )

    def trained(features: Numbers, values: NDArray[Any]) -> Model:
        if not features.shape[1]:
            mean = values.mean()
            return lambda tested: (np.full(len(tested), mean), None)
        model = linear_model.Ridge(alpha=1.0).fit(features, values)
        return lambda tested: (model.predict(tested), None)

    with limits(limits=1):  # sums in another order would give other last digits
        predicted = cross_validated(
            columns, split, truth, released, trained, np.isfinite(truth), np.isfinite(released)
        )
    return ModelUtility(
        target=target.name,
        score="R2",
        original=float(metrics.r2_score(predicted.truth, predicted.original.values)),
        released=float(metrics.r2_score(predicted.truth, predicted.released.values)),
        baseline=float(metrics.r2_score(predicted.truth, predicted.baseline.values)),
        also="mean absolute error",
        original_also=float(metrics.mean_absolute_error(predicted.truth, predicted.original.values)),
        released_also=float(metrics.mean_absolute_error(predicted.truth, predicted.released.values)),
        rows=len(predicted.truth),
        paired=split.paired,
    )


def _numbers(texts: Sequence[str | None]) -> Numbers:
    numbers = [None if text is None else number_of(text) for text in texts]
    return np.array([np.nan if number is None else float(number) for number in numbers])


def _area(metrics: Any, predicted: Predicted, classes: Predictions, positive: int) -> float | None:
    """Area under the ROC curve: the mean over folds, whose models rank rows on scales of their own."""
    areas = []
    for fold in range(FOLDS):
        tested = predicted.folds == fold
        truth = predicted.truth[tested] == positive
        if 0 < truth.sum() < len(truth):
            areas.append(metrics.roc_auc_score(truth, classes.odds[tested]))
    return float(np.mean(areas)) if areas else None


def _sklearn() -> tuple[Any, Any, Any]:
    # Imported here: only training models needs scikit-learn.
    try:
        from sklearn import linear_model, metrics  # type: ignore[import-untyped]  # it has no types
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise PolicyError(
            "models are trained with scikit-learn, which is not installed: pip install 'shoal[utility]'. "
            "Without models (models=False, --no-models) nothing else needs it"
        ) from None
    return linear_model, metrics, threadpool_limits
