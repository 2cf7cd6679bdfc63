"""Decides how a column's cells are read, from all its distinct cells: missing markers, numbers, dates.

What reads as plain numbers or ISO dates is read so, as ever. Otherwise the usual missing markers are set
aside, and one form must read every other cell. If two forms do, and give different values, the column is
ambiguous, and the policy must state its format. If a form reads most cells but not all, the column stays one
of categories, and the others are reported.

The order of the cells does not matter: every engine gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shoal.model.cells.cell_form import CellForm, parse_format
from shoal.model.cells.form_attempts import Attempt, attempted, best_attempts
from shoal.model.cells.missing_markers import StatedMarkers, is_marker
from shoal.model.cells.values import UnreadableError, read, text_of
from shoal.model.order.calendar_order import clock_times, halves, months, quarters, weeks
from shoal.model.table.cell_reading import Decided

if TYPE_CHECKING:
    from shoal.model.policy.attribute import Attribute
    from shoal.model.table.domain import Kind, Value

_LONGEST = 40
"""Signs of the longest month or quarter with its year."""
_FEW = 4
"""Other values are few if there are at least this many numbers or dates for each of them."""


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What is known of a column before its cells are read.

    Parameters
    ----------
    type
        What its values are, if the policy or the column's own type says it.
    typed
        Whether the column's own type says it: then its cells are plain.
    form
        The form that the policy states.
    missing
        The markers that the policy states; `None` if the usual ones are to be recognised.
    values
        Texts that the policy names as values, so that they are no markers.
    """

    type: Kind | None = None
    typed: bool = False
    form: CellForm | None = None
    missing: StatedMarkers | None = None
    values: frozenset[str] = frozenset()

    @classmethod
    def of(cls, attribute: Attribute, kind: Kind | None = None, leaves: Iterable[str] = ()) -> Stated:
        """What a policy states of a column.

        Parameters
        ----------
        attribute
            The column's settings.
        kind
            The kind that the column's own type implies, if it implies one.
        leaves
            The leaves of its hierarchy.
        """
        form = None if attribute.format is None else parse_format(attribute.format)
        stated = "number" if attribute.bin is not None else attribute.kind
        if stated is None and form is not None:
            stated = form.kind
        return cls(
            type=stated or kind,
            typed=stated is None and kind is not None,
            form=form,
            missing=None if attribute.missing is None else StatedMarkers(attribute.missing),
            values=frozenset((*leaves, *(text_of(each) for each in attribute.listed or ()))),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Recognised:
    """How a column's cells are read.

    Parameters
    ----------
    kind, form
        What its values are, and how they are written; `None` for plain ones.
    values
        The value of each cell; `None` for missing ones. `None` in place of the list if the policy or the type
        states a kind that not every cell is of.
    markers
        The positions of cells that are present, and mean "missing".
    unread
        The positions of cells that are not of the stated kind, or not of the kind that most are.
    decided, ambiguous, mostly
        As in `CellReading`.
    """

    kind: Kind
    form: CellForm | None = None
    values: list[Value] | None
    markers: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    decided: Decided = "plain"
    ambiguous: tuple[str, ...] = ()
    mostly: Kind | None = None


def recognise(cells: Sequence[object], stated: Stated) -> Recognised:
    """How the distinct cells of a column are read.

    Parameters
    ----------
    cells
        The cells, in any order; `None` for one that is missing.
    stated
        What is known already.
    """
    markers = _stated_markers(cells, stated.missing)
    known = _without(cells, markers)
    if stated.type == "category" or any(isinstance(cell, bool) for cell in known):
        return _categories(known, markers, stated)
    if stated.form is None:
        plain = _plain(known, stated)
        if plain is not None:
            return replace(plain, markers=(*markers, *plain.markers), decided=_decided(plain, stated))
    if stated.missing is None and not stated.typed:
        found = _usual_markers(known, stated)
        if found:
            rest = _recognised(_without(known, found), stated)
            if rest.mostly is None and not rest.ambiguous and rest.kind != "category":
                return replace(rest, markers=(*found, *rest.markers))
            if rest.ambiguous:
                return replace(rest, values=read(cells, "category"))
            if stated.type is None and _is_calendar(known, found):
                return replace(rest, markers=found, decided="recognised")
    return replace(_recognised(known, stated), markers=tuple(markers))


def _recognised(known: list[object], stated: Stated) -> Recognised:
    """How cells are read once missing ones are set aside."""
    if stated.form is not None:
        return _read_in(known, stated.form, "stated")
    plain = _plain(known, stated)
    if plain is not None:
        return replace(plain, decided="recognised")
    found = None if stated.typed else _in_some_form(known, stated)
    if found is not None:
        return found
    if stated.type is None:
        return _categories(known, (), stated)
    return _unreadable(known, stated.type)


def _plain(known: Sequence[object], stated: Stated) -> Recognised | None:
    """Plain numbers or ISO dates, if every cell is one."""
    kinds: tuple[Kind, ...] = ("number", "date") if stated.type is None else (stated.type,)
    for kind in kinds:
        try:
            values = read(known, kind)
        except UnreadableError:
            continue
        if stated.type is not None or any(value is not None for value in values):
            # NaN of a column of doubles is no text that somebody wrote for a missing value.
            written = [] if stated.typed else [at for at, cell in enumerate(known) if isinstance(cell, str)]
            return Recognised(
                kind=kind, values=values, markers=tuple(at for at in written if values[at] is None)
            )
    return None


def _decided(plain: Recognised, stated: Stated) -> Decided:
    if stated.missing is not None and not stated.typed:
        return "stated"
    return "recognised" if plain.markers else "plain"


def _in_some_form(known: list[object], stated: Stated) -> Recognised | None:
    """The form that reads all cells, or most of them if no kind is stated."""
    present = [cell for cell in known if cell is not None]
    texts = sorted({cell for cell in present if isinstance(cell, str)})
    most = len(present) if stated.type is not None else len(present) // (_FEW + 1)
    if not texts or (stated.type is None and sum(not _has_digit(text) for text in texts) > most):
        return None
    best = best_attempts(known, texts, stated.type, most)
    if not best:
        return None
    first = best[0]
    if first.unread:
        return _mostly(known, first, stated)
    different = {tuple(each.values): each.form.format for each in reversed(best)}
    if len(different) > 1:
        formats = tuple(
            dict.fromkeys(each.form.format for each in best if each.form.format in different.values())
        )
        return _categories(known, (), stated, ambiguous=formats, kind=first.form.kind)
    return Recognised(kind=first.form.kind, form=first.form, values=first.values, decided="recognised")


def _read_in(known: Sequence[object], form: CellForm, decided: Decided) -> Recognised:
    attempt = attempted(known, form, len(known))
    if attempt is None or attempt.unread:
        unread = () if attempt is None else attempt.unread
        return Recognised(kind=form.kind, form=form, values=None, unread=unread, decided=decided)
    return Recognised(kind=form.kind, form=form, values=attempt.values, decided=decided)


def _mostly(known: list[object], attempt: Attempt, stated: Stated) -> Recognised | None:
    """A column in which most cells are numbers or dates; refused if the policy says that all are."""
    if stated.type is not None:
        return Recognised(kind=stated.type, form=attempt.form, values=None, unread=attempt.unread)
    distinct = {value for value in attempt.values if value is not None}
    if len(distinct) < _FEW * len(attempt.unread) or len(distinct) < _FEW - 1:
        return None
    return replace(
        _categories(known, (), stated), mostly=attempt.form.kind, unread=attempt.unread, decided="recognised"
    )


def _categories(
    known: Sequence[object],
    markers: Sequence[int],
    stated: Stated,
    *,
    ambiguous: tuple[str, ...] = (),
    kind: Kind = "category",
) -> Recognised:
    decided: Decided = "stated" if stated.missing is not None else "plain"
    values = read(known, "category")
    if ambiguous:
        return Recognised(kind=kind, values=values, ambiguous=ambiguous, decided="recognised")
    return Recognised(kind="category", values=values, markers=tuple(markers), decided=decided)


def _unreadable(known: Sequence[object], kind: Kind) -> Recognised:
    def fails(cell: object) -> bool:
        try:
            read([cell], kind)
        except UnreadableError:
            return True
        return False

    return Recognised(
        kind=kind, values=None, unread=tuple(at for at, cell in enumerate(known) if fails(cell))
    )


def _is_calendar(known: Sequence[object], markers: Sequence[int]) -> bool:
    """Whether all other cells are parts of a calendar or clock: categories, but nothing that NA could be."""
    texts = [cell for cell in _without(known, markers) if cell is not None]
    if len(texts) < _FEW - 1 or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
        return False
    schemes = (months, quarters, halves, weeks, clock_times)
    return any(scheme(texts) is not None for scheme in schemes)  # type: ignore[arg-type]


def _stated_markers(cells: Sequence[object], missing: StatedMarkers | None) -> tuple[int, ...]:
    return () if missing is None else tuple(at for at, cell in enumerate(cells) if cell in missing)


def _usual_markers(known: Sequence[object], stated: Stated) -> tuple[int, ...]:
    return tuple(
        at
        for at, cell in enumerate(known)
        if isinstance(cell, str) and is_marker(cell) and cell.strip() not in stated.values
    )


def _without(cells: Sequence[object], markers: Sequence[int]) -> list[object]:
    known = list(cells)
    for at in markers:
        known[at] = None
    return known


_DIGITS = frozenset("0123456789")


def _has_digit(text: str) -> bool:
    return not _DIGITS.isdisjoint(text)
