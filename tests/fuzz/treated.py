"""Treatments by their definitions in docs/reference/treatments.md, cell by cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tests.fuzz.cells import moment, number, same, text_of
from tests.fuzz.seen import Seen

Pair = tuple[Any, Any]
Options = Mapping[str, Any]
HALF = Fraction(1, 2)


def check_treatments(found: Seen) -> Iterator[tuple[str, str]]:
    """Every treated cell is what its treatment makes of the source's cell; dropped columns are absent."""
    for name, options in found.treatments.items():
        if options["name"] == "drop":
            if name in found.columns:
                yield "not-dropped", f"{name!r} is in the release"
            continue
        place = found.columns.index(name)
        pairs = [(source[name], row[place]) for row, source in found.pairs]
        yield from _missing(name, pairs)
        known = [
            (text_of(old), text_of(new)) for old, new in pairs if old not in (None, "") and new is not None
        ]
        every = [text_of(source[name]) for source in found.sources if source[name] is not None]
        wrong = CHECKS[options["name"]](options, known, every, found)
        if wrong is not None:
            yield f"treatment:{options['name']}", f"{name!r}: {wrong}"


def _missing(name: str, pairs: list[Pair]) -> Iterator[tuple[str, str]]:
    for old, new in pairs:
        if (old in (None, "")) != (new is None):
            yield "treated-missing", f"{name!r} was {old!r} and is {new!r}"
            return


def _first(pairs: list[Pair], is_right: Callable[[str, str], bool]) -> str | None:
    return next((f"{old!r} became {new!r}" for old, new in pairs if not is_right(old, new)), None)


def _mask(options: Options, pairs: list[Pair], _: list[str], __: Seen) -> str | None:
    def made(old: str) -> str:
        signs = [
            (old[place] if place < len(old) else "*") if sign == "#" else sign
            for place, sign in enumerate(options["pattern"])
        ]
        return "".join(signs)

    return _first(pairs, lambda old, new: new == made(old))


def _pseudonym(options: Options, pairs: list[Pair], every: list[str], _: Seen) -> str | None:
    there, back = dict(pairs), {new: old for old, new in pairs}
    if any(there[old] != new or back[new] != old for old, new in pairs):
        return "pseudonyms are not one-to-one"
    if options.get("format") == "same":
        shape = (r"\d", "0"), (r"[a-z]", "a"), (r"[A-Z]", "A")

        def shaped(text: str) -> str:
            for pattern, sign in shape:
                text = re.sub(pattern, sign, text)
            return text

        return _first(pairs, lambda old, new: shaped(old) == shaped(new))
    if set(back) & set(every):
        return "a pseudonym is a value of the source"
    ordered = [there[old] for old in sorted(there)]
    if len(ordered) > 6 and ordered == sorted(ordered):
        return "pseudonyms keep the order"
    return _first(pairs, lambda _, new: re.fullmatch(r"[0-9a-f]{20,64}", new) is not None)


def _coded(options: Options, pairs: list[Pair], _: list[str], __: Seen) -> str | None:
    top = options["name"] == "top-code"
    at, bound = text_of(options["at"]), _size(text_of(options["at"]))
    label = at if options.get("written") == "bound" else f"{'>=' if top else '<='} {at}"

    def is_right(old: str, new: str) -> bool:
        beyond = _size(old) >= bound if top else _size(old) <= bound
        return new == label or same(new, label) if beyond else same(new, old)

    return _first(pairs, is_right)


def _size(text: str) -> Fraction:
    found = number(text) if number(text) is not None else moment(text)
    assert found is not None
    return found


def _round(options: Options, pairs: list[Pair], _: list[str], __: Seen) -> str | None:
    base = Fraction(str(options["to"]))

    def is_right(old: str, new: str) -> bool:
        parts = _size(old) / base
        whole = parts.numerator // parts.denominator
        rest = parts - whole
        up = rest > HALF or (rest == HALF and whole % 2 == 1)
        return _size(new) == (whole + up) * base

    return _first(pairs, is_right)


def _truncate(options: Options, pairs: list[Pair], _: list[str], __: Seen) -> str | None:
    to = options.get("to", "month")

    def made(old: str) -> str:
        if to == "year":
            return old[:4]
        return old[:7] if to == "month" else f"{old[:4]}-Q{(int(old[5:7]) + 2) // 3}"

    return _first(pairs, lambda old, new: new == made(old))


def _shift(options: Options, pairs: list[Pair], _: list[str], found: Seen) -> str | None:
    moved: dict[Any, set[Fraction]] = {}
    place = next(
        found.columns.index(name)
        for name, each in found.instance.request["treatments"].items()
        if each is options
    )
    name = found.columns[place]
    for row, source in found.pairs:
        old, new = source[name], row[place]
        if old is None or new is None:
            continue
        days = (_size(text_of(new)) - _size(text_of(old))) / 86400
        if days.denominator != 1 or not 1 <= abs(days) <= options["days"]:
            return f"{old!r} became {new!r}"
        moved.setdefault(source[options["by"]], set()).add(days)
    if any(len(days) > 1 for person, days in moved.items() if person is not None):
        return f"dates of one person moved by different days, of {len(pairs)}"
    return None


def _noise(_: Options, pairs: list[Pair], __: list[str], ___: Seen) -> str | None:
    return _first(pairs, lambda _, new: number(new) is not None)


def _swapped(options: Options, pairs: list[Pair], every: list[str], __: Seen) -> str | None:
    more = Counter(new for _, new in pairs) - Counter(every)
    if options["name"] == "pram":
        more = Counter({new: 1 for _, new in pairs if new not in every})
    return f"values that the source does not have so often: {dict(more)}" if more else None


def _generalized(options: Options, pairs: list[Pair], _: list[str], found: Seen) -> str | None:
    rows = {row[0]: row[options["level"]] for row in found.instance.request["hierarchies"]["dx"]}
    return _first(pairs, lambda old, new: rows[old] == new)


CHECKS: Mapping[str, Callable[[Options, list[Pair], list[str], Seen], str | None]] = {
    "mask": _mask, "pseudonym": _pseudonym, "top-code": _coded, "bottom-code": _coded, "round": _round,
    "truncate": _truncate, "shift": _shift, "noise": _noise, "microaggregate": _noise, "swap": _swapped,
    "pram": _swapped, "generalize": _generalized,
}  # fmt: skip
