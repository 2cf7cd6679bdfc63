"""Can a commuter be followed through a day?

Two points find nearly everybody: a home and a workplace. This releases 200 simulated people, five positions
of each, as squares and slots of time with fresh pseudonyms, for attackers who know one, two or all points of
a person, and lets somebody try who knows two. The people do not exist, and results on simulated movement do
not carry over to real movement.
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import shoal
from shoal.datasets import commuters

POLICY = """
[source]
path = "visits.csv"
[attributes.place]
role = "quasi-identifier"
type = "point"
latitude = "latitude"
longitude = "longitude"
cells = "grid"
origin = [52.5, 13.4]
finest = 1000
[attributes.time]
role = "quasi-identifier"
type = "time"
slots = ["hour", "part of day", "day"]
[privacy]
k = 4
entity = "person"
linkable = true
known_events = {known}
[search]
seconds = 4
[release]
path = "release.csv"
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people = commuters(200, days=1, seed=4)
        with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(people)
            writer.writerows(zip(*(column.tolist() for column in people.values()), strict=True))
        print(f"{'known points':<14}{'loss':>7}{'left out':>10}{'cells':>7}  found by two points")
        for known in ("1", "2", '"all"'):
            policy = folder / "places.toml"
            policy.write_text(POLICY.format(known=known), encoding="utf-8")
            facts = shoal.anonymize(policy=policy).manifest
            released = folder / "release.csv"
            tried = shoal.attack(
                released,
                original=folder / "visits.csv",
                policy=policy,
                attacks=["history"],
                known_events=2,
            )
            found = tried.to_dict()["attacks"]["history"]["rate"]
            cells = len(shoal.cell_map(released).cells)
            print(
                f"{known.strip(chr(34)):<14}{facts.cost:>7.4f}{facts.suppressed:>10}{cells:>7}  {found:.0%}"
            )


if __name__ == "__main__":
    main()
