"""The domain of a quasi-identifier, and the code that each distinct cell of its column gets."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sql.read_column import Locate, read_column, reading_of
from shoal.engines.sql.values import UnreadableError, moment, natural_key, number, read, text_of
from shoal.errors import PolicyError
from shoal.model.cells.cell_form import CellForm
from shoal.model.cells.missing_markers import StatedMarkers, marker_text
from shoal.model.cells.recognise import Stated, recognise
from shoal.model.cells.respelled import plain_texts, respelled
from shoal.model.hierarchy.coded_tree import Tree, tree_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.order.arrangement import LISTED, OF_HIERARCHY, SORTED, Arrangement
from shoal.model.order.recognised import recognised
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.domain import MISSING, SUPPRESSED, Domain, Kind, Value
from shoal.model.table.number_text import Number, bin_start
from shoal.model.table.number_text import number as exact_number

FROM_DATA = Arrangement(how="data", words="by frequency")
"""The order of a column that is yet to be learned from the counts of rows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Coding:
    """How the distinct cells of one column are coded.

    Parameters
    ----------
    domain
        The ordered domain.
    codes
        The code of each distinct cell, and at the end that of the missing cell, -1 if none is missing.
    faithful
        Whether each code represents exactly one distinct cell, none of them reads like a suppressed one, and
        only the missing cell means "missing". Only then may a column be released unchanged: "1" and "1.0"
        side by side would distinguish rows of one group, and a quoted empty field of a CSV file, which is
        missing, would be an empty text in Parquet. A column in another form than the plain one is never
        released unchanged: its labels are plain, and one column must be readable in one way.
    markers
        The positions of cells that are present, and mean "missing".
    """

    domain: Domain
    codes: NDArray[np.int32]
    faithful: bool
    markers: tuple[int, ...] = ()


def code_cells(
    attribute: Attribute, cells: Sequence[object], *, missing: bool, kind: Kind | None, locate: Locate
) -> Coding:
    """Derive the domain from the distinct cells of a column.

    Parameters
    ----------
    attribute
        What the policy states about the column.
    cells
        The distinct cells; `None` for those that mean "missing".
    missing
        Whether the column also has missing cells.
    kind
        The kind that the column's own type implies, if it implies one.
    locate
        Describes the rows in which distinct cells occur, for messages that must not quote the cells.
    """
    hierarchy = attribute.given_hierarchy()
    found = read_column(attribute, cells, kind, hierarchy, locate)
    kind, values = found.kind, found.values
    if hierarchy is not None:
        hierarchy = respelled(hierarchy, found.form)
    integral = all(isinstance(value, int) for value in values if value is not None)
    width = None if attribute.bin is None else exact_number(attribute.bin)
    if width is not None:
        integral = integral and isinstance(width, int)
        values = [None if value is None else bin_start(cast(Number, value), width) for value in values]
    kind, ordered, arrangement = _ordered(attribute, values, kind, found.form, hierarchy, locate)
    with_missing = missing or None in values
    domain = Domain(
        name=attribute.name,
        kind=kind,
        values=(*ordered, None) if with_missing else tuple(ordered),
        bin=width,
        integral=integral,
        arrangement=arrangement,
        reading=reading_of(found, cells, arrangement, locate),
    )
    if hierarchy is not None:
        domain = replace(domain, tree=_tree(domain, hierarchy, values, locate))
    code_of: dict[object, int] = {value: code for code, value in enumerate(domain.values)}
    codes = [code_of[value] for value in values] + [code_of[None] if with_missing else -1]
    one_to_one = attribute.bin is None and found.form is None and len(cells) + missing == len(domain)
    stars = any(isinstance(value, str) and value == SUPPRESSED for value in ordered)
    only_missing = None not in values
    return Coding(
        domain=domain,
        codes=np.array(codes, np.int32),
        faithful=one_to_one and not stars and only_missing,
        markers=found.markers,
    )


