"""What treatments promise about a column as a whole: pseudonyms, shifts, noise, swaps, means."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

from shoal.auditor.original.column_check import same_text
from shoal.auditor.treated.compared_column import ComparedColumn, Facts
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.number_text import number_of

_ENOUGH = 100
"""With fewer rows a share or a spread says nothing."""
_FAR = 8.0
"""Standard deviations that no honest draw is away: once in 10^15 releases."""
_SMALLEST_DRAW = 2.0**-54
"""No uniform number that noise is made from is nearer to 0 or 1."""


def one_to_one(column: ComparedColumn) -> str | None:
    """Equal cells have equal pseudonyms and different ones different, in all columns of a domain."""
    domain = column.own.get("domain")
    names = [column.column]
    if domain is not None:
        names = [name for name, facts in column.facts.items() if _shares(facts, domain)]
    pseudonyms: dict[object, str] = {}
    values: dict[str, object] = {}
    for name in names:
        for text, original, _ in column.of(name).pairs:
            if text is None or original is None:
                continue
            value = same_text(original)
            if pseudonyms.setdefault(value, text) != text or values.setdefault(text, value) != value:
                return "does not have exactly one pseudonym for each value"
    if column.own["format"] == "code" and column.values() & {same_text(each) for each in values}:
        return "has pseudonyms that are values of the source"
    return None


def _shares(facts: Facts, domain: str) -> bool:
    return facts["name"] == "pseudonym" and facts.get("domain") == domain


def one_shift_per_person(column: ComparedColumn) -> str | None:
    """All dates of a person move by the same days, in all columns that are shifted by the same column."""
    by, most = column.own["by"], column.own["days"]
    names = [
        name
        for name, facts in column.facts.items()
        if facts["name"] == "shift" and facts["by"] == by and facts["days"] == most
    ]
    people = column.original.column(by)[column.rows].tolist()
    known = [text is not None for text in column.original.texts(by)]
    days: dict[int, Fraction] = {}
    for name in names:
        written, original = column.of(name).row_values(day_of)
        for person, new, old in zip(people, written, original, strict=True):
            if new is None or old is None:
                continue
            moved = new - old
            if moved.denominator != 1 or not 1 <= abs(moved) <= most:
                return f"has dates that did not move by 1 to {most} whole days"
            if known[person] and days.setdefault(person, moved) != moved:
                return f"does not keep the intervals between the dates of one {by!r}"
    return None


def is_noise(column: ComparedColumn) -> str | None:
    """Each number is as near as the noise allows, and all together are as far as it makes them."""
    scale, laplace = float(column.own["scale"]), column.own["distribution"] == "laplace"
    written, original = column.row_values(number_of)
    moved = [
        float(new - old)
        for new, old in zip(written, original, strict=True)
        if new is not None and old is not None
    ]
    if not moved:
        return None
    step = 10.0 ** -_most_places(column)  # numbers are rounded to the decimals of the column
    most = scale * (-math.log(2 * _SMALLEST_DRAW) if laplace else 9.0) + step
    if max(map(abs, moved)) > most:
        return "has numbers that are farther from their original ones than the noise can move them"
    deviation = scale * (math.sqrt(2) if laplace else 1.0)
    mean = sum(moved) / len(moved)
    if len(moved) >= _ENOUGH and abs(mean) > _FAR * (deviation + step) / math.sqrt(len(moved)):
        return "has noise whose mean is not 0"
    spread = math.sqrt(sum(each * each for each in moved) / len(moved))
    if len(moved) >= _ENOUGH and not 0.3 * deviation - step <= spread <= 3 * deviation + step:
        return "has noise of another scale than the manifest says"
    return None


def is_swapped(column: ComparedColumn) -> str | None:
    """The column has the values that it had, and no row got one from farther away than allowed."""
    read = number_of if all(number_of(text) is not None for text in _texts(column)) else day_of
    every = [None if text is None else read(text) for text in column.original.texts(column.column)]
    counts = Counter(every[code] for code in column.original.column(column.column).tolist())
    del counts[None]
    first: dict[Fraction | None, int] = {}
    below = 0
    for value in sorted(each for each in counts if each is not None):
        first[value] = below
        below += counts[value]
    most = int(below * Fraction(str(column.own["within"])) / 100)
    written, original = column.row_values(read)
    for new, old in zip(written, original, strict=True):
        if new is None or old is None:
            continue
        if new not in first:
            return "has values that the source does not have"
        low, high = (new, old) if first[new] <= first[old] else (old, new)
        # Rows of one value have several ranks; the nearest two of them count.
        if low != high and first[high] - (first[low] + counts[low] - 1) > most:
            return "has values from rows that are farther apart than the manifest says"
    more = Counter(each for each in written if each is not None) - counts
    if more:
        return "has values more often than the source"
    return None


def is_redrawn(column: ComparedColumn) -> str | None:
    """Categories are those of the source, and about as many cells changed as the probability makes change."""
    values = column.values()
    rows = changed = 0
    for text, original, count in column.pairs:
        if text is None or original is None:
            continue
        if same_text(text) not in values:
            return "has values that the source does not have"
        rows += count
        changed += 0 if same_text(text) == same_text(original) else count
    if rows < _ENOUGH or column.left_out:
        return None
    counts = Counter[object]()
    for _, original, count in column.pairs:
        if original is not None:
            counts[same_text(original)] += count
    same = sum((count / rows) ** 2 for count in counts.values())
    expected = (1 - float(column.own["keep"])) * (1 - same)
    if abs(changed / rows - expected) > _FAR * 0.5 / math.sqrt(rows):
        return "has another share of changed cells than the probability in the manifest makes"
    return None


def are_means(column: ComparedColumn) -> str | None:
    """Each mean is that of at least k rows; rows that were left out may be missing from its group."""
    k = column.own["k"]
    written, original = column.row_values(number_of)
    rows: defaultdict[Fraction, list[Fraction]] = defaultdict(list)
    for new, old in zip(written, original, strict=True):
        if new is not None and old is not None:
            rows[new].append(old)
    lacking = sum(max(0, k - len(each)) for each in rows.values())
    if lacking > column.left_out:
        return f"has means of fewer than {k} rows"
    if column.left_out:
        return None
    near = Fraction(1, 2 * 10 ** (_most_places(column) + 2))
    for mean, each in rows.items():
        exact = sum(each, Fraction(0)) / len(each)
        # A double has about 16 digits, and a frame or a typed file has doubles.
        if abs(exact - mean) > near + abs(exact) / 10**15:
            return "has numbers that are not the means of their rows"
    return None


def _most_places(column: ComparedColumn) -> int:
    """The most decimals of a number of the source; at most 12 are written."""
    return min(12, max(map(_places, _texts(column)), default=0))


def _texts(column: ComparedColumn) -> list[str]:
    """The known texts of the source that a row has."""
    used = set(column.original.column(column.column).tolist())
    texts = column.original.texts(column.column)
    return [text for code, text in enumerate(texts) if text is not None and code in used]


def is_generalized(column: ComparedColumn) -> str | None:
    """Each cell is the label that the hierarchy has for its original value."""
    hierarchy, level = column.hierarchies.get(column.column), column.own["level"]
    if hierarchy is None:
        return None
    labels = {same_text(row[0]): row[level] for row in hierarchy.rows}
    for text, original, _ in column.pairs:
        if text is not None and original is not None and labels.get(same_text(original)) != text:
            return f"has cells that are not the labels of level {level}"
    return None


def _places(text: str) -> int:
    """Decimals of a number, at least as many as it needs."""
    value = number_of(text)
    if value is None:
        return 0
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    return places
