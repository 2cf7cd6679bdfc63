"""How do I release a pandas data frame without writing a file?

The frame that comes out is of the kind that went in, with its column order, its untouched columns and their
types. Polars frames and Arrow tables work the same way.
"""

from __future__ import annotations

from pathlib import Path

import pandas

import shoal

STAYS = Path(__file__).with_name("stays.csv")


def main() -> None:
    # Text, or pandas would read the ZIP code 02118 as the number 2118.
    stays = pandas.read_csv(STAYS, dtype={"zip": "string"})
    release = shoal.anonymize(
        stays,
        quasi_identifiers=["age", "sex", "zip", "quarter"],
        identifiers=["patient"],
        sensitive=["diagnosis"],
        k=10,
        seconds=10,
    )
    print(release)
    print(release.data.head(5).to_string())
    sizes = release.data.groupby(["age", "sex", "zip", "quarter"], dropna=False).size()
    print(f"smallest group, counted by pandas: {sizes.min()}")


if __name__ == "__main__":
    main()
