"""How the cells of a quasi-identifier are read, once every doubt is settled: values, or a `PolicyError`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shoal.errors import PolicyError
from shoal.model.cells.cell_form import CellForm
from shoal.model.cells.missing_markers import marker_text
from shoal.model.cells.recognise import Recognised, Stated, recognise
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.order.arrangement import LISTED, OF_HIERARCHY, Arrangement
from shoal.model.order.plain_words import is_unknown
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.table.cell_reading import CellReading
from shoal.model.table.domain import Kind, Value

Locate = Callable[[Sequence[int]], str]
"""Describes where distinct cells, given by their indices, are: how many rows, and the first rows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadCells:
    """How a column is read: `Recognised`, once every doubt is settled."""

    kind: Kind
    form: CellForm | None
    values: list[Value]
    markers: tuple[int, ...]
    recognised: Recognised


def read_column(
    attribute: Attribute,
    cells: Sequence[object],
    kind: Kind | None,
    hierarchy: Hierarchy | None,
    locate: Locate,
) -> ReadCells:
    """How the cells of a column are read; `PolicyError` if the policy must say more."""
    name, leaves = attribute.name, () if hierarchy is None else hierarchy.leaves
    stated = Stated.of(attribute, kind, leaves)
    found = recognise(cells, stated)
    if found.ambiguous:
        if attribute.role is Role.QUASI_IDENTIFIER:
            raise _ambiguous(name, found)
        found = recognise(cells, replace(stated, type="category"))
    if found.values is None:
        raise _unreadable(attribute.name, found, locate, typed=stated.typed)
    return ReadCells(
        kind=found.kind, form=found.form, values=found.values, markers=found.markers, recognised=found
    )


def _ambiguous(name: str, found: Recognised) -> PolicyError:
    choices = " or ".join(f'format = "{each}"' for each in found.ambiguous)
    what = (
        "it is not clear which comma or point marks decimals, and which marks thousands"
        if found.kind == "number"
        else "every day is at most 12, so day and month could be either way round"
    )
    return PolicyError(
        f"the {found.kind}s of column {name!r} can be read in {len(found.ambiguous)} ways: {what}. State "
        f'{choices} under [attributes.{name}] (Python: formats; flag: --format), or type = "category"'
    )


def _unreadable(name: str, found: Recognised, locate: Locate, *, typed: bool) -> PolicyError:
    where = locate(found.unread) if found.unread else "some with a time zone and some without"
    read_as = f"type '{found.kind}'" if found.form is None else f"{found.kind}s like {found.form.format}"
    marked = "" if typed else "list them under missing = [...] if they mean that a value is missing, "
    return PolicyError(
        f"column {name!r} is to be read as {read_as}, but {len(found.unread) or 'its'} distinct value(s) "
        f'cannot be: {where}; correct them, {marked}or set type = "category"'
    )


def reading_of(
    found: ReadCells,
    cells: Sequence[object],
    arrangement: Arrangement | None,
    locate: Locate,
) -> CellReading:
    """The reading as people see it; the rows of markers are counted later."""
    recognised = found.recognised
    reading = CellReading(
        type=found.kind,
        form=found.form,
        missing=dict.fromkeys(sorted({marker_text(cells[at]) for at in found.markers}), 0),
        decided=recognised.decided,
    )
    others = [cells[at] for at in recognised.unread]
    # 90+ after 89 is in its place, whatever it is called.
    placed = arrangement is not None and arrangement.how == "recognised"
    settled = placed and not any(isinstance(each, str) and is_unknown(each) for each in others)
    if recognised.mostly is None or arrangement in (LISTED, OF_HIERARCHY) or settled:
        return reading
    return replace(reading, mostly=recognised.mostly, others=len(others), where=locate(recognised.unread))
