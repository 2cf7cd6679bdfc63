"""Numbers that doubles would round, through the commands: released exactly, and true beside the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import shoal


@pytest.mark.parametrize(
    ("cells", "flags", "released"),
    [
        (
            ["10000000000000000"] * 2 + ["10000000000000001"] * 2,
            ["--bin", "x=0.5"],
            ['"[10000000000000000, 10000000000000000.5)"'] * 2
            + ['"[10000000000000001, 10000000000000001.5)"'] * 2,
        ),
        (
            ["0.10000000000000001"] * 2 + ["0.1"] * 2,
            [],
            ["0.10000000000000001"] * 2 + ["0.1"] * 2,
        ),
        (
            ["1.00000000000000001", "1.00000000000000002", "7", "8"],
            [],
            ['"[1.00000000000000001, 1.00000000000000002]"'] * 2 + ['"[7, 8]"'] * 2,
        ),
        (
            ["1e0001", "10.000", "1e-400", "2e-400"],
            [],
            ["10", "10", '"[1e-400, 2e-400]"', '"[1e-400, 2e-400]"'],
        ),
        (
            ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"] * 2,
            [],
            ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"] * 2,
        ),
        (["1" + "0" * 400, "1e400"] * 2, [], ["1" + "0" * 400, "1e400"] * 2),
    ],
    ids=["fine bins", "%.17g", "18 digits", "powers of ten", "nanoseconds", "beyond all numbers"],
)
def test_what_doubles_would_round_is_released_exactly(
    tmp_path: Path, cells: list[str], flags: list[str], released: list[str]
) -> None:
    """And `audit --original` finds nothing untrue; a column that is kept is copied byte by byte."""
    (tmp_path / "s.csv").write_text("x,kept\n" + "".join(f"{cell},{cell}\n" for cell in cells))
    asked = ("-q", "x", "-k", "2")
    done = shoal(tmp_path, "anonymize", "s.csv", *asked, *flags, "--suppression", "0", "-o", "r.csv")
    assert done.returncode == 0, done.stderr
    rows = [f"{label},{cell}" for label, cell in zip(released, cells, strict=True)]
    assert (tmp_path / "r.csv").read_text().splitlines()[1:] == rows
    assert shoal(tmp_path, "audit", "r.csv", *asked, "--original", "s.csv").returncode == 0


def test_a_number_that_cannot_be_computed_with_is_refused_by_its_row(tmp_path: Path) -> None:
    """The message names the column, the row and the way out, and not the number."""
    (tmp_path / "s.csv").write_text("x\n1\n1e400\n")
    done = shoal(tmp_path, "anonymize", "s.csv", "-q", "x", "-k", "1", "--bin", "x=5", "-o", "r.csv")
    assert done.returncode == 2
    assert "'x'" in done.stderr
    assert "the first is row 2" in done.stderr
    assert "e400" not in done.stderr
    assert not (tmp_path / "r.csv").exists()
