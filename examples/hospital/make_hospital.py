"""Where do the three tables come from? Nobody in them exists: this script draws the rows.

Writes patients.csv, stays.csv and prescriptions.csv beside itself; the same seed gives the same files.
"""

from __future__ import annotations

import csv
import datetime
import random
from pathlib import Path

PATIENTS = 200
WARDS = ["cardiology", "surgery", "internal", "neurology"]
DRUGS = ["aspirin", "heparin", "insulin", "metformin", "morphine", "salbutamol"]
DIAGNOSES = ["asthma", "fracture", "pneumonia", "diabetes", "heart failure", "stroke"]


def main() -> None:
    draw = random.Random(2026)
    folder = Path(__file__).parent
    patients: list[list[object]] = []
    stays: list[list[object]] = []
    prescriptions: list[list[object]] = []
    for number in range(PATIENTS):
        patient = f"P{10_000 + number * 37 % 8_999}"
        patients.append(
            [
                patient,
                2025 - min(95, int(draw.triangular(0, 97, 66))),
                draw.choice("FM"),
                draw.choice(["02108", "02113", "02115", "02118", "02119", "02121"]),
            ]
        )
        for _ in range(1 + draw.choices([0, 1, 2, 3], [60, 25, 10, 5])[0]):
            stay = f"S{50_000 + len(stays) * 91 % 39_989}"
            admitted = datetime.date(2025, 1, 1) + datetime.timedelta(days=draw.randrange(365))
            ward = draw.choice(WARDS)
            stays.append([stay, patient, admitted.isoformat(), ward, draw.choice(DIAGNOSES)])
            for _ in range(draw.choices([0, 1, 2], [30, 50, 20])[0]):
                drug, days = draw.choice(DRUGS), draw.choice([1, 1, 2, 2, 3, 5, 7])
                prescriptions.append([stay, patient, drug, days])
    for name, header, rows in (
        ("patients", ["patient", "birth_year", "sex", "zip"], patients),
        ("stays", ["stay", "patient", "admitted", "ward", "diagnosis"], stays),
        ("prescriptions", ["stay", "patient", "drug", "days"], prescriptions),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
        print(f"{name}.csv: {len(rows):,} rows")


if __name__ == "__main__":
    main()
