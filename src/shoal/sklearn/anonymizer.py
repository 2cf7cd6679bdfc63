"""The transformer.

Decided (docs/decisions/0032): `transform` promises what a recoding can promise. The rows that were fitted are
k-anonymous, and audited. New rows are recoded in the same way, and whether k of them are alike depends on
them; `outside="suppress"` keeps them within the groups of the fitted rows, so that both together are
k-anonymous.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (  # type: ignore[import-untyped]  # it has no types
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils.validation import (  # type: ignore[import-untyped]
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from shoal.errors import PolicyError
from shoal.model.table.domain import Kind
from shoal.model.table.marks import SUPPRESSED
from shoal.sklearn.cells import Cells, cells_of
from shoal.sklearn.fitted_release import fitted_release
from shoal.sklearn.learned_column import OUTSIDE, LearnedColumn
from shoal.sklearn.learned_table import LearnedTable, Outside, Parts

if TYPE_CHECKING:
    from shoal.model.policy.policy_arguments import HierarchyLike

Output = Literal["label", "midpoint", "code"]

OUTPUTS = ("label", "midpoint", "code")
OUTSIDES = ("nearest", "suppress")


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns a k-anonymous recoding of all columns, and applies it to other rows.

    Every column of X is a quasi-identifier; choose some with a `ColumnTransformer`. Each column gets one
    recoding (levels of its hierarchy, or intervals of its order), with the least loss of detail that the
    search finds. What `transform` makes of the fitted table is the release that was audited. New rows are
    recoded in the same way, but **they are not k-anonymous by themselves**: whether k of them are alike
    depends on them. Audit what you publish. A fitted transformer knows every value of the fitted columns:
    treat it as confidential, like a manifest.

    Parameters
    ----------
    k
        Least rows of a group with the same labels.
    suppression
        Most rows that may be suppressed: a number, a share like "5%", or "unlimited".
    output
        What cells become: the "label" of a release, as in `[20, 29]`; the "midpoint" of numbers, and of dates
        in days since 1970, with codes for categories; or the "code" of the label, from 0 in the order of the
        column. Suppressed cells are `*`, or not a number.
    outside
        What happens to values that no label covers. "nearest": numbers and dates get the nearest label,
        which is then not true of them; other cells are suppressed. "suppress": the row is suppressed, and so
        is one whose labels no released group has; the fitted rows and the new ones are then k-anonymous
        together. Rows like those that were suppressed in `fit` are suppressed in any case.
    cost
        What to minimize; with "classification", y is the class that the labels should keep apart.
    types, orders, hierarchies
        By column, as in `shoal.anonymize`. Columns of an array are called x0, x1, and so on.
    algorithm
        The search; any with one recoding per column.
    seconds, nodes
        When to stop searching. A limit of nodes is the same on every machine.
    threads, seed
        Threads of the search, all by default; the seed of randomized searches.

    Attributes
    ----------
    verdict_
        What the audit measured in the fitted table as released.
    manifest_
        The facts of that release.
    columns_
        Per column what was learned: its parts and labels.
    n_features_in_, feature_names_in_
        As scikit-learn has them.

    Examples
    --------
    >>> from shoal.sklearn import Anonymizer
    >>> anonymizer = Anonymizer(k=3).fit([[20], [21], [22], [60], [61], [62]])
    >>> anonymizer.transform([[21], [90]]).tolist()
    [['[20, 22]'], ['[60, 62]']]
    >>> anonymizer.verdict_.k
    3
    """

    def __init__(
        self,
        k: int = 5,
        *,
        suppression: int | str = 0,
        output: Output = "label",
        outside: Outside = "nearest",
        cost: str = "general-loss",
        types: Mapping[str, Kind] | None = None,
        orders: Mapping[str, Sequence[Any]] | None = None,
        hierarchies: Mapping[str, HierarchyLike] | None = None,
        algorithm: str = "auto",
        seconds: float | None = 10.0,
        nodes: int | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.k = k
        self.suppression = suppression
        self.output = output
        self.outside = outside
        self.cost = cost
        self.types = types
        self.orders = orders
        self.hierarchies = hierarchies
        self.algorithm = algorithm
        self.seconds = seconds
        self.nodes = nodes
        self.threads = threads
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.cost == "classification"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the recoding of a table.

        Parameters
        ----------
        X
            A data frame of pandas or polars, or an array; a row per person.
        y
            Ignored, unless the cost is "classification".
        """
        self._check_parameters()
        cells = self._cells(X, reset=True)
        rows = len(cells[0].of_row)
        if rows < self.k:
            raise PolicyError(f"X has n_samples = {rows}, fewer than k = {self.k}: no row can hide among k")
        made, release = fitted_release(
            cells,
            self._class_of(y, rows),
            orders=self.orders,
            k=int(self.k),
            hierarchies=self.hierarchies,
            suppression=self.suppression,
            cost=self.cost,
            algorithm=self.algorithm,
            seconds=self.seconds,
            nodes=self.nodes,
            threads=self.threads,
            seed=self.seed,
        )
        self._table = LearnedTable.of(made, cells)
        self._table.check(cells, k=int(self.k), suppressed=release.verdict.measured.suppressed)
        self.columns_ = self._table.columns
        self.verdict_, self.manifest_ = release.verdict, release.manifest
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Recode rows as the fitted table was.

        Parameters
        ----------
        X
            Rows with the columns that were fitted.
        """
        check_is_fitted(self)
        self._check_parameters()
        cells = self._cells(X, reset=False)
        parts, suppressed = self._table.parts(cells, self.outside)
        parts[suppressed] = OUTSIDE
        shown = [self._shown(column, parts[:, place]) for place, column in enumerate(self.columns_)]
        return np.column_stack(shown)

    def _check_parameters(self) -> None:
        for name, value, allowed in (
            ("output", self.output, OUTPUTS),
            ("outside", self.outside, OUTSIDES),
        ):
            if value not in allowed:
                raise PolicyError(f"{name} is one of {', '.join(map(repr, allowed))}; it is {value!r}")
        if not isinstance(self.k, int | np.integer) or isinstance(self.k, bool) or self.k < 1:
            raise PolicyError(f"k is a whole number of at least 1; it is {self.k!r}")

    def _cells(self, X: Any, *, reset: bool) -> list[Cells]:
        """The columns of X; checked against what was fitted unless it is fitted now."""
        is_frame = hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "__getitem__")
        if is_frame and 0 not in X.shape:
            _check_names([str(name) for name in X.columns])
            validate_data(self, X, reset=reset, skip_check_array=True)
            columns = [X.iloc[:, place] if hasattr(X, "iloc") else X[:, place] for place in range(X.shape[1])]
        else:
            array = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
            columns = list(array.T)
        names = [str(name) for name in self.get_feature_names_out()]
        if reset:
            kinds = {name: kind for name, kind in (self.types or {}).items() if kind is not None}
        else:
            kinds = {column.name: column.kind for column in self.columns_}
        return [cells_of(name, column, kinds.get(name)) for name, column in zip(names, columns, strict=True)]

    def _class_of(self, y: Any, rows: int) -> list[str] | None:
        if self.cost != "classification":
            return None
        if y is None:
            raise ValueError(
                "cost='classification' requires y to be passed, but the target y is None: it is the class"
            )
        classes = column_or_1d(check_array(y, ensure_2d=False, dtype=None))
        if len(classes) != rows:
            raise ValueError(f"y has {len(classes):,} values, and X has {rows:,} rows")
        return [str(each) for each in classes.tolist()]

    def _shown(self, column: LearnedColumn, parts: Parts) -> NDArray[Any]:
        if self.output == "label":
            labels = np.array([*column.labels, SUPPRESSED], dtype=object)
            return labels[parts]
        numbers = column.midpoints if self.output == "midpoint" else column.codes
        return np.append(numbers, np.nan)[parts]


def _check_names(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PolicyError(f"two columns of X are called {twice!r}; rename one")
