"""Groups and costs by their definitions, row by row and with no more than dictionaries: slow and plain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from shoal.cost import CellMetric, CostMetric, Height
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import Demand


def groups_of(table: FrequencyTable, recoding: Recoding) -> dict[tuple[int, ...], list[int]]:
    """The groups that a recoding induces on its refined table: released values -> indices of their lines."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, values in enumerate(recoding.released(table).tolist()):
        groups.setdefault(tuple(values), []).append(index)
    return groups


def judged(
    table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand]
) -> Iterator[tuple[tuple[int, ...], list[int], int, bool]]:
    """Per group its released values, its distinct rows, how many rows it has, and whether it is released."""
    table, least = recoding.refined(table), recoding.smallest_kept(k)
    for values, rows in groups_of(table, recoding).items():
        size = int(table.counts[rows].sum())
        released = size >= least and not recoding.suppresses(values)
        if released and models:
            group = table.group(rows)
            released = all(model.admits(group, table.people) for model in models)
        yield values, rows, size, released


def sizes_of(
    table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand]
) -> list[tuple[int, bool]]:
    """Per group its rows, and whether it is released."""
    return [(size, released) for _, _, size, released in judged(table, recoding, k, models)]


def plain_cost(
    metric: CostMetric, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()
) -> Cost:
    """What a recoding costs; of cells the sum of what each loses."""
    if isinstance(metric, Height):  # looks at no row
        return metric.of(table, recoding, k, models)
    found = list(judged(table, recoding, k, models))
    lost = sum(size for _, _, size, released in found if not released)
    kept = [(values, rows, size) for values, rows, size, released in found if released]
    if isinstance(metric, CellMetric):
        units = [metric.cell_units(table, recoding, a) for a in range(len(table.domains))]
        total = lost * metric.row_units(table) - metric.offset(table)
        for values, _, size in kept:
            total += size * sum(units[a][value] for a, value in enumerate(values))
        return Fraction(total) / metric.scale(table)
    if metric.name == "classification":
        for _, rows, size in kept:
            labels: Counter[int] = Counter()
            for row in rows:
                labels.update(dict(enumerate(table.label_counts[row].tolist())))
            lost += size - max(labels.values())
        return lost
    by_name: dict[str, Cost] = {
        "discernibility": sum(size**2 for _, _, size in kept) + lost * table.rows,
        "groups": table.rows - len(kept),
        "average-group-size": Fraction(table.rows, max(1, len(kept))),
        "suppressed-rows": lost,
    }
    return by_name[metric.name]
