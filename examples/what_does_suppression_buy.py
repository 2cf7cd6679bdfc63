"""What does suppression buy?

With one recoding per column, a few rows that stand apart can force everybody else's values to be widened.
This prints the proved least loss for growing limits on the rows that may be left out instead. A suppressed
row counts as a total loss, so the numbers can be compared.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import shoal

STAYS = Path(__file__).with_name("stays.csv")


def main() -> None:
    print(f"{'limit':>9}  {'suppressed':>10}  {'loss':>6}  {'groups':>6}  status")
    with tempfile.TemporaryDirectory() as folder:
        for limit in (0, 5, "1%", "2%", "unlimited"):
            release = shoal.anonymize(
                STAYS,
                quasi_identifiers=["age", "sex", "zip", "quarter"],
                identifiers=["patient"],
                sensitive=["diagnosis"],
                k=5,
                consistent=True,
                suppression=limit,
                seconds=10,
                path=Path(folder) / "release.csv",
            )
            facts = release.manifest
            print(
                f"{limit!s:>9}  {facts.suppressed:>10}  {facts.cost:>6.4f}  {facts.groups:>6}  {facts.status}"
            )


if __name__ == "__main__":
    main()