def code_together(
    attribute: Attribute,
    source: tuple[Sequence[object], bool],
    population: tuple[Sequence[object], bool],
    *,
    kind: Kind | None,
    locate: Locate,
) -> tuple[Coding, Coding]:
    """One domain for the column of a source and that of its population, and the coding of each.

    Parameters
    ----------
    attribute
        What the policy states about the column.
    source, population
        The distinct cells of each, and whether it also has missing cells.
    kind, locate
        As for `code_cells`; the indices of the population's cells follow those of the source's.
    """
    cells, missing = source
    both = code_cells(
        attribute, [*cells, *population[0]], missing=missing or population[1], kind=kind, locate=locate
    )
    end = len(cells)
    coded = both.codes[:end]
    seen = {*coded.tolist(), *([int(both.codes[-1])] if missing else [])}
    stars = any(both.domain.values[code] == SUPPRESSED for code in seen)
    only_missing = all(both.domain.values[code] is not None for code in coded.tolist())
    plain = attribute.bin is None and (both.domain.reading is None or both.domain.reading.form is None)
    return (
        replace(
            both,
            codes=np.append(coded, both.codes[-1]),
            faithful=plain and len(seen) == end + missing and not stars and only_missing,
            markers=tuple(at for at in both.markers if at < end),
        ),
        replace(both, codes=both.codes[end:], markers=()),
    )


def reordered(coding: Coding, order: Sequence[int], arrangement: Arrangement) -> Coding:
    """The coding with the known values of its domain in another order.

    Parameters
    ----------
    coding
        The coding; its domain has no hierarchy.
    order
        The present codes of the known values, in the new order.
    arrangement
        The reason for it.
    """
    domain = coding.domain
    places = [*order, *range(len(order), len(domain))]  # the missing value stays the last
    code_of = np.empty(len(domain) + 1, np.int32)
    code_of[places] = np.arange(len(domain))
    code_of[-1] = -1
    values = tuple(domain.values[code] for code in places)
    return replace(
        coding,
        domain=replace(domain, values=values, arrangement=arrangement),
        codes=code_of[coding.codes],
    )


def codes_in(domain: Domain, cells: Sequence[object], *, as_source: bool = False) -> list[int]:
    """The codes of cells in a domain built from other cells; -1 for values that it lacks.

    Parameters
    ----------
    domain
        The domain.
    cells
        The cells.
    as_source
        Whether they are written as the domain's own cells are, in their form and with their missing markers.
        Otherwise they are labels of a release, which are plain.
    """
    if as_source and domain.reading is not None and not domain.reading.is_plain:
        cells = _plain_cells(domain.reading, cells)
    values = domain.values[: len(domain) - domain.has_missing]
    by_text = {text_of(value): code for code, value in enumerate(values)}
    by_value = {_plain_key(value): code for code, value in enumerate(values)}
    kind: Kind = "category"
    if any(isinstance(value, datetime.date) for value in values):
        kind = "date"
    elif any(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in values):
        kind = "number"
    missing = len(domain) - 1 if domain.has_missing else -1
    codes = []
    for cell in cells:
        value = read([cell], kind)[0] if _readable(cell, kind) else read([cell], "category")[0]
        codes.append(
            missing if value is None else by_value.get(_plain_key(value), by_text.get(text_of(value), -1))
        )
    return codes


def _plain_cells(reading: CellReading, cells: Sequence[object]) -> list[object]:
    """Cells as their column is read: values in its form, and `None` for its missing markers."""
    known = [None if cell is not None and marker_text(cell) in reading.missing else cell for cell in cells]
    if reading.form is None:
        return known
    found = recognise(known, Stated(type=reading.type, form=reading.form, missing=StatedMarkers(())))
    return known if found.values is None else list(found.values)


def _plain_key(value: Value) -> object:
    if isinstance(value, datetime.date):
        return moment(value)
    return (type(value), value) if isinstance(value, bool) else value


