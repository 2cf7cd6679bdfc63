"""The survey, Fig. 9: one table and a 2-anonymous release of it by each of the seven models."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from shoal.algorithms.cells.cells import Cells
from shoal.auditor import model_failure
from shoal.cost import SuppressedCells
from shoal.engines.duckdb.engine import DuckDB, frequency_table
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from tests.agreement.cell_tables import optimum

COLUMNS = ("race", "dob", "sex", "zip")


def table(text: str) -> list[tuple[str, ...]]:
    """The rows of a table, one per line."""
    return [tuple(line.split()) for line in text.strip().splitlines()]


PRIVATE = table("""
    asian 64/04/12 F 94142
    asian 64/09/13 F 94141
    asian 64/04/15 F 94139
    asian 63/03/13 M 94139
    asian 63/03/18 M 94139
    black 64/09/27 F 94138
    black 64/09/27 F 94139
    white 64/09/27 F 94139
    white 64/09/27 F 94141
""")
DATES = sorted({row[1] for row in PRIVATE})
HIERARCHIES = {
    "race": Hierarchy(tuple((race, "person") for race in ("asian", "black", "white"))),
    "dob": Hierarchy(tuple((day, day[:5], day[:2], "*") for day in DATES)),
    "sex": Hierarchy((("F", "not released"), ("M", "not released"))),
    "zip": Hierarchy(tuple((zip_, zip_[:4] + "*", "941**") for zip_ in ("94138", "94139", "94141", "94142"))),
}
QUASI = [
    Attribute(name=name, role=Role.QUASI_IDENTIFIER, type="category", hierarchy=hierarchy)
    for name, hierarchy in HIERARCHIES.items()
]

# (b) lacks the second row.
FIGURES = {
    "AG_TS": table("""
        asian 64/04 F 941**
        asian 64/04 F 941**
        asian 63/03 M 941**
        asian 63/03 M 941**
        black 64/09 F 941**
        black 64/09 F 941**
        white 64/09 F 941**
        white 64/09 F 941**
    """),
    "AG_CS": table("""
        asian *     F *
        asian *     F *
        asian *     F *
        asian 63/03 M 9413*
        asian 63/03 M 9413*
        black 64/09 F 9413*
        black 64/09 F 9413*
        white 64/09 F *
        white 64/09 F *
    """),
    "AG_": table("""
        asian 64 F 941**
        asian 64 F 941**
        asian 64 F 941**
        asian 63 M 941**
        asian 63 M 941**
        black 64 F 941**
        black 64 F 941**
        white 64 F 941**
        white 64 F 941**
    """),
    "CG_": table("""
        asian 64       F 941**
        asian 64       F 941**
        asian 64       F 941**
        asian 63/03    M 94139
        asian 63/03    M 94139
        black 64/09/27 F 9413*
        black 64/09/27 F 9413*
        white 64/09/27 F 941**
        white 64/09/27 F 941**
    """),
    "_AS": table("""
        asian * F *
        asian * F *
        asian * F *
        asian * M *
        asian * M *
        black * F *
        black * F *
        white * F *
        white * F *
    """),
    "_CS": table("""
        asian *        F *
        asian *        F *
        asian *        F *
        asian *        M 94139
        asian *        M 94139
        *     64/09/27 F *
        *     64/09/27 F 94139
        *     64/09/27 F 94139
        *     64/09/27 F *
    """),
}


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_a_two_anonymous_release_of_its_model(name: str) -> None:
    """By the audit, which looks at the cells alone."""
    released = FIGURES[name]
    domains = frequency_table(pd.DataFrame(PRIVATE, columns=COLUMNS), QUASI).domains
    written = pd.DataFrame(released, columns=COLUMNS)
    with DuckDB() as engine:
        words, measured = engine.written_columns(written, domains), engine.measure(written, list(COLUMNS), 2)
    assert model_failure(RecodingModel(name), words, measured, len(PRIVATE)) is None
    assert min(Counter(released).values()) >= 2


@pytest.mark.parametrize("name", FIGURES)
def test_every_released_cell_of_a_figure_covers_its_value(name: str) -> None:
    """It is a label above the value, or tells nothing."""
    rows = [row for row in PRIVATE if name != "AG_TS" or row[1] != "64/09/13"]
    for row, released in zip(rows, FIGURES[name], strict=True):
        for value, label, hierarchy in zip(row, released, HIERARCHIES.values(), strict=True):
            above = next(labels for labels in hierarchy.rows if labels[0] == value)
            assert label in (*above, "*")


def test_no_row_survives_tuple_suppression() -> None:
    """Fig. 9 (f) is empty: no two rows are equal."""
    assert max(Counter(PRIVATE).values()) == 1


def test_figure_h_suppresses_two_cells_too_many() -> None:
    """It suppresses 14 cells of 36; 12 are enough."""
    assert sum(row.count("*") for row in FIGURES["_CS"]) == 14


@pytest.mark.parametrize(("k", "cells"), [(2, 12), (3, 21)])
def test_the_least_cell_suppression_is_found(k: int, cells: int) -> None:
    """By `cells`, and by brute force."""
    source = frequency_table(pd.DataFrame(PRIVATE, columns=COLUMNS), QUASI)
    problem = Problem(table=source, k=k, cost=SuppressedCells(), limit=0)
    result = Cells().solve(problem, Budget())
    assert (result.cost, result.status) == (cells, Status.OPTIMAL)
    assert optimum([tuple(row) for row in source.codes.tolist()], k) == cells
