"""Policies to begin with: what each sets, for the columns there are. No page code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal import Inspected, Role
from shoal.studio.draft import Draft

if TYPE_CHECKING:
    from shoal.model.table.inspected import InspectedColumn

    Models = Callable[[InspectedColumn], list[dict[str, Any]]]


@dataclass(frozen=True)
class Preset:
    """A beginning.

    Parameters
    ----------
    name, purpose
        What it is called, and whom it is for.
    k
        What it sets.
    whole
        Models of the release as a whole.
    of_column
        Models of each sensitive column.
    sets
        What it sets, in words.
    """

    name: str
    purpose: str
    k: int
    sets: str
    whole: tuple[dict[str, Any], ...] = ()
    of_column: Models = lambda _: []


def _distinct(l_: int) -> Models:
    """Of a column with fewer values, as many as it has."""
    return lambda column: [
        {"name": "distinct-l-diversity", "attribute": column.name, "l": max(1, min(l_, column.distinct))}
    ]


def _close(column: InspectedColumn) -> list[dict[str, Any]]:
    ordered = column.kind in ("number", "date")
    close: dict[str, Any] = {"name": "t-closeness", "attribute": column.name, "t": 0.2 if ordered else 0.4}
    return [*_distinct(3)(column), {**close, "ground": "ordered"} if ordered else close]


PRESETS = (
    Preset(
        "Research under agreement",
        "For known researchers who have agreed not to identify anybody.",
        5,
        "k = 5; at least 2 different values of each sensitive column in a group",
        of_column=_distinct(2),
    ),
    Preset(
        "Public use file",
        "For anybody. The greatest risk stays below 0.09, which EMA and Health Canada use for publication.",
        12,
        "k = 12; at least 3 different values of each sensitive column in a group",
        of_column=_distinct(3),
    ),
    Preset(
        "Strict: sensitive diagnoses",
        "When the danger is what a group reveals about its people.",
        10,
        "k = 10; of each sensitive column at least 3 different values, and spread as in the whole table "
        "(t-closeness 0.4, for numbers and dates 0.2 by order)",
        of_column=_close,
    ),
    Preset(
        "CMS: no cell below 11",
        "The rule of the Centers for Medicare and Medicaid Services for small cells.",
        11,
        "k = 11; no model of sensitive columns",
    ),
    Preset(
        "ONS: fewer than 10 are reviewed",
        "The threshold of the Office for National Statistics.",
        10,
        "k = 10; no model of sensitive columns",
    ),
    Preset(
        "Average risk 0.09",
        "When a rule of EMA or Health Canada is read as a mean over all rows.",
        5,
        "k = 5; average risk of the release at most 0.09",
        whole=({"name": "average-risk", "preset": "ema"},),
    ),
)


def apply(preset: Preset, draft: Draft, inspected: Inspected) -> None:
    """Set k and the models; the column of persons and what may be lost stay."""
    models = [dict(model) for model in preset.whole]
    for column in inspected.columns:
        if draft.role(column.name) is Role.SENSITIVE:
            models.extend(preset.of_column(column))
    draft.say("privacy", "k", min(preset.k, max(inspected.rows, 1)))
    draft.say("privacy", "models", models or None)