def _readable(cell: object, kind: Kind) -> bool:
    try:
        read([cell], kind)
    except UnreadableError:
        return False
    return True


def _ordered(
    attribute: Attribute,
    values: Sequence[Value],
    kind: Kind,
    form: CellForm | None,
    hierarchy: Hierarchy | None,
    locate: Locate,
) -> tuple[Kind, list[Value], Arrangement | None]:
    """The distinct known values in the domain's order, the kind, which an order can change, and why."""
    natural = _natural(values, kind)
    if attribute.listed is not None:
        listed = [
            plain_texts([each], form)[0] if isinstance(each, str) else each for each in attribute.listed
        ]
        ordered = _arranged(attribute.name, "`order`", listed, values, natural, locate)
        if kind != "category" and ordered != natural:
            raise PolicyError(
                f"the `order` of column {attribute.name!r} is not increasing, but its type is '{kind}'; "
                'sort it, or set type = "category" if they are codes'
            )
        return kind, ordered, LISTED
    if hierarchy is not None:
        leaves = _tree_order(hierarchy)
        ordered = _arranged(attribute.name, "its hierarchy", leaves, values, natural, locate)
        if kind != "category" and _neighbours(natural, hierarchy):
            return kind, natural, None  # every label covers an interval of the values in their own order
        return "category", ordered, OF_HIERARCHY
    if kind != "category":
        if attribute.order_rule == "data":
            raise PolicyError(
                f"order = \"data\" is for categories, and column {attribute.name!r} is of type '{kind}'; "
                'leave it out, or set type = "category" if they are codes'
            )
        return kind, natural, None
    return kind, *_arranged_by_rule(attribute, natural)


def _arranged_by_rule(attribute: Attribute, natural: list[Value]) -> tuple[list[Value], Arrangement]:
    """Categories in the order that the policy's rule finds in them, as far as no row is needed for it."""
    rule, recipe = attribute.order_rule, attribute.hierarchy
    # Prefixes and groups are built over sorted values; the order of a sensitive column is never learned.
    shaped = isinstance(recipe, Recipe) and (recipe.prefixes or recipe.groups is not None)
    if rule == "sorted" or shaped or attribute.role is not Role.QUASI_IDENTIFIER:
        return natural, SORTED
    found = None if rule == "data" else recognised([text_of(value) for value in natural])
    if found is not None:
        return [natural[place] for place in found.order], found.arrangement
    if rule == "recognised" or len(natural) < 3:  # two values are neighbours in any order
        return natural, SORTED
    return natural, FROM_DATA


def _natural(values: Sequence[Value], kind: Kind) -> list[Value]:
    values_present = {value for value in values if value is not None}
    if kind == "category":
        return sorted(values_present, key=natural_key)
    return sorted(values_present, key=cast(Any, lambda value: value))  # values of one kind compare


def _arranged(
    name: str,
    what: str,
    order: Sequence[Value | float],
    values: Sequence[Value],
    known: Sequence[Value],
    locate: Locate,
) -> list[Value]:
    """The known values in the given order; a number and its text are the same value."""
    by_text = {text_of(value): value for value in known}
    by_number = {key: value for value in known if (key := _number(value)) is not None}
    ordered: list[Value] = []
    for entry in order:
        if text_of(entry) in by_text:
            ordered.append(by_text[text_of(entry)])
        elif (key := _number(entry)) is not None and key in by_number:
            ordered.append(by_number[key])
    if len(set(ordered)) < len(ordered):
        raise PolicyError(f"{what} of column {name!r} names a value twice; a number and its text are one")
    absent = set(known) - set(ordered)
    if absent:
        raise _missing_from(what, name, absent, values, locate)
    return ordered


def _number(value: Value | float) -> Number | None:
    if isinstance(value, bool):
        return None
    try:
        return number(value)
    except UnreadableError:
        return None


