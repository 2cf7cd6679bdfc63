"""A stand-in for the panel that people were found alone in: as many rows, persons and quasi-identifiers.

The panel itself is that of the RAND Health Insurance Experiment (RandHIE of the R package sampleSelection),
which is not ours to bundle; benchmarks/longitudinal.py measures it. Here plans, sites, sexes and ages are
drawn, with the same numbers of values, and a year between two rows of a person.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

ROWS, PERSONS = 20_190, 5_912
QUASI_IDENTIFIERS = ["plan", "site", "female", "age"]
PLANS, SITES, OLDEST = 18, 6, 64
YEARS = (1, 2, 3, 3, 3, 3, 3, 3, 4, 5, 5, 5)
"""How long persons take part: most of them for three years, or for five."""


def write_panel(path: Path) -> None:
    """Write the panel as CSV: persons one after the other, their rows by year."""
    draw = random.Random(1974)
    years = [draw.choice(YEARS) for _ in range(PERSONS)]
    while sum(years) != ROWS:
        place = draw.randrange(PERSONS)
        years[place] = min(5, max(1, years[place] + (1 if sum(years) < ROWS else -1)))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["person", *QUASI_IDENTIFIERS, "expenses"])
        for person, rows in enumerate(years):
            plan = min(PLANS, 1 + int(draw.expovariate(0.25)))
            site, female = draw.randint(1, SITES), draw.randint(0, 1)
            begun = int(draw.triangular(0, OLDEST - 4, 12))
            for year in range(rows):
                expenses = round(draw.lognormvariate(4, 2))
                writer.writerow([f"Q{person:05}", plan, site, female, begun + year, expenses])
