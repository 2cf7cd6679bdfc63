"""What was done to each column, in words and in the terms of ISO/IEC 20889.

Judged by what is there to see: the policy's role, the columns and cells of the release, and, where they are
known, the distinct values of the original and the manifest's recoding, of which values are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.result.manifest_facts import is_truthful_recoding
from shoal.model.table.domain import SUPPRESSED
from shoal.reports.numbers import number, share

_INTERVAL = re.compile(r"^[\[(]\s*[^,\]]+\s*[,;]\s*[^\])]+[\])]$")
_END = re.compile(
    r"^(<=?|>=?|≤|≥|under|over|below|above)\s*-?\d|^-?\d+(\.\d+)?\s*(\+|or more|or less)$", re.IGNORECASE
)
_HIDDEN = re.compile(r"^.*[^*]\*+$|^\*+[^*]")

Facts = Mapping[str, Any]


def variables(
    policy: Policy,
    after: Mapping[str, Facts],
    before: Mapping[str, Facts] | None = None,
    manifest: Facts | None = None,
    comparison: Facts | None = None,
) -> list[dict[str, Any]]:
    """A line per column: role, what was done, the term of the standard, distinct values, loss.

    Parameters
    ----------
    policy
        Has the roles.
    after, before
        Per column of the release and of the original `distinct` values; of quasi-identifiers of the release
        also `suppressed`, the share of cells that read `*`, and `labels`.
    manifest, comparison
        Where they are known.
    """
    recoding = (manifest or {}).get("recoding", {})
    untrue = {each["column"]: each["cells"] for each in (comparison or {}).get("untrue") or ()}
    named = {each.name: each for each in policy.attributes}
    order = [*named, *(name for name in (before or after) if name not in named)]
    order += [name for name in after if name not in order]
    rows = []
    for name in order:
        attribute = named.get(name, Attribute(name=name))
        if name not in after and before is not None and name not in before:
            continue
        column = _Column(
            attribute=attribute,
            after=after.get(name),
            before=(before or {}).get(name),
            recoded=recoding.get(name),
            by_shoal=manifest is not None,
            means=manifest is not None and not is_truthful_recoding(manifest),
            compared=comparison is not None,
            untrue=untrue.get(name, 0),
        )
        described = _described(column)
        losses = ((comparison or {}).get("per_attribute") or {}).get(name) or {}
        if column.untrue:  # The width of a false value does not measure the remaining detail.
            losses = {}
        rows.append(
            {
                "name": name,
                "role": attribute.role.value,
                **described,
                "distinct_before": (before or {}).get(name, {}).get("distinct"),
                "distinct_after": after[name].get("distinct") if name in after else None,
                "suppressed": after[name].get("suppressed") if name in after else None,
                "losses": dict(losses),
            }
        )
    return rows


@dataclass(frozen=True, kw_only=True)
class _Column:
    """All that is known of one column.

    Parameters
    ----------
    attribute
        Its role, and the settings for its values.
    after, before
        Facts of the release and of the original; `None` if it is not there, or not known.
    recoded
        How it was released, according to the manifest.
    by_shoal, means
        Whether there is a manifest, and whether it states that values were replaced by those of a group.
    compared, untrue
        Whether the release was compared with the original, and how many cells are not true.
    """

    attribute: Attribute
    after: Facts | None
    before: Facts | None
    recoded: Any
    by_shoal: bool
    means: bool
    compared: bool
    untrue: int


def _described(column: _Column) -> dict[str, Any]:
    role = column.attribute.role
    if column.after is None:
        term = "masking" if role is Role.IDENTIFIER else "suppression of the attribute"
        return _row("removed", "The column is not in the release.", [term])
    if role is Role.IDENTIFIER:
        return _row("present", "It names persons by itself, and it is in the release.", [], holds=False)
    if column.untrue and not column.means:
        return _row("changed", f"{number(column.untrue)} cells are not true of the original.", [])
    if role is not Role.QUASI_IDENTIFIER:
        known = column.by_shoal or column.compared
        words = "Released unchanged." if known else "In the release; whether it was changed is not known."
        return _row("kept" if known else "unknown", words, [])
    if column.means:
        return _row("replaced", "Values were replaced by one value per group.", ["microaggregation"])
    return _recoded(column, column.after)


def _recoded(column: _Column, after: Facts) -> dict[str, Any]:
    stars = float(after.get("suppressed") or 0)
    labels = [str(name["label"]) for name in after.get("labels", ()) if name["label"] != SUPPRESSED]
    if stars >= 1:
        return _row("suppressed", "Every cell reads *.", ["local suppression"])
    terms, words = [], []
    wider = _generalized(column, labels)
    if wider:
        terms.append(_kind(column.attribute, labels, column.recoded))
        level = column.recoded.get("level") if isinstance(column.recoded, Mapping) else None
        height = f", level {level} of its hierarchy" if level else ""
        words.append(f"Generalized to {number(after.get('distinct'))} labels{height}.")
    if stars > 0:
        terms.append("local suppression")
        words.append(f"{share(stars)} of its cells read *.")
    if terms:
        return _row("generalized" if wider else "suppressed in part", " ".join(words), terms)
    if wider is None:
        return _row("unknown", _unknown(column, after), [])
    return _row("kept", "Recoding was allowed and not needed: values are as they were.", [])


def _unknown(column: _Column, after: Facts) -> str:
    if column.before is None:
        return "Its labels do not show whether they were changed, and there is no original to compare with."
    if (after.get("distinct") or 0) < (column.before.get("distinct") or 0):
        return "Fewer values than in the original: generalized, or gone with rows that were suppressed."
    return "No label shows a change."


def _generalized(column: _Column, labels: Sequence[str]) -> bool | None:
    """Whether values became wider; `None` if unknown."""
    recoded = column.recoded
    if column.by_shoal and column.attribute.bin is not None:
        return True  # a bin counts as one value in the manifest
    if isinstance(recoded, Mapping) and recoded.get("level") is not None:
        return bool(recoded["level"])
    if isinstance(recoded, list | tuple):
        return any(len(row.get("values", ())) > 1 or row.get("interval") for row in recoded)
    shapes = (_INTERVAL, _END, _HIDDEN)
    if any(label.startswith("{") or any(shape.match(label) for shape in shapes) for label in labels):
        return True
    kept = (column.after or {}).get("distinct") == (column.before or {}).get("distinct")
    return False if column.compared and kept else None


def _kind(attribute: Attribute, labels: Sequence[str], recoded: Any) -> str:
    if labels and sum(bool(_HIDDEN.match(name)) for name in labels) * 2 > len(labels):
        return "generalization (trailing signs masked)"
    if attribute.bin is not None or any(_INTERVAL.match(name) for name in labels):
        ends = [label for label in labels if _END.match(label)]
        return "generalization (rounding, top and bottom coding)" if ends else "generalization (rounding)"
    if any(_END.match(name) for name in labels):
        return "generalization (top and bottom coding)"
    if isinstance(recoded, list | tuple) and _overlap(recoded):
        return "generalization (local)"
    return "generalization"


def _overlap(recoded: Sequence[Mapping[str, Any]]) -> bool:
    """Whether one value is released in two ways, so that it was decided row by row."""
    values = [str(value) for row in recoded for value in row.get("values", ())]
    return len(set(values)) < len(values)


def _row(done: str, words: str, terms: Sequence[str], *, holds: bool = True) -> dict[str, Any]:
    return {"done": done, "words": words, "terms": list(terms), "holds": holds}
