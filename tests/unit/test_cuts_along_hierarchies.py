"""Releases of the searches over cuts that obey the hierarchies there are."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

import shoal
from shoal.errors import PolicyError

CITIES = shoal.Hierarchy(
    (
        ("Rome", "Italy", "*"),
        ("Milan", "Italy", "*"),
        ("Paris", "France", "*"),
        ("Lyon", "France", "*"),
    )
)
NODES = {label for row in CITIES.rows for label in row}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Persons whose class depends on their age; some ages are missing."""
    draw, path = random.Random(5), tmp_path / "in.csv"
    lines = ["age,city,team,rich"]
    for _ in range(300):
        age = draw.randrange(20, 60)
        city, team = draw.choice(["Rome", "Milan", "Paris", "Lyon"]), draw.choice("abc")
        lines.append(f"{'' if draw.random() < 0.03 else age},{city},{team},{int(age > 40)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("algorithm", ["genetic", "anneal", "tds", "bug"])
@pytest.mark.parametrize("hierarchies", [{}, {"city": CITIES}])
def test_a_release_is_audited_and_its_cities_are_nodes(
    source: Path, algorithm: str, hierarchies: dict[str, shoal.Hierarchy]
) -> None:
    """With a hierarchy of one column, whose values are its nodes, beside columns without; and with none."""
    release = shoal.anonymize(
        source,
        quasi_identifiers=["age", "city", "team"],
        k=5,
        class_attribute="rich",
        cost="classification",
        suppression="10%",
        algorithm=algorithm,
        hierarchies=hierarchies,
        nodes=3000,
        recoding_model="AG_TS",
        path=source.with_name("out.csv"),
    )
    assert release.verdict.holds
    text = source.with_name("out.csv").read_text(encoding="utf-8")
    cities = {row["city"] for row in csv.DictReader(io.StringIO(text))}
    assert cities <= NODES or not hierarchies
    assert release.result.cost is not None
    assert release.result.cost < 150


@pytest.mark.parametrize("algorithm", ["tds", "bug"])
def test_without_a_class_the_error_says_what_to_do(source: Path, algorithm: str) -> None:
    """There is nothing that a step could gain or lose."""
    with pytest.raises(PolicyError, match="no class attribute; give one column the role 'class'"):
        shoal.anonymize(
            source,
            quasi_identifiers=["age", "city"],
            k=5,
            algorithm=algorithm,
            path=source.with_name("out.csv"),
        )
