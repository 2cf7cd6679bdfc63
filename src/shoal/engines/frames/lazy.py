"""Lazy frames of polars: collected once by their own engine; a lazy frame in gives a lazy frame out.

The plan of a lazy frame may read other rows each time it runs, so what is counted, released and audited is
one collected frame. The lazy frame that is handed out refers to the audited rows.
"""

from __future__ import annotations

import sys
from typing import Any

from shoal.errors import EngineError


def is_lazy(source: object) -> bool:
    """Whether a source is a lazy frame; polars is not imported for it."""
    return isinstance(source, getattr(sys.modules.get("polars"), "LazyFrame", ()))


def collected(source: Any) -> Any:
    """The rows of a lazy frame, by polars' streaming engine."""
    errors = sys.modules["polars"].exceptions.PolarsError
    try:
        return source.collect(engine="streaming")
    except errors as error:  # its message can quote cells
        raise EngineError(
            f"polars cannot collect the lazy frame ({type(error).__name__}); collect it yourself to see why"
        ) from None
