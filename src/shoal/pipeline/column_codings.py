"""What the manifest says of each released column: its role, the kind of its values, the order of its labels.

Nothing here names a value that the labels do not name: facts are those of released rows.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from typing import Any

from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.recoding import plain_value
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.short_labels import is_short
from shoal.pipeline.draft import Draft
from shoal.pipeline.released_columns import rows_of_values


def column_codings(draft: Draft) -> dict[str, dict[str, object]]:
    """Released column -> how to read it.

    Parameters
    ----------
    draft
        What is released.
    """
    codings: dict[str, dict[str, object]] = {
        name: {"role": draft.policy.role_of(name).value} for name in draft.released_columns
    }
    for attribute, domain in enumerate(draft.problem.table.domains):
        codings[domain.name] |= _coding(draft, attribute, domain)
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
    if domain.tree is not None and domain.tree.given:
        coding["hierarchy"] = "given"
    if domain.kind == "category":
        coding |= _of_categories(draft, attribute, domain)
    return coding


def _of_categories(draft: Draft, attribute: int, domain: Domain) -> dict[str, object]:
    recoding, released = draft.recoding, draft.solution.released_codes[attribute]
    if not recoding.truthful:
        return {}
    labels = recoding.labels(attribute, domain, released)
    members: Sequence[Sequence[int]] = recoding.members(attribute, domain)
    used = rows_of_values(draft, attribute, len(labels)).nonzero()[0].tolist()
    shown = {number: [code for code in members[number] if code in released] for number in used}
    coding: dict[str, Any] = {}
    if domain.is_scale:
        order = _order(labels, shown)
        if order is not None:
            coding["order"] = order
    if isinstance(recoding, LevelRecoding):
        sets = [
            {"label": label, "values": [plain_value(domain, code) for code in codes]}
            for number, codes in shown.items()
            if (label := labels[number]) is not None and is_short(label)
        ]
        if sets:
            coding["sets"] = sets
    return coding


def _order(labels: Sequence[str | None], shown: dict[int, list[int]]) -> list[str] | None:
    """The labels in the order of their values; `None` if some overlap."""
    ordered = sorted(
        (codes[0], codes[-1], label)
        for number, codes in shown.items()
        if (label := labels[number]) not in (None, SUPPRESSED) and codes
    )
    overlaps = any(first[1] >= second[0] for first, second in itertools.pairwise(ordered))
    return None if overlaps else list(dict.fromkeys(str(label) for _, _, label in ordered))
