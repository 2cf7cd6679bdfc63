"""A front as plain values: lines of a table, facts for JSON, and the data of its page."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.errors import PolicyError
from shoal.model.version import version
from shoal.objectives import Number
from shoal.pipeline.front.knee import is_by_ratio
from shoal.pipeline.front.point import FrontPoint

if TYPE_CHECKING:
    from shoal.pipeline.front.front import Front


def lines_of(front: Front) -> list[dict[str, Any]]:
    """A flat dictionary per point: its number, its values, and what is proved, or its levels."""
    columns = [domain.name for domain in front.table.domains]
    lines = []
    for point in front.points:
        line: dict[str, Any] = {"point": point.number, "k": point.k}
        line.update({name: _plain(point.values[name]) for name in front.names if name != "k"})
        line.update(groups=point.groups, suppressed=point.suppressed)
        if point.levels is None:
            line.update(_proved(point))
        else:
            named = zip(columns, point.levels, strict=True)
            line.update({f"level of {name}": level for name, level in named})
        lines.append(line)
    return lines


def frame_of(front: Front) -> Any:
    """The lines as a data frame of pandas, polars or pyarrow, whichever is installed."""
    rows = lines_of(front)
    for name, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
        if importlib.util.find_spec(name) is not None:
            kind = getattr(importlib.import_module(name), make)
            return kind.from_pylist(rows) if name == "pyarrow" else kind(rows)
    raise PolicyError("none of pandas, polars, pyarrow is installed; use to_dicts(), or install one")


def csv_of(front: Front) -> str:
    """The lines as CSV."""
    rows = lines_of(front)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else ["point"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def facts_of(front: Front) -> dict[str, Any]:
    """All that is known, as plain values."""
    suggested = front.suggested
    return {
        "shoal": version(),
        "algorithm": front.algorithm,
        "recoding": front.recoding,
        "exact": front.exact,
        "evaluated": front.evaluated,
        "lattice": front.lattice,
        "kind": front.kind,
        "seconds": round(front.seconds, 3),
        "rows": front.table.rows,
        "suppression": front.policy.suppression.stated,
        "risk": front.risk,
        "suggested": None if suggested is None else suggested.number,
        "suggestion": front.suggestion,
        "columns": [domain.name for domain in front.table.domains],
        "objectives": [{"name": each.name, "better": each.better} for each in front.objectives],
        "points": [_facts(front, point) for point in front.points],
    }


def page_facts(front: Front) -> dict[str, Any]:
    """What the page shows: the facts, examples of groups, and what becomes of each column."""
    facts = facts_of(front)
    for shown, point in zip(facts["points"], front.points, strict=True):
        shown["examples"] = [{"labels": labels, "rows": rows} for labels, rows in front.examples(point)]
        if point.levels is None:
            shown["recoding"] = _columns(front, point)
    facts["heights"] = [
        domain.hierarchy.height if domain.tree is not None else None for domain in front.table.domains
    ]
    facts["least_k"] = front.policy.k
    facts["by_ratio"] = [name for name in front.names if is_by_ratio(name)]
    facts["least_shown"] = front.least_shown
    return facts


def _facts(front: Front, point: FrontPoint) -> dict[str, Any]:
    domains = front.table.domains
    # Row by row a column can have as many labels as groups: they are counted, not listed, for each point.
    recoding = (
        _columns(front, point)
        if front.recoding == "rows"
        else point.recoding.describe(domains, front.revealed_codes(point))
    )
    return {
        "point": point.number,
        "k": point.k,
        "values": {name: _plain(value) for name, value in point.values.items()},
        "groups": point.groups,
        "suppressed": point.suppressed,
        **(_proved(point) if point.levels is None else {}),
        "recoding": recoding,
        "alternatives": [each.describe(domains) for each in point.alternatives],
    }


def _columns(front: Front, point: FrontPoint) -> dict[str, Any]:
    named = zip(front.table.domains, front.columns(point), strict=True)
    return {domain.name: {"labels": each.labels, "loss": round(each.loss, 6)} for domain, each in named}


def _proved(point: FrontPoint) -> dict[str, Any]:
    return {"status": point.status.value, "bound": _plain(point.bound)}


def _plain(value: Number | None) -> int | float | None:
    return float(value) if isinstance(value, Fraction) else value
