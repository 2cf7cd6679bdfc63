"""The SUDA scores of rows as a CSV file, next to the private table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.console import say
from shoal.errors import PolicyError
from shoal.files.whole_file import write_text

if TYPE_CHECKING:
    from shoal.auditor.risk.suda import Suda


def check_target(path: Path, source: object) -> None:
    """Raise `PolicyError` if the scores would take the place of the table."""
    if isinstance(source, Path) and source.exists() and path.exists() and source.samefile(path):
        raise PolicyError(f"--suda-scores names the table itself, {path.name}; choose another file")


def write_scores(path: Path, scores: Suda) -> None:
    """Write a line per row, in the order of the rows; the file is complete or absent.

    Parameters
    ----------
    path
        The file.
    scores
        The scores.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = scores.summary.columns
    writer.writerow(["row", "score", "dis_score", "msus", *(f"contribution_{name}" for name in names)])
    for row, (score, chance, msus, shares) in enumerate(
        zip(
            scores.scores.tolist(),
            scores.dis_scores.tolist(),
            scores.msus.tolist(),
            scores.contributions.tolist(),
            strict=True,
        ),
        1,
    ):
        writer.writerow([row, f"{score:.12g}", f"{chance:.6g}", msus, *(f"{each:.6g}" for each in shares)])
    write_text(path, text.getvalue())
    say(f"{path}: the score of each row; as private as the table, so do not release it")
