"""The paper's problem: Adult, eight quasi-identifiers, income as the class."""

from __future__ import annotations

from functools import cache

from shoal.cost import METRICS
from shoal.datasets import adult_attributes, adult_path
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

AGES = {"one-year": None, "five-year": 5}
METRIC = {"DM": "discernibility", "CM": "classification", "LM": "general-loss"}
LIMITS = {"0": 0, "100": 100, "inf": None}


@cache
def adult_table(ages: str) -> FrequencyTable:
    with DuckDB() as engine:
        return engine.count(str(adult_path()), adult_attributes(age_bin=AGES[ages])).frequencies


def adult_problem(ages: str, metric: str, k: int, limit: str) -> Problem:
    return Problem(table=adult_table(ages), k=k, cost=METRICS[METRIC[metric]](), limit=LIMITS[limit])
