"""How much detail does a larger k cost?

Releases the same table for growing k, with one recoding per column, and prints the proved least loss of each.
The loss is the general loss: 0 keeps every value as it was, 1 keeps nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import shoal

STAYS = Path(__file__).with_name("stays.csv")


def main() -> None:
    print(f"{'k':>4}  {'loss':>6}  {'groups':>6}  {'suppressed':>10}  status")
    with tempfile.TemporaryDirectory() as folder:
        for k in (2, 3, 5, 10, 20, 50):
            release = shoal.anonymize(
                STAYS,
                quasi_identifiers=["age", "sex", "zip", "quarter"],
                identifiers=["patient"],
                sensitive=["diagnosis"],
                k=k,
                consistent=True,
                seconds=10,
                path=Path(folder) / f"stays-k{k}.csv",
            )
            facts = release.manifest
            print(f"{k:>4}  {facts.cost:>6.4f}  {facts.groups:>6}  {facts.suppressed:>10}  {facts.status}")


if __name__ == "__main__":
    main()
