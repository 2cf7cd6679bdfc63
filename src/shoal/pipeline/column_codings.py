"""What the manifest says of each released column: its role, the kind of its values, the order of its labels.

Nothing here names a value that the labels do not name: facts are those of released rows.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.model.recoding.history_recoding import HistoryRecoding
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import plain_value
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.number_text import number_of
from shoal.model.table.short_labels import is_short
from shoal.pipeline.released_columns import rows_of_values
from shoal.pipeline.released_places import place_codings

if TYPE_CHECKING:
    from shoal.pipeline.draft import Draft

_Used = tuple[str, int, list[int]]


def column_codings(draft: Draft) -> dict[str, dict[str, Any]]:
    """Released column -> how to read it.

    Parameters
    ----------
    draft
        What is released.
    """
    codings: dict[str, dict[str, Any]] = {
        name: {"role": draft.policy.role_of(name).value} for name in draft.released_columns
    }
    for attribute, domain in enumerate(draft.problem.table.domains):
        codings[domain.name] |= _coding(draft, attribute, domain)
    for name, place in place_codings(draft.policy).items():
        codings[name] |= place
    for each in draft.companions:
        codings[each.name] = {"role": "companion"}
        codings[each.column].setdefault("companions", []).append(each.name)
    for column in draft.nested:
        codings[column.column]["nested"] = True
    return codings


def _coding(draft: Draft, attribute: int, domain: Domain) -> dict[str, object]:
    released = draft.solution.released_codes[attribute]
    coding: dict[str, object] = {"type": domain.kind}
    values = [domain.values[code] for code in sorted(released) if domain.values[code] is not None]
    if domain.kind == "number":
        integral = domain.integral if domain.bin is not None else True
        coding["whole"] = integral and all(isinstance(value, int) for value in values)
    if domain.kind == "date":
        coding["moments"] = any(isinstance(value, datetime.datetime) for value in values)
    recoding = draft.recoding
    levels = recoding.levels if isinstance(recoding, LevelRecoding | HistoryRecoding) else None
    if levels is not None:
        coding |= _on_level(levels[attribute], draft, attribute, domain)
    if domain.is_scale and draft.recoding.truthful:
        order = _order(_used(draft, attribute, domain))
        if order is not None:
            coding["order"] = order
    return coding


def _used(draft: Draft, attribute: int, domain: Domain) -> list[_Used]:
    """The labels in use, each with the number of its part and the released codes that it represents."""
    recoding, released = draft.recoding, draft.solution.released_codes[attribute]
    labels = recoding.labels(attribute, domain, released)
    members = recoding.members(attribute, domain)
    used = rows_of_values(draft, attribute, len(labels)).nonzero()[0].tolist()
    return [
        (label, number, [code for code in members[number] if code in released])
        for number in used
        if (label := labels[number]) is not None and label != SUPPRESSED
    ]


def _on_level(level: int, draft: Draft, attribute: int, domain: Domain) -> dict[str, object]:
    """What the number of a level does not say: the values of short labels, and which labels are words."""
    tree = domain.tree
    if level == 0 or tree is None:
        return {}
    sets, words = [], []
    for label, number, codes in _used(draft, attribute, domain):
        if is_short(label) and not tree.given:
            sets.append({"label": label, "values": [plain_value(domain, code) for code in codes]})
        elif tree.given:
            above = tree.leaves[level][number] > 1 or _is_renamed(domain, label, codes)
            words += [label] if above else []
        elif domain.kind == "category" and label != domain.printed.spelled(codes):
            words.append(label)
    return {name: listed for name, listed in (("sets", sets), ("words", words)) if listed}


def _is_renamed(domain: Domain, label: str, codes: Sequence[int]) -> bool:
    """Whether a hierarchy gives a single value another name: the label is then not the value."""
    plain = label.removesuffix(" or missing")
    texts = [domain.text(code) for code in codes if domain.values[code] is not None]
    if domain.kind == "category":
        return any(text != plain for text in texts)
    return number_of(plain) is not None and any(number_of(text) != number_of(plain) for text in texts)


def _order(used: Sequence[_Used]) -> list[str] | None:
    """The labels in the order of their values; `None` if some overlap."""
    ordered = sorted((codes[0], codes[-1], label) for label, _, codes in used if codes)
    overlaps = any(first[1] >= second[0] for first, second in itertools.pairwise(ordered))
    return None if overlaps else list(dict.fromkeys(label for _, _, label in ordered))
