"""The seven recoding models in plain words: what a release may do to cells and rows."""

from __future__ import annotations

from shoal.studio.words._words import Description

RECODING_WORDS: dict[str, Description] = {
    "AG_TS": Description(
        "Whole columns, and rows",
        "AG_TS: columns become coarser, rows may be left out",
        "Every value of a column is released in one way; rows may be suppressed.",
        "The usual choice.",
    ),
    "AG_": Description(
        "Whole columns, all rows kept",
        "AG_: columns become coarser, no row is left out",
        "Every value of a column is released in one way, and no row is suppressed.",
        "When every person must stay in the release.",
    ),
    "AG_CS": Description(
        "Whole columns, and single cells",
        "AG_CS: columns become coarser, single cells blanked",
        "Every value of a column is released in one way, or is blanked in single rows.",
        "When you come from sdcMicro.",
    ),
    "CG_": Description(
        "Row by row",
        "CG_: each cell as coarse as its row needs",
        "Values are made coarser row by row. Loses least, but one column holds labels of several levels.",
        "When detail matters more than easy counting.",
    ),
    "_TS": Description(
        "Rows only",
        "_TS: rows left out, all else as it was",
        "Values stay as they are, or the row is suppressed.",
        "When values must not be changed.",
    ),
    "_AS": Description(
        "Columns only",
        "_AS: columns left out, all else as it was",
        "Whole columns are suppressed, the others stay as they are.",
        "When some columns can be given up.",
    ),
    "_CS": Description(
        "Cells only",
        "_CS: single cells blanked, all else as it was",
        "Values stay as they are, or are blanked cell by cell.",
        "When values must stay true and nearly complete.",
    ),
}
