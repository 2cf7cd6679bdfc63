"""Can a patient be followed through their stays?

Patients come back, and a reader who can link the stays of one patient sees a history that is soon unlike any
other. This releases 1,500 patients with fresh pseudonyms, for attackers who know one, two or all stays of a
patient, audits the written file, and lets somebody try who knows two.
"""

from __future__ import annotations

import csv
import random
import tempfile
from pathlib import Path

import shoal

QUASI_IDENTIFIERS = ["born", "sex", "quarter", "ward"]
WARDS = ["surgery", "medicine", "children", "heart"]
PATIENTS = 1_500


def write_stays(path: Path) -> None:
    """Stays of patients who do not exist: most come once or twice, and mostly to the same ward."""
    draw = random.Random(2025)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", *QUASI_IDENTIFIERS, "days"])
        for patient in range(PATIENTS):
            born, sex, ward = draw.randint(1935, 2020), draw.choice("FM"), draw.choice(WARDS)
            for quarter in sorted(draw.choices(range(4), k=draw.choice([1, 1, 1, 2, 2, 3]))):
                where = ward if draw.random() < 0.8 else draw.choice(WARDS)
                days = 1 + int(draw.expovariate(0.2))
                writer.writerow([f"P{patient:05}", born, sex, f"2025-Q{quarter + 1}", where, days])


def succeeded(table: Path, stays: Path) -> str:
    """How many patients a guess finds on average, by somebody who knows two of their stays."""
    report = shoal.attack(
        table,
        original=stays,
        quasi_identifiers=QUASI_IDENTIFIERS,
        entity="patient",
        attacks=["history"],
        known_events=2,
    )
    found = report.to_dict()["attacks"]["history"]
    return f"{found['rate']:.0%}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        stays, released = Path(folder) / "stays.csv", Path(folder) / "release.csv"
        write_stays(stays)
        print(f"{'known stays':<12}{'loss':>7}{'left out':>10}{'audit':>7}  found by two stays")
        print(f"{'as they are':<36}  {succeeded(stays, stays)}")
        for known in (1, 2, "all"):
            release = shoal.anonymize(
                stays,
                quasi_identifiers=QUASI_IDENTIFIERS,
                entity="patient",
                linkable=True,
                known_events=known,
                k=5,
                seconds=5,
                path=released,
            )
            facts, found = release.manifest, succeeded(released, stays)
            holds = "holds" if facts.audit["holds"] else "fails"
            print(f"{known!s:<12}{facts.cost:>7.4f}{facts.suppressed:>10}{holds:>7}  {found}")


if __name__ == "__main__":
    main()
