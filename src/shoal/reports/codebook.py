"""The data dictionary of a release: what each column means, in words, for those who work with it.

Everything in it is taken from the release and its manifest: it can go wherever the release goes.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.formatting.numbers import counted
from shoal.reports.texts import visible

_KINDS = (".html", ".htm", ".md")
HEIGHT = 700
"""Of the page in a notebook, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Code:
    """A cell that a column can have.

    Parameters
    ----------
    label
        As the release prints it; `None` for an empty cell.
    rows
        How many rows have it.
    meaning
        What it says, where the label does not say it itself.
    """

    label: str | None
    rows: int
    meaning: str = ""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A column of the release.

    Parameters
    ----------
    name, role, type
        The column, its role and what its values are, in words.
    done
        What was done to it, in sentences.
    codes
        Its most frequent cells, or all of them.
    distinct
        How many different cells it has.
    cells
        How empty and suppressed cells look, and how many there are, in sentences.
    python, r
        A line of code that reads it.
    """

    name: str
    role: str
    type: str
    done: tuple[str, ...]
    codes: tuple[Code, ...]
    distinct: int
    cells: tuple[str, ...]
    python: str
    r: str


@dataclass(frozen=True, kw_only=True)
class Codebook:
    """The data dictionary of a release.

    Parameters
    ----------
    release
        The name of the release.
    summary
        What it is, in sentences.
    columns
        Its columns, in their order.
    notes
        What else to know when reading it.
    python, r
        How to open it, in code.
    """

    release: str
    summary: tuple[str, ...]
    columns: tuple[Entry, ...]
    notes: tuple[str, ...]
    python: str
    r: str

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)

    def to_markdown(self) -> str:
        """The data dictionary as Markdown."""
        return "\n".join(self._markdown()) + "\n"

    def to_html(self) -> str:
        """The data dictionary as one page, without a script, that loads nothing."""
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("shoal.reports", "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters["clean"] = visible
        style = (files("shoal.reports") / "templates" / "style.css").read_text(encoding="utf-8")
        return environment.get_template("codebook.html").render(book=self, style=Markup(style))

    def write(self, path: str | Path) -> Path:
        """Write it as a page (.html) or as Markdown (.md), complete or not at all."""
        place = Path(path)
        check_codebook_path(place)
        write_text(place, self.to_markdown() if place.suffix.lower() == ".md" else self.to_html())
        return place

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        # In a separate frame: neither the notebook's styles nor those of the page reach the other.
        return (
            f'<iframe title="data dictionary" sandbox="" style="width:100%;height:{HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.to_html(), quote=True)}"></iframe>'
        )

    def _markdown(self) -> Iterator[str]:
        yield f"# Data dictionary of {_plain(self.release)}"
        yield ""
        yield " ".join(map(_plain, self.summary))
        yield ""
        yield from ("```python", self.python, "```", "", "```r", self.r, "```", "")
        for note in self.notes:
            yield f"- {_plain(note)}"
        if self.notes:
            yield ""
        for column in self.columns:
            yield from _section(column)


def check_codebook_path(path: Path) -> None:
    """Raise `PolicyError` if a data dictionary cannot be written to a file of this name."""
    if path.suffix.lower() not in _KINDS:
        raise PolicyError(f"a codebook is an .html or .md file, not {path.name!r}")


def _section(column: Entry) -> Iterator[str]:
    yield f"## {_plain(column.name)}"
    yield ""
    yield f"{column.role}; {column.type}. {' '.join(map(_plain, column.done))}"
    yield ""
    for sentence in column.cells:
        yield f"- {_plain(sentence)}"
    if column.cells:
        yield ""
    if column.codes:
        meanings = any(code.meaning for code in column.codes)
        yield "| cell | rows |" + (" means |" if meanings else "")
        yield "|---|---:|" + ("---|" if meanings else "")
        for code in column.codes:
            label = "(empty)" if code.label is None else f"`{_cell(code.label)}`"
            yield f"| {label} | {code.rows:,} |" + (f" {_cell(_plain(code.meaning))} |" if meanings else "")
        if column.distinct > len(column.codes):
            yield ""
            yield f"And {counted(column.distinct - len(column.codes), 'more different cell')}."
        yield ""
    yield from ("```python", column.python, "```", "", "```r", column.r, "```", "")


def _plain(text: str) -> str:
    """A text that Markdown shows as it is, in one line."""
    line = " ".join(visible(text).split())
    for sign in "\\*_[]<>#|":
        line = line.replace(sign, f"\\{sign}")
    return line


def _cell(text: str) -> str:
    return " ".join(visible(text).split()).replace("|", "\\|").replace("`", "'")
