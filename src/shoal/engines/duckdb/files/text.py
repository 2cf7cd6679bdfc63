"""A text file as a table: how it is written is found, or stated, and DuckDB reads it strictly.

All cells are text: those that a release does not change come out exactly as they went in. An empty field is
missing; so is a quoted empty field of a quasi-identifier.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.engines.duckdb.file import LONGEST_HEADER
from shoal.engines.duckdb.files.converted import Converted
from shoal.engines.duckdb.files.dialect import Dialect, single, sniffed
from shoal.engines.duckdb.files.encoding import Opener, TextFacts, line_ends, text_facts
from shoal.engines.duckdb.files.header import HeaderGuess, guessed_header
from shoal.engines.duckdb.files.names import distinct_names, generic
from shoal.engines.duckdb.files.preamble import Row, first_row, rows_of
from shoal.engines.duckdb.files.text_copy import copy_text, decoded, not_decoded
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.errors import EngineError, PolicyError
from shoal.model.table.file_options import NO_QUOTE, FileOptions
from shoal.model.table.file_reading import FileReading

START = 1 << 18
"""Characters of a file from which its form is judged."""


@dataclass(frozen=True, kw_only=True)
class TextForm:
    """How a text file is written.

    Parameters
    ----------
    facts, dialect
        Its encoding and line ends; its delimiter and quote.
    header
        Whether it has a header, and why.
    skip
        Lines before the header, or before the first row without one.
    top
        Lines before the first row.
    simple_top
        Whether DuckDB can skip them as lines.
    found
        The names as the file has them; `None` without a header.
    width
        How many cells a row has.
    notes
        What to say.
    """

    facts: TextFacts
    dialect: Dialect
    header: HeaderGuess
    skip: int
    top: int
    simple_top: bool
    found: tuple[str, ...]
    width: int
    notes: tuple[str, ...] = ()


def text_form(
    name: str, opened: Opener, options: FileOptions, by_name: str | None, *, own: bool = False
) -> TextForm:
    """How a text file is written.

    Parameters
    ----------
    name, opened
        The file.
    options
        What the user states.
    by_name
        The delimiter that its name implies.
    own
        Whether Shoal wrote it.
    """
    # What Shoal wrote itself is UTF-8, and needs no pass over its lines.
    facts = (
        TextFacts(encoding="utf-8", ends=frozenset("\n"))
        if own
        else text_facts(name, opened, options.encoding)
    )
    start = _start(name, opened, facts)
    if not facts.ends:
        facts = replace(facts, ends=line_ends(start))
    if not start.strip("\r\n\x1a\ufeff"):
        raise PolicyError(f"{name} is empty: it has no header and no rows")
    fit = sniffed(start, options, by_name)
    if own:  # It doubles quotes, whatever backslashes its cells have.
        fit = replace(fit, dialect=replace(fit.dialect, escape=None))
    rows = rows_of(start, fit.dialect, options.skip or 0)
    if options.skip is None:
        at = first_row(name, rows, fit.width)
    else:
        at = next((index for index, row in enumerate(rows) if row.known), 0)
    if not rows:
        raise PolicyError(f"{name} has no line after the {options.skip:,} to skip; state a smaller skip")
    if fit.width == 2 and len(rows[at].cells) == 1 and options.delimiter is None:
        # A header of one name: names like "Doe, John" in a single column are not two cells.
        fit = single(start, fit.dialect.quote)
        rows = rows_of(start, fit.dialect, options.skip or 0)
    first, below = rows[at], [row for row in rows[at + 1 :] if row.cells]
    _check_closed(name, start, fit.dialect, first, stated=options.quote is not None)
    alike = [row.cells for row in below if len(row.cells) == fit.width]
    if options.header is None:
        header = guessed_header(_aligned(first, fit.width, alike), alike)
    else:
        header = HeaderGuess(header=options.header)
    lines = start.split("\n", first.line)[: first.line - 1]
    # A quote that opens in a line to skip would hide the lines after it from DuckDB.
    simple = not any(fit.dialect.quote in line for line in lines) and first.lines == 1
    return _form(facts, fit.dialect, header, first, alike, fit.width, simple=simple)


def _check_closed(name: str, text: str, dialect: Dialect, first: Row, *, stated: bool) -> None:
    """Raise if a quote of the first row is not closed: rows would become part of a column name."""
    if dialect.quote == NO_QUOTE:
        is_open = not stated and '"' in first.text
    else:
        lines = io.StringIO(text, newline="").readlines()[first.line - 1 :]
        try:
            next(csv.reader(iter(lines), **dialect.arguments, strict=True))
            is_open = False
        except csv.Error as error:
            is_open = "end of data" in str(error)
    if is_open:
        raise EngineError(
            f"{name}: line {first.line:,} is broken: a quote is not closed; correct the file, or state that "
            'there are no quotes (quote = "none", --quote none)'
        )


def _form(
    facts: TextFacts,
    dialect: Dialect,
    header: HeaderGuess,
    first: Row,
    rows: Sequence[tuple[str, ...]],
    width: int,
    *,
    simple: bool,
) -> TextForm:
    notes = []
    if facts.other is not None:
        notes.append(f"{facts.other} fits almost as well: state the encoding if letters look wrong")
    if header.note is not None:
        notes.append(header.note.format(line=f"{first.line:,}"))
    found: tuple[str, ...] = ()
    if header.header:
        found = _aligned(first, width, rows)
        if len(found) > len(first.cells) and found[0] == "" and first.cells[0].strip():
            notes.append(
                "the header has one name less than the rows have cells: the first column has no name"
            )
    skip = first.line - 1
    return TextForm(
        facts=facts,
        dialect=dialect,
        header=header,
        skip=skip,
        top=skip + first.lines if header.header else skip,
        simple_top=simple,
        found=found,
        width=len(found) or width,
        notes=tuple(notes),
    )


def _aligned(first: Row, width: int, rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The cells of the first row, one for each column."""
    cells = first.cells
    if not rows or len(cells) == width:
        return cells
    if len(cells) == width + 1:
        return cells[:-1]
    if len(cells) == width - 1:
        return (*cells, "") if all(not row[-1] for row in rows) else ("", *cells)
    return cells


