"""The tables and hierarchies that the papers' worked examples share."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.cost import CostMetric, Discernibility
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.level_problems import levelled_table

# The survey, Fig. 1: the nine rows t1..t9, without date of birth and disease.
from tests.papers.sweeney_tables import HIERARCHIES, PRIVATE

SURVEY_COLUMNS = ("Race", "Sex", "ZIP", "Marital status")
SURVEY_ROWS = [
    ("asian", "F", "94142", "divorced"),
    ("asian", "F", "94141", "divorced"),
    ("asian", "F", "94139", "married"),
    ("asian", "M", "94139", "married"),
    ("asian", "M", "94139", "married"),
    ("black", "F", "94138", "single"),
    ("black", "F", "94139", "single"),
    ("white", "F", "94139", "single"),
    ("white", "F", "94141", "widow"),
]

# The survey, Fig. 3.
SURVEY_HIERARCHIES = {
    "Race": [("asian", "person"), ("black", "person"), ("white", "person")],
    "Sex": [("F", "not released"), ("M", "not released")],
    "ZIP": [
        ("94138", "9413*", "941**"),
        ("94139", "9413*", "941**"),
        ("94141", "9414*", "941**"),
        ("94142", "9414*", "941**"),
    ],
    "Marital status": [
        ("married", "been married", "not released"),
        ("divorced", "been married", "not released"),
        ("widow", "been married", "not released"),
        ("single", "never married", "not released"),
    ],
}

# Sweeney, Fig. 2, 3 and 6, with the suppressed value on top; Fig. 6 is not legible below the year.
SWEENEY_ZIP = [
    ("02138", "0213*", "021**", "*****"),
    ("02139", "0213*", "021**", "*****"),
    ("02141", "0214*", "021**", "*****"),
    ("02142", "0214*", "021**", "*****"),
]

# Sweeney, Fig. 4: PT.
FIGURE_4_HIERARCHIES = {
    "Race": [("Black", "Person", "*****"), ("White", "Person", "*****")],
    "ZIP": SWEENEY_ZIP,
}
FIGURE_4_ROWS = [(race, leaf[0]) for race in ("Black", "White") for leaf in SWEENEY_ZIP]

# Sweeney, Fig. 7 and 9A: the twelve rows t1..t12.
FIGURE_9_ROWS = PRIVATE
FIGURE_9_HIERARCHIES = {
    title: list(hierarchy.rows)
    for title, hierarchy in zip(("Race", "BirthDate", "Gender", "ZIP"), HIERARCHIES.values(), strict=True)
}


def survey_table(*columns: str) -> FrequencyTable:
    """The nine rows on some columns."""
    places = [SURVEY_COLUMNS.index(column) for column in columns]
    return levelled_table(
        {column: SURVEY_HIERARCHIES[column] for column in columns},
        [[row[place] for place in places] for row in SURVEY_ROWS],
    )


def survey_problem(
    *columns: str, k: int = 2, limit: int | None = None, cost: CostMetric | None = None
) -> Problem:
    """The nine rows with k = 2, as the survey has it."""
    return Problem(table=survey_table(*columns), k=k, cost=cost or Discernibility(), limit=limit)


def row_number(table: FrequencyTable, row: Sequence[str]) -> int:
    """The number of a distinct row of a table."""
    texts = [
        tuple(domain.text(code) for domain, code in zip(table.domains, codes, strict=True))
        for codes in table.codes.tolist()
    ]
    return texts.index(tuple(row))
