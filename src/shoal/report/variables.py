"""What was done to each column, in words and in the terms of ISO/IEC 20889.

Judged by what is there to see: the policy's role, the columns and cells of the release, and, where they are
known, the distinct values of the original and the manifest's recoding, of which values are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.model.attribute import Attribute, Role
from shoal.model.domain import SUPPRESSED
from shoal.model.policy import Policy
from shoal.report.numbers import number, share

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
        Tells the roles.
    after, before
        Per column of the release and of the original `distinct` values; of quasi-identifiers of the release
        also `suppressed`, the share of cells that read `*`, and `labels`.
    manifest, comparison
        Where they are known.
    """
    recoding = (manifest or {}).get("recoding", {})
    named = {each.name: each for each in policy.attributes}
    order = [*named, *(name for name in (before or after) if name not in named)]
    order += [name for name in after if name not in order]
    found = []
    for name in order:
        attribute = named.get(name, Attribute(name=name))
        if name not in after and before is not None and name not in before:
            continue
        told = _told(attribute, after.get(name), (before or {}).get(name), recoding.get(name), manifest)
        losses = ((comparison or {}).get("per_attribute") or {}).get(name) or {}
        found.append(
            {
                "name": name,
                "role": attribute.role.value,
                **told,
                "distinct_before": (before or {}).get(name, {}).get("distinct"),
                "distinct_after": after[name].get("distinct") if name in after else None,
                "suppressed": after[name].get("suppressed") if name in after else None,
                "losses": dict(losses),
            }
        )
    return found


def _told(
    attribute: Attribute, after: Facts | None, before: Facts | None, recoded: Any, manifest: Facts | None
) -> dict[str, Any]:
    if after is None:
        identifier = attribute.role is Role.IDENTIFIER
        term = "masking" if identifier else "suppression of the attribute"
        return _row("removed", "The column is not in the release.", [term])
    if attribute.role is Role.IDENTIFIER:
        return _row("present", "It names persons by itself, and it is in the release.", [], holds=False)
    if attribute.role is not Role.QUASI_IDENTIFIER:
        return _row("kept", "Released as it is.", [])
    if manifest is not None and not manifest.get("truthful", True):
        return _row("replaced", "Values were replaced by one value per group.", ["microaggregation"])
    return _recoded(attribute, after, before, recoded)


def _recoded(attribute: Attribute, after: Facts, before: Facts | None, recoded: Any) -> dict[str, Any]:
    stars = float(after.get("suppressed") or 0)
    labels = [str(each["label"]) for each in after.get("labels", ()) if each["label"] != SUPPRESSED]
    if stars >= 1:
        return _row("suppressed", "Every cell reads *.", ["local suppression"])
    terms, words = [], []
    level = recoded.get("level") if isinstance(recoded, Mapping) else None
    distinct, original = after.get("distinct"), (before or {}).get("distinct")
    wider = _generalized(labels, recoded, distinct, original)
    if wider:
        terms.append(_kind(attribute, labels, recoded))
        kinds = f"{number(distinct)} labels"
        if level:
            kinds += f", level {level} of its hierarchy"
        words.append(f"Generalized to {kinds}.")
    if stars > 0:
        terms.append("local suppression")
        words.append(f"{share(stars)} of its cells read *.")
    if terms:
        return _row("generalized" if wider else "suppressed in part", " ".join(words), terms)
    if wider is None:
        return _row(
            "unknown", "Its labels do not tell whether they were changed; the original was not given.", []
        )
    return _row("kept", "Recoding was allowed and not needed: values are as they were.", [])


def _generalized(
    labels: Sequence[str], recoded: Any, distinct: int | None, before: int | None
) -> bool | None:
    if isinstance(recoded, Mapping) and recoded.get("level") is not None:
        return bool(recoded["level"])
    if isinstance(recoded, list | tuple):
        return any(len(each.get("values", ())) > 1 or each.get("interval") for each in recoded)
    if any(
        _INTERVAL.match(each) or _END.match(each) or _HIDDEN.match(each) or each.startswith("{")
        for each in labels
    ):
        return True
    if before is None or distinct is None:
        return None
    return distinct < before


def _kind(attribute: Attribute, labels: Sequence[str], recoded: Any) -> str:
    if labels and sum(bool(_HIDDEN.match(each)) for each in labels) * 2 > len(labels):
        return "generalization (trailing signs masked)"
    if attribute.bin is not None or any(_INTERVAL.match(each) for each in labels):
        ends = [each for each in labels if _END.match(each)]
        return "generalization (rounding, top and bottom coding)" if ends else "generalization (rounding)"
    if any(_END.match(each) for each in labels):
        return "generalization (top and bottom coding)"
    if isinstance(recoded, list | tuple) and _overlap(recoded):
        return "generalization (local)"
    return "generalization"


def _overlap(recoded: Sequence[Mapping[str, Any]]) -> bool:
    """Whether one value is released in two ways, so that it was decided row by row."""
    values = [str(value) for each in recoded for value in each.get("values", ())]
    return len(set(values)) < len(values)


def _row(done: str, words: str, terms: Sequence[str], *, holds: bool = True) -> dict[str, Any]:
    return {"done": done, "words": words, "terms": list(terms), "holds": holds}