def _start(name: str, opened: Opener, facts: TextFacts) -> str:
    """The first whole lines."""
    try:
        with decoded(opened, facts.encoding) as file:
            text = file.read(START)
            if len(text) < START:
                return text
            if "\n" not in text:  # a long header
                text += file.read(LONGEST_HEADER - START)
            return text[: text.rfind("\n") + 1] or text
    except UnicodeError:
        raise not_decoded(name, opened, facts.encoding) from None


def text_table(
    session: DuckSession,
    name: str,
    path: Path,
    opened: Opener,
    options: FileOptions,
    *,
    by_name: str | None,
    gzipped: bool,
    own: bool = False,
) -> Converted:
    """Open a text file.

    Parameters
    ----------
    session
        Where it is read.
    name
        What to call it.
    path, opened
        Its place, and what opens its bytes, decompressed.
    options
        What the user states.
    by_name
        The delimiter that its name implies.
    gzipped
        Whether the file is compressed, in the way that DuckDB reads.
    own
        Whether Shoal wrote it: then its names are what they are.
    """
    form = text_form(name, opened, options, by_name, own=own)
    facts = form.facts
    plain = facts.encoding.lower() in ("utf-8", "utf8", "ascii") and not (facts.mixed_ends or facts.end_sign)
    if plain and form.simple_top:
        readable, compression = session.readable(path), "gzip" if gzipped else "none"
    else:
        copy = session.folder / f"{session.fresh('text')}.csv"
        copy_text(name, opened, copy, facts, form.dialect, form.top)
        readable, compression = str(copy), "none"
    found = form.found or [generic(position) for position in range(1, form.width + 1)]
    names, renamed = distinct_names(found, trim=not own)
    relation = _relation(readable, compression, form, names)
    empty = _empty_columns(
        session, name, relation, [n for n, f in zip(names, found, strict=True) if not f.strip()]
    )
    notes = list(form.notes)
    if empty:
        notes.append(
            f"left out {len(empty)} column{'s' * (len(empty) > 1)} without a name and without a cell"
        )
        names = [each for each in names if each not in empty]
        relation = f"(SELECT {', '.join(map(quoted, names))} FROM {relation})"
    reading = FileReading(
        format="csv",
        encoding=facts.encoding,
        delimiter=form.dialect.delimiter,
        quote=form.dialect.quote,
        escape=form.dialect.escape,
        header=form.header.header,
        skip=form.skip,
        renamed={each: old for each, old in renamed.items() if each in names},
        stated=tuple(each for each in options.stated if each != "sheet"),
        notes=tuple(notes),
    )
    return Converted(relation=relation, reading=reading)


def _relation(readable: str, compression: str, form: TextForm, names: Sequence[str]) -> str:
    quote = "" if form.dialect.quote == NO_QUOTE else form.dialect.quote
    columns = "{" + ", ".join(f"{literal(each)}: 'VARCHAR'" for each in names) + "}"
    return (
        f"read_csv({literal(readable)}, auto_detect = false, header = false, skip = {form.top}, "
        f"delim = {literal(form.dialect.delimiter)}, quote = {literal(quote)}, "
        f"escape = {literal(form.dialect.escape or quote)}, nullstr = '', allow_quoted_nulls = false, "
        f"strict_mode = true, compression = '{compression}', columns = {columns})"
    )


def _empty_columns(session: DuckSession, name: str, relation: str, unnamed: Sequence[str]) -> list[str]:
    """The columns without a name that have no cell, like those of a delimiter at the end of lines."""
    if not unnamed:
        return []
    counts = ", ".join(f"count({quoted(each)})" for each in unnamed)
    (found,) = session.fetched(f"SELECT {counts} FROM {relation}", name)
    return [each for each, cells in zip(unnamed, found, strict=True) if cells == 0]
