"""The data dictionary: each column in words, with its cells, as page and as Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas
import pytest

import shoal
from tests.cli import command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A release with intervals, sets, stars, an empty cell and hostile text."""
    frame = pandas.DataFrame(
        {
            "age": [21, 22, 23, 40, 41, 42, None, None, None, 90],
            "city": ["a", "a", "b", "c", "c", "c", "d", "d", "d", "e"],
            "<b>note": ["x|y", "<script>", "`z`"] * 3 + ["w"],
        }
    )
    path = tmp_path / "release.csv"
    shoal.anonymize(
        frame,
        quasi_identifiers=["age", "city"],
        k=3,
        algorithm="exact",
        suppression=1,
        suppressed="mask",
        companions=True,
        nodes=2000,
        path=path,
    )
    return path


def test_each_column_is_described_with_its_cells_and_rows(path: Path) -> None:
    """The counts are those of the file."""
    book = shoal.codebook(path)
    cells = pandas.read_csv(path, dtype=str, keep_default_na=False)
    assert [each.name for each in book.columns] == cells.columns.tolist()
    for entry in book.columns:
        counts = cells[entry.name].value_counts().to_dict()
        assert {code.label or "": code.rows for code in entry.codes} == counts
    age = book.columns[0]
    assert age.done[0].startswith("Numbers as intervals")
    assert any("was missing in the source" in sentence for sentence in age.cells)
    assert any("suppressed cell" in sentence for sentence in age.cells)
    assert "age_low" in age.r


def test_the_page_and_the_markdown_quote_what_could_do_harm(path: Path, tmp_path: Path) -> None:
    """No script, nothing from a network, no cell that ends a table."""
    book = shoal.codebook(path)
    page = book.to_html()
    assert "<script" not in page.lower()
    assert "http" not in page.replace("http-equiv", "")
    assert "prefers-color-scheme: dark" in page
    assert "&lt;b&gt;note" in page
    text = book.to_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) in (3, 4) for line in rows)
    assert book.write(tmp_path / "book.html").read_text() == page
    assert book.write(tmp_path / "book.md").read_text() == text == str(book)
    with pytest.raises(shoal.PolicyError, match=r"an \.html or \.md file"):
        book.write(tmp_path / "book.txt")


def test_a_release_describes_itself_and_its_treatments(path: Path) -> None:
    """`release.codebook()`; what others did to a column is in the manifest."""
    frame = pandas.DataFrame({"age": [1, 2, 3, 4], "pay": [10, 20, 30, 40]})
    release = shoal.anonymize(frame, quasi_identifiers=["age"], k=2, nodes=100)
    assert "Released as it is." in release.codebook().columns[1].done
    manifest = Path(f"{path}.manifest.json")
    facts = json.loads(manifest.read_text())
    facts["treatments"] = {"<b>note": {"name": "mask", "pattern": "#*", "truthful": True}}
    manifest.write_text(json.dumps(facts))
    words = "The column was masked by the pattern #*, where # keeps a sign and * hides it."
    assert words in shoal.codebook(path).columns[-1].done
    facts["treatments"] = {"<b>note": {"name": "of another version", "truthful": True}}
    manifest.write_text(json.dumps(facts))
    assert "The column was treated: of another version." in shoal.codebook(path).columns[-1].done


def test_the_command_prints_or_writes_it(path: Path) -> None:
    """Markdown on standard output; a page with -o; never over the release."""
    printed = command.shoal(path.parent, "codebook", path.name)
    assert printed.returncode == 0
    assert printed.stdout.startswith("# Data dictionary of release.csv")
    page = path.parent / "book.html"
    assert command.shoal(path.parent, "codebook", path.name, "-o", page.name).returncode == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    facts = json.loads(command.shoal(path.parent, "codebook", path.name, "--json").stdout)
    assert facts["columns"][0]["name"] == "age"
    before = path.read_bytes()
    for wrong in ("book.pdf", "release.csv"):
        refused = command.shoal(path.parent, "codebook", path.name, "-o", wrong)
        assert refused.returncode == 2
        assert "an .html or .md file" in refused.stderr
    assert path.read_bytes() == before
