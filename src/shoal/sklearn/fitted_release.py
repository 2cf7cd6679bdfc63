"""The release that `fit` makes: drafted, written to a data frame, and audited like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from shoal.engines.connection import using
from shoal.errors import PolicyError
from shoal.model.policy.policy_arguments import policy_of
from shoal.pipeline.draft import Draft, draft
from shoal.pipeline.plan import plan
from shoal.pipeline.publish import publish
from shoal.pipeline.release import Release
from shoal.sklearn.cells import Cells


def fitted_release(
    cells: Sequence[Cells],
    classes: Sequence[str] | None,
    *,
    orders: Mapping[str, Sequence[Any]] | None,
    **stated: Any,
) -> tuple[Draft, Release]:
    """Release some columns with one recoding for each.

    Parameters
    ----------
    cells
        The columns; all are quasi-identifiers.
    classes
        The class of each row, if the cost looks at it.
    orders
        Orders of categories, in place of those that the columns' types state.
    stated
        Further arguments of a policy.
    """
    names = [each.name for each in cells]
    data: dict[str, Any] = {each.name: each.values for each in cells}
    label = None
    if classes is not None:
        label = "class"
        while label in names:
            label += "_"
        data[label] = classes
    own = {each.name: each.order for each in cells if each.order is not None}
    policy = policy_of(
        quasi_identifiers=names,
        class_attribute=label,
        types={each.name: each.kind for each in cells},
        orders={**own, **(orders or {})},
        suppressed="mask",
        consistent=True,
        **stated,
    )
    frame = _frame(data)
    with using(None, frame, threads=policy.threads) as engine:
        table = engine.open(frame)
        made = draft(engine, table, plan(policy))
        return made, publish(engine, table, made, None, None)


def _frame(data: Mapping[str, Any]) -> Any:
    """A data frame for the engine, of whichever library is installed."""
    if find_spec("pandas") is not None:
        import pandas  # type: ignore[import-untyped]

        return pandas.DataFrame(dict(data))
    if find_spec("polars") is not None:
        import polars

        return polars.DataFrame(dict(data))
    if find_spec("pyarrow") is not None:
        import pyarrow  # type: ignore[import-untyped]

        return pyarrow.table(dict(data))
    raise PolicyError("the transformer needs pandas, polars or pyarrow; install one of them")
