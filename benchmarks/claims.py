"""Insurance claims of many persons: a generated table that DuckDB writes as Parquet, in seconds.

Nobody in it exists. Birth year, sex and region are a person's own; quarter, diagnosis group, provider and
cost band are those of a claim. Who is chronically ill has more claims, and most of them with one diagnosis.
Claims are in the order of their dates, so that the rows of a person lie apart, as in a real file. The same
seed and number of persons give the same rows.

    python benchmarks/claims.py claims.parquet [--persons 1000000] [--quarters 8] [--seed 21]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb

PERSON = "person"
QUASI_IDENTIFIERS = ("birth_year", "sex", "region", "quarter", "diagnosis", "provider")
CONSTANT = ("birth_year", "sex", "region")
SENSITIVE = "cost_band"
MOST_CLAIMS = 120
REGIONS = 16
DIAGNOSES = 24
PROVIDERS = ("general", "general", "general", "specialist", "specialist", "hospital", "pharmacy", "dental")
BANDS = ("below 50", "50 to 199", "200 to 999", "1,000 to 4,999", "5,000 and more")


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What is drawn.

    Parameters
    ----------
    persons
        How many persons; about ten times as many claims.
    quarters
        How many quarters the claims are spread over, from the first of 2022 on.
    seed
        Another seed draws other persons.
    """

    persons: int = 1_000_000
    quarters: int = 8
    seed: int = 21

    def write(self, path: Path, memory: str = "2GB") -> int:
        """Write the table, and return the number of its claims."""
        with duckdb.connect() as connection:
            connection.execute(f"SET memory_limit = '{memory}'")
            connection.execute(f"SET temp_directory = '{path.parent}'")
            connection.execute(f"COPY ({self.sql}) TO '{path}' (FORMAT parquet)")
            (rows,) = connection.execute(f"SELECT count(*) FROM '{path}'").fetchone() or (0,)
        return int(rows)

    @property
    def sql(self) -> str:
        """The claims, row by row."""
        return f"""
WITH persons AS (
    SELECT i,
        -- As many as there are: fewer of the very old.
        2021 - (100 * (1 - sqrt(1 - 0.98 * {self._draw("i", "age")})))::INT AS birth_year,
        {self._draw("i", "sex")} AS sex,
        -- A few large regions and many small ones.
        (1 + {REGIONS - 1} * pow({self._draw("i", "region")}, 2.2))::INT AS region,
        {self._draw("i", "chronic")} < 0.05 + 0.005 * (2021 - birth_year) AS chronic,
        1 + ({DIAGNOSES - 1} * {self._draw("i", "illness")})::INT AS illness,
        -- Exponential, and longer for the chronically ill: many persons with one claim, some with a hundred.
        least({MOST_CLAIMS}, 1 + (-ln(1 - {self._draw("i", "claims")}) * if(chronic, 22, 5.5))::INT) AS claims
    FROM range({self.persons}) t(i)
), claims AS (
    SELECT *, unnest(range(claims)) AS j FROM persons
), dated AS (
    SELECT *,
        -- The chronically ill come again and again, others in a spell of illness.
        if(chronic, (j + {self._draw("i, j", "day")}) / claims,
           0.8 * {self._draw("i", "spell")} + 0.2 * {self._draw("i, j", "day")}) AS date
    FROM claims
)
SELECT 'P' || lpad((hash(i, {self.seed}) % 1000000000 * 10000000 + i)::VARCHAR, 17, '0') AS {PERSON},
    birth_year,
    if(sex < 0.5, 'F', 'M') AS sex,
    'R' || lpad(region::VARCHAR, 2, '0') AS region,
    printf('%d-Q%d', 2022 + least({self.quarters - 1}, floor(date * {self.quarters}))::INT // 4,
        1 + least({self.quarters - 1}, floor(date * {self.quarters}))::INT % 4) AS quarter,
    'D' || lpad(if({self._draw("i, j", "same")} < if(chronic, 0.6, 0.3), illness,
        1 + ({DIAGNOSES - 1} * pow({self._draw("i, j", "diagnosis")}, 2))::INT)::VARCHAR, 2, '0')
        AS diagnosis,
    {_listed(PROVIDERS)}[1 + (hash(i, j, {self.seed}, 'provider') % {len(PROVIDERS)})::INT] AS provider,
    {_listed(BANDS)}[1 + ({len(BANDS) - 1} * pow({self._draw("i, j", "cost")}, 2.5))::INT] AS {SENSITIVE}
FROM dated ORDER BY date, i, j"""

    def _draw(self, of: str, what: str) -> str:
        """A number from 0 to 1 that depends on the person or the claim, and on the seed."""
        return f"((hash({of}, {self.seed}, '{what}') % 1000003) / 1000003.0)"


def _listed(words: tuple[str, ...]) -> str:
    return "[" + ", ".join(f"'{word}'" for word in words) + "]"


def main() -> None:
    """Write a table, and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path)
    parser.add_argument("--persons", type=int, default=Claims.persons)
    parser.add_argument("--quarters", type=int, default=Claims.quarters)
    parser.add_argument("--seed", type=int, default=Claims.seed)
    asked = parser.parse_args()
    begin = time.perf_counter()
    rows = Claims(persons=asked.persons, quarters=asked.quarters, seed=asked.seed).write(asked.path)
    print(
        f"{rows:,} claims of {asked.persons:,} persons, {asked.path.stat().st_size / 2**20:,.0f} MB, "
        f"{time.perf_counter() - begin:.1f} s"
    )


if __name__ == "__main__":
    main()
