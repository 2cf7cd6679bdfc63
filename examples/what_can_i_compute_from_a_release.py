"""What can I compute from a release, and how far off is it?

Means of a generalized column have bounds: no table that fits the release has a mean outside. The middle of
each interval gives an estimate. Uses pandas.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas

import shoal

STAYS = Path(__file__).with_name("stays.csv")


def main() -> None:
    original = pandas.read_csv(STAYS)
    print(f"{'k':>3}  {'mean age':>8}  {'estimate':>8}  bounds")
    for k in (2, 5, 10, 25):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "release.csv"
            shoal.anonymize(
                STAYS,
                quasi_identifiers=["age", "sex", "zip", "quarter"],
                identifiers=["patient"],
                sensitive=["diagnosis"],
                k=k,
                algorithm="mondrian",
                path=path,
            )
            ages = shoal.read(path, columns={"age": ["lower", "midpoint", "upper"]})
        low, middle, high = (ages[f"age_{form}"].mean() for form in ("lower", "midpoint", "upper"))
        print(f"{k:>3}  {original.age.mean():>8.2f}  {middle:>8.2f}  {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
