"""The formats of a report, where a missing number was not measured."""

from __future__ import annotations

from functools import partial

from shoal.formatting import numbers

NOT_MEASURED = "not measured"
number = partial(numbers.number, missing=NOT_MEASURED)
share = partial(numbers.percent, missing=NOT_MEASURED)
odds = partial(numbers.odds, missing=NOT_MEASURED)
seconds = partial(numbers.seconds, missing=NOT_MEASURED)
