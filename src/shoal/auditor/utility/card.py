"""What the utility of a release shows of itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Card, Grid
from shoal.formatting.numbers import number, percent

if TYPE_CHECKING:
    from shoal.auditor.utility import Utility


def utility_card(utility: Utility) -> Card:
    """How distributions, associations, queries and models change."""
    queries = utility.queries
    return Card(
        title="Utility of the release",
        facts=(
            ("rows", f"{utility.rows:,} of {utility.originals:,}"),
            ("median error of a query", percent(queries.median_error)),
            ("mean error", percent(queries.mean_error)),
            ("queries", f"{queries.tried:,}"),
            ("change of associations", number(utility.mean_change)),
        ),
        tables=tuple(_tables(utility)),
        folded=(("Associations of columns", (_pairs(utility),)),) if utility.pairs else (),
    )


def _tables(utility: Utility) -> list[Grid]:
    tables = [
        Grid(
            caption="How far the distribution of a column is from the original's, 0 to 1",
            head=("column", "type", "distance"),
            rows=tuple((each.name, each.kind, number(each.distance)) for each in utility.columns),
            numbers=frozenset({2}),
            bars=((2, tuple(each.distance for each in utility.columns)),),
        )
    ]
    figures = [
        (f"{figure.name} of {each.column}", each.shown, figure)
        for each in utility.summaries
        for figure in each.figures
    ]
    if figures:
        tables.append(
            Grid(
                caption="What the release says of figures of the original",
                head=("figure", "original", "at least", "at most", "estimate"),
                rows=tuple(
                    (name, *map(shown, (each.original, each.lowest, each.highest, each.estimate)))
                    for name, shown, each in figures
                ),
                numbers=frozenset({1, 2, 3, 4}),
                marked=frozenset(place for place, (_, _, each) in enumerate(figures) if not each.contains),
            )
        )
    models = [each for each in (utility.classifier, utility.regressor) if each is not None]
    if models:
        tables.append(
            Grid(
                caption="Models that are trained on each table and tested on original rows",
                head=("predicts", "score", "on the original", "on the release", "without any column"),
                rows=tuple(
                    (
                        each.target,
                        each.score,
                        number(each.original),
                        number(each.released),
                        number(each.baseline),
                    )
                    for each in models
                ),
                numbers=frozenset({2, 3, 4}),
            )
        )
    return tables


def _pairs(utility: Utility) -> Grid:
    return Grid(
        caption="How strongly two columns are associated, 0 to 1",
        head=("columns", "original", "release"),
        rows=tuple(
            (f"{each.first}, {each.second}", number(each.before), number(each.after))
            for each in utility.pairs
        ),
        numbers=frozenset({1, 2}),
    )
