"""Level recoding plus cell suppression on Adult, beside sdcMicro's kAnon.

python benchmarks/levels_and_cells.py FOLDER

FOLDER has ARX's Adult table (github.com/arx-deidentifier/arx, data/). Ages in tens, eight quasi-identifiers.
What sdcMicro suppresses was measured once, with its kAnon on the same table.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pandas

import shoal

SDC_MICRO = {5: (14_707, 327.0), 10: (22_591, 526.0)}
"""Per k the suppressed cells and seconds of CPU of sdcMicro, whose stars are wildcards."""


def main() -> None:
    source = pandas.read_csv(Path(sys.argv[1]) / "adult.csv", sep=";")
    names = list(source.columns[:8])
    print("| k | star read as | cells | bound | of sdcMicro | CPU s | of sdcMicro | rows in groups below k |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
    for k in (2, 5, 10, 50):
        cells, seconds = SDC_MICRO.get(k, (None, None))
        for reading in ("wildcard", "value"):
            started = time.process_time()
            made = shoal.anonymize(
                source,
                quasi_identifiers=names,
                k=k,
                bins={"age": 10},
                recoding_model="AG_CS",
                options={"reading": reading},
                threads=1,
            )
            spent = time.process_time() - started
            stars = int((made.data[names] == "*").to_numpy().sum())
            assert stars == made.result.cost
            theirs = ("", "") if reading == "value" or cells is None else (f"{cells:,}", f"{seconds:,.0f}")
            print(
                f"| {k} | {reading} | {stars:,} | {made.manifest.bound:,.0f} | {theirs[0]} | {spent:.1f} | "
                f"{theirs[1]} | {made.verdict.measured.rows_below:,} |"
            )


if __name__ == "__main__":
    main()
