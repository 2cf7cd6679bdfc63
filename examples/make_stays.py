"""Where does stays.csv come from? Nobody in it exists: this script draws the rows.

Writes stays.csv beside itself; the same seed gives the same file.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

ROWS = 1_200
ZIPS = [f"021{last:02}" for last in (8, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20, 21)]
WEIGHTS = [3, 2, 1, 4, 3, 6, 12, 9, 14, 16, 8, 12]
DIAGNOSES = ["asthma", "fracture", "pneumonia", "diabetes", "heart failure", "stroke"]
BY_AGE = [
    (0, [8, 6, 4, 1, 0, 0]),
    (18, [4, 7, 3, 3, 1, 0]),
    (45, [2, 4, 4, 6, 4, 2]),
    (65, [1, 6, 6, 5, 9, 6]),
]


def main() -> None:
    draw = random.Random(2025)
    target = Path(__file__).with_name("stays.csv")
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", "age", "sex", "zip", "quarter", "days", "diagnosis"])
        for number in range(ROWS):
            age = min(96, int(draw.triangular(0, 97, 66)))
            weights = [each for least, each in BY_AGE if age >= least][-1]
            writer.writerow(
                [
                    f"P{100_000 + number * 37 % 90_001}",
                    age,
                    draw.choice("FM"),
                    "" if draw.random() < 0.01 else draw.choices(ZIPS, WEIGHTS)[0],
                    f"2025-Q{draw.randint(1, 4)}",
                    1 + int(draw.expovariate(0.2)),
                    draw.choices(DIAGNOSES, weights)[0],
                ]
            )
    print(f"{target.name}: {ROWS:,} stays")


if __name__ == "__main__":
    main()
