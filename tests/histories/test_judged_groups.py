"""Models of sensitive values where rows of a person are linkable."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from pathlib import Path

import pytest

import shoal


def written(path: Path, seed: int) -> Path:
    """Thirty persons with one to three visits, and a disease in each."""
    draw = random.Random(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["person", "born", "ward", "disease"])
        for person in range(30):
            born = draw.randint(1950, 1960)
            for _ in range(draw.choice([1, 1, 2, 3])):
                writer.writerow([person, born, draw.choice("AB"), draw.choice(["flu", "flu", "hiv", "gout"])])
    return path


@pytest.mark.parametrize("stated", [{"consistent": True}, {}, {"known_events": 2}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_who_links_rows_does_not_learn_a_disease(
    seed: int, stated: dict[str, object], tmp_path: Path
) -> None:
    """Of persons with the same history, each row has l diseases, and no disease is that of all of them."""
    release = shoal.anonymize(
        written(tmp_path / "visits.csv", seed),
        quasi_identifiers=["born", "ward"],
        sensitive=["disease"],
        k=3,
        entity="person",
        linkable=True,
        order="shuffle",
        models=[{"name": "distinct-l-diversity", "attribute": "disease", "l": 2}],
        path=tmp_path / "release.csv",
        seconds=2,
        **stated,  # type: ignore[arg-type]
    )
    rows_of: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    with Path(str(release.path)).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows_of[row["person"]].append((row["born"], row["ward"], row["disease"]))
    groups: dict[tuple[tuple[str, str], ...], list[list[tuple[str, str, str]]]] = defaultdict(list)
    for rows in rows_of.values():
        groups[tuple(sorted(row[:2] for row in rows))].append(rows)
    assert groups
    for history, members in groups.items():
        assert len(members) >= 3
        for released in history:
            assert len({row[2] for rows in members for row in rows if row[:2] == released}) >= 2
        for disease in ("flu", "hiv", "gout"):
            assert any(all(row[2] != disease for row in rows) for rows in members)
