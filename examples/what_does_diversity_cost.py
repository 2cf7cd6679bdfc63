"""What does it cost that no group gives a diagnosis away?

Releases the same table, with one recoding per column, under privacy models that look at the diagnoses of each
group, and prints the proved least loss of each next to that of k alone.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import shoal
from shoal.privacy import DistinctLDiversity, EntropyLDiversity, PrivacyModel, TCloseness

STAYS = Path(__file__).with_name("stays.csv")
DEMANDS: dict[str, list[PrivacyModel]] = {
    "k = 5 alone": [],
    "3 different diagnoses": [DistinctLDiversity(attribute="diagnosis", l=3)],
    "entropy of 3 diagnoses": [EntropyLDiversity(attribute="diagnosis", l=3)],
    "t-closeness 0.4": [TCloseness(attribute="diagnosis", t=0.4)],
}


def main() -> None:
    print(f"{'demand':<24}  {'loss':>6}  {'groups':>6}  {'suppressed':>10}  status")
    with tempfile.TemporaryDirectory() as folder:
        for name, models in DEMANDS.items():
            release = shoal.anonymize(
                STAYS,
                quasi_identifiers=["age", "sex", "zip", "quarter"],
                identifiers=["patient"],
                sensitive=["diagnosis"],
                k=5,
                models=models,
                consistent=True,
                suppression="1%",
                seconds=10,
                path=Path(folder) / "release.csv",
            )
            facts = release.manifest
            print(
                f"{name:<24}  {facts.cost:>6.4f}  {facts.groups:>6}  {facts.suppressed:>10}  {facts.status}"
            )


if __name__ == "__main__":
    main()