def _tree(domain: Domain, hierarchy: Hierarchy, values: Sequence[Value], locate: Locate) -> Tree:
    """The hierarchy over the codes of a domain; a number and its text are the same leaf."""
    hierarchy = _increasing(hierarchy, domain.kind)
    covered = domain.has_missing and hierarchy.find("") is not None
    values_present = domain.values if covered or not domain.has_missing else domain.values[:-1]
    rows_found = [hierarchy.find("" if value is None else text_of(value)) for value in values_present]
    places = [-1 if place is None else place for place in rows_found]
    absent = {value for value, place in zip(values_present, places, strict=True) if place < 0}
    if absent:
        raise _missing_from("its hierarchy", domain.name, absent, values, locate)
    if len(set(places)) < len(places):  # two codes on one leaf would lose more than all leaves together
        raise PolicyError(
            f"two values of column {domain.name!r} are one value in its hierarchy, like 1 and 1.0; write "
            "them alike, or give each a line"
        )
    texts = domain.labels(range(len(domain)))[: len(values_present)]
    missing = domain.has_missing and not covered
    if missing and hierarchy.height == 0:  # its only value cannot be the top of a missing one
        hierarchy = hierarchy.with_suppressed_top()
    rows: Sequence[Sequence[str]] = hierarchy.rows
    if missing and hierarchy.top != SUPPRESSED:  # the top must also be true of missing cells
        rows = [(*row[:-1], f"{hierarchy.top} or {MISSING}") for row in rows]
    return tree_of(rows, places, texts, missing=missing)


def _increasing(hierarchy: Hierarchy, kind: Kind) -> Hierarchy:
    """The hierarchy with its leaves in the order of their values; leaves without an order come last.

    An interval of numbers loses the leaves between its ends, wherever they are in the file.
    """
    if kind == "category":
        return hierarchy
    position = {leaf: _position(leaf, kind) for leaf in hierarchy.leaves}
    ranked = [row for row in hierarchy.rows if position[row[0]] is not None]
    others = [row for row in hierarchy.rows if position[row[0]] is None]
    return Hierarchy((*sorted(ranked, key=lambda row: cast(Any, position[row[0]])), *others))


def _position(leaf: str, kind: Kind) -> Value:
    """The sort key of a leaf; `None` if it is not of the kind."""
    if not leaf or not _readable(leaf, kind):
        return None
    value = read([leaf], kind)[0]
    return moment(value) if isinstance(value, datetime.date) else value


def _tree_order(hierarchy: Hierarchy) -> list[str]:
    """The leaves in an order that makes those below one label neighbours, close to the order of the file."""
    rank: list[dict[str, int]] = []
    for level in range(hierarchy.height + 1):
        number_of_label: dict[str, int] = {}
        for row in hierarchy.rows:
            number_of_label.setdefault(row[level], len(number_of_label))
        rank.append(number_of_label)
    height = hierarchy.height
    ordered = sorted(
        hierarchy.rows, key=lambda row: [rank[level][row[level]] for level in range(height, -1, -1)]
    )
    return [row[0] for row in ordered]


def _neighbours(ordered: Sequence[Value], hierarchy: Hierarchy) -> bool:
    """Whether the values below each label are neighbours."""
    rows = [
        hierarchy.rows[place] for value in ordered if (place := hierarchy.find(text_of(value))) is not None
    ]
    for level in range(1, hierarchy.height):
        labels = [row[level] for row in rows]
        runs = [
            label for position, label in enumerate(labels) if position == 0 or labels[position - 1] != label
        ]
        if len(set(runs)) < len(runs):
            return False
    return True


def _missing_from(
    what: str, name: str, absent: Collection[Value], values: Sequence[Value], locate: Locate
) -> PolicyError:
    where = locate([index for index, value in enumerate(values) if value in absent])
    return PolicyError(
        f"{len(absent):,} distinct value(s) of column {name!r} are missing from {what}: {where}; add them"
    )
