"""Privacy models by their formulas in docs/reference/privacy-models.md, over rows as dictionaries.

`admits` says of a group whether a model admits it, and `None` where rounding could decide. `check_models`
asks it of every released group.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.fuzz.cells import moment, number, size, text_of
from tests.fuzz.seen import Seen, all_rows

SLACK = 2e-9
Row = Mapping[str, Any]
Model = Mapping[str, Any]


def check_models(found: Seen) -> Iterator[tuple[str, str]]:
    """Every released group is admitted by every model."""
    if found.unverified:
        return
    request, groups = found.instance.request, found.groups()
    if len(found.sets) > 1:
        return
    for model in request.get("models", ()):
        if model["name"] == "average-risk":
            rows = sum(map(len, groups))
            if rows and Fraction(len(groups), rows) > Fraction(str(model["threshold"])) + Fraction(1, 10**8):
                yield "model-broken:average-risk", f"{len(groups)} groups of {rows} rows, and {dict(model)}"
            continue
        if model["name"] in TOGETHER:
            wrong = TOGETHER[model["name"]](model, list(map(len, groups)))
            if wrong:
                yield f"model-broken:{model['name']}", wrong
            continue
        if model["name"] == "k-map" and "subset" in request:
            yield from _population(found, model["k"])
            continue
        for group in groups:
            if admits(model, group, found.sources, request) is False:
                yield f"model-broken:{model['name']}", f"a group of {len(group)} rows against {dict(model)}"


def _at_risk(model: Model, sizes: list[int]) -> str:
    """Released rows in groups that are too small, above the share that may be."""
    least = Fraction(1) if model["name"] == "sample-uniqueness" else Fraction(str(model["threshold"]))
    small = sum(
        size
        for size in sizes
        if (size == 1 if model["name"] == "sample-uniqueness" else Fraction(1, size) > least)
    )
    rows = sum(sizes)
    broken = rows and Fraction(small, rows) > Fraction(str(model["most"])) + Fraction(1, 10**8)
    return f"{small} of {rows} rows, and {dict(model)}" if broken else ""


TOGETHER: Mapping[str, Callable[[Model, list[int]], str]] = {
    "rows-at-risk": _at_risk,
    "sample-uniqueness": _at_risk,
    # An estimate, which has tests of its own against its formulas.
    "population-uniqueness": lambda _, __: "",
}


def _population(found: Seen, k: int) -> Iterator[tuple[str, str]]:
    """Of every released row at least k rows of the whole source are such that its cells are true of them."""
    everybody = all_rows(found.instance)
    for row, _ in found.told:
        like = 0
        for other in everybody:
            like += all(
                found.may_be(name, cell, other[name])
                for name, cell in zip(found.quasi, found.key(row, found.quasi), strict=True)
            )
        if like < k:
            yield "model-broken:k-map", f"a row is like {like} of the source where k is {k}"
            return


def admits(
    model: Model, group: Sequence[Row], everybody: Sequence[Row], request: Mapping[str, Any]
) -> bool | None:
    """Whether a model of groups admits one; `None` if that is too close to call."""
    if model.get("joint"):
        others = {
            name: reading([row[name] for row in everybody])
            for name in request["sensitive"]
            if name != model["attribute"]
        }
        parts: dict[Any, list[Row]] = {}
        for row in group:
            parts.setdefault(tuple(read(row[name]) for name, read in others.items()), []).append(row)
        verdicts = [_admits(model, part, everybody, request) for part in parts.values()]
        return False if False in verdicts else None if None in verdicts else True
    return _admits(model, group, everybody, request)


def value_of(cell: Any) -> Any:
    """What makes a cell equal to another as a text."""
    return None if cell is None or cell == "" else text_of(cell)


def reading(cells: Sequence[Any]) -> Callable[[Any], str | None]:
    """What makes a cell of a sensitive column equal to another: one number or moment, if all are such.

    The value is the text that has it first.
    """
    known = [text for text in map(value_of, cells) if text is not None]
    kind = next((each for each in (number, moment) if all(each(text) is not None for text in known)), str)
    first: dict[Any, str] = {}
    for text in known:
        first.setdefault(kind(text), text)
    return lambda cell: None if value_of(cell) is None else first[kind(value_of(cell))]


def _admits(
    model: Model, group: Sequence[Row], everybody: Sequence[Row], request: Mapping[str, Any]
) -> bool | None:
    name = model["name"]
    if name == "k-anonymity":
        entity = model.get("entity")
        return len({row[entity] for row in group} if entity else group) >= model["k"]
    if name in ("k-map", "delta-presence"):
        people = sum((number(text_of(row[request["survey_weight"]])) or 0) for row in group)
        if name == "k-map":
            return people >= model["k"]
        share = math.inf if people == 0 else float(len(group) / people)
        return _all([_at_most(share, model["most"]), _at_most(model.get("least", 0), share)])
    read = reading([row[model["attribute"]] for row in everybody])
    counts = Counter(read(row[model["attribute"]]) for row in group)
    whole = Counter(read(row[model["attribute"]]) for row in everybody)
    return FORMULAS[name](model, counts, whole)


def _at_most(one: float, two: float) -> bool | None:
    return None if math.isfinite(one) and abs(one - two) <= SLACK * max(1, abs(two)) else one <= two


def _all(verdicts: list[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True


def _shares(counts: Counter[Any]) -> dict[Any, float]:
    return {value: count / counts.total() for value, count in counts.items()}


def _distinct(model: Model, counts: Counter[Any], _: Counter[Any]) -> bool | None:
    return len(counts) >= model.get("l", model.get("p", 0))


def _entropy(model: Model, counts: Counter[Any], _: Counter[Any]) -> bool | None:
    return _at_most(math.log(model["l"]), -sum(share * math.log(share) for share in _shares(counts).values()))


def _recursive(model: Model, counts: Counter[Any], _: Counter[Any]) -> bool | None:
    falling = sorted(counts.values(), reverse=True)
    most = Fraction(str(model["c"])) * sum(falling[model["l"] - 1 :])
    return falling[0] < most


def _alpha(model: Model, counts: Counter[Any], _: Counter[Any]) -> bool | None:
    limited = model.get("values")
    shares = [share for value, share in _shares(counts).items() if limited is None or value in limited]
    return _all([_at_most(share, model["alpha"]) for share in shares])


def _closeness(model: Model, counts: Counter[Any], whole: Counter[Any]) -> bool | None:
    own, every = _shares(counts), _shares(whole)
    if model.get("ground", "equal") == "equal":
        return _at_most(sum(abs(own.get(value, 0) - share) for value, share in every.items()) / 2, model["t"])
    if any(value is not None and size(value) is None for value in every):
        if any(value is not None and size(value) is not None for value in every):
            return None  # numbers among words: their order is no business of this reader
        values = sorted(every, key=lambda value: (value is None, value or ""))
    else:
        if len({size(value) for value in every if value is not None}) < len(
            [value for value in every if value is not None]
        ):
            return None  # one number in two ways
        values = sorted(every, key=lambda value: (value is None, 0 if value is None else size(value)))
    carried = moved = 0.0
    for value in values[:-1]:
        carried += own.get(value, 0) - every[value]
        moved += abs(carried)
    return _at_most(moved / max(1, len(values) - 1), model["t"])


def _likeness(model: Model, counts: Counter[Any], whole: Counter[Any]) -> bool | None:
    own, every = _shares(counts), _shares(whole)
    verdicts = []
    for value, share in own.items():
        limit = min(model["beta"], -math.log(every[value])) if model.get("enhanced", True) else model["beta"]
        verdicts.append(_at_most(share / every[value] - 1, limit))
    return _all(verdicts)


def _disclosure(model: Model, counts: Counter[Any], whole: Counter[Any]) -> bool | None:
    own, every = _shares(counts), _shares(whole)
    if own.keys() != every.keys():
        return False
    return _all([_at_most(abs(math.log(own[value] / every[value])), model["delta"]) for value in every])


FORMULAS = {
    "distinct-l-diversity": _distinct,
    "p-sensitivity": _distinct,
    "entropy-l-diversity": _entropy,
    "recursive-l-diversity": _recursive,
    "alpha-k-anonymity": _alpha,
    "t-closeness": _closeness,
    "beta-likeness": _likeness,
    "delta-disclosure": _disclosure,
}
