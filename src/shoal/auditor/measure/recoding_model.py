"""Whether a release has the requested recoding model, judged by its cells alone."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.table.measurement import Measurement
from shoal.model.table.written_column import WrittenColumn


def model_failure(
    model: RecodingModel, words: Sequence[WrittenColumn], measured: Measurement, rows: int
) -> str | None:
    """Why a release is not of a model, in words; `None` if it is.

    Parameters
    ----------
    model
        The model.
    words
        What the cells of each quasi-identifier can represent.
    measured
        What else was measured of the release.
    rows
        Rows of the source.
    """
    for column in words:
        failure = _column_failure(model, column)
        if failure is not None:
            return f"it is not of the model {model}: column {column.column!r} {failure}"
    if model.suppresses != "rows":
        dropped = rows - measured.rows
        if dropped:
            return f"it is not of the model {model}: {dropped:,} row(s) were dropped, and it drops none"
        whole = measured.suppressed == measured.rows  # then it is the columns that are suppressed
        if measured.suppressed and not whole and model.suppresses != "cells" and model.generalizes != "cells":
            return f"it is not of the model {model}: {measured.suppressed:,} row(s) are suppressed"
    return None


def _column_failure(model: RecodingModel, words: WrittenColumn) -> str | None:
    if words.unreadable:
        return f"has {words.unreadable:,} cell(s) that neither its values nor its hierarchy know"
    if model.generalizes == "nothing" and any(len(codes) > 1 for codes in words.meanings):
        return "has a cell that is generalized"
    if model.generalizes == "attributes":
        codes = [code for codes in words.meanings for code in codes]
        if len(set(codes)) < len(codes):
            return "releases one value in two ways"
    if words.suppressed and words.meanings and model.suppresses != "cells" and model.generalizes != "cells":
        return "has some cells that are suppressed, and others that are not"
    if words.suppressed and model is RecodingModel.TS:
        return "is suppressed"
    return None
