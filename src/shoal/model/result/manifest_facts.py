"""A manifest as it is read back: strict JSON, the fields of the contract, and no contradiction in itself.

Whoever can write a release can write what lies beside it, and a file that was cut off or edited by hand looks
like a manifest at first sight. So nothing is guessed: what is not whole is refused, with the reason. Unknown
fields are passed over, for a later version may have more. `recoding` may be absent, since it is removed
before a manifest is passed on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.result import Status

MOST_BYTES = 1 << 28
"""What a manifest may have: a recoding of millions of values does not come near it."""

_NEAR = 1e-9
"""How far a gap may be from what cost and bound give: all three are rounded to doubles."""

_DIGEST = re.compile("[0-9a-f]{64}")
_CENTERS = ("mean", "median", "mode")
_STATUSES = (Status.OPTIMAL, Status.MINIMAL, Status.FEASIBLE)
_MODELS = tuple(each.value for each in RecodingModel)


class ManifestError(ValueError):
    """A text is no manifest, or one that cannot be believed; the words say why, as the end of a sentence."""


def manifest_facts(content: bytes | str) -> dict[str, Any]:
    """The facts of a manifest; `ManifestError` if it is none, or one that contradicts itself.

    Parameters
    ----------
    content
        The bytes of its file, or the text of a comment.
    """
    facts = json_object(content)
    for name, field in FIELDS.items():
        if name in facts:
            if not field.fits(facts[name]):
                raise ManifestError(f"its field {name!r} is not {field.words}")
        elif field.needed:
            raise ManifestError(f"its field {name!r} is missing")
    wrong = _contradiction(facts)
    if wrong is not None:
        raise ManifestError(f"it contradicts itself: {wrong}")
    return facts


def begins_like_a_manifest(text: str) -> bool:
    """Whether a comment on a table is meant to be a manifest, whole or not; people write comments, too."""
    return text.lstrip().startswith("{") and '"shoal"' in text


def json_object(content: bytes | str) -> dict[str, Any]:
    """The object that strict JSON has, whatever its fields are; `ManifestError` if it is none."""
    if len(content) > MOST_BYTES:
        raise ManifestError(f"it is larger than {MOST_BYTES >> 20} MiB")
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        found = json.loads(
            text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_without_repeats
        )
    except UnicodeDecodeError:
        raise ManifestError("it is not UTF-8 text") from None
    except RecursionError:
        raise ManifestError("it is nested too deeply") from None
    except ManifestError:
        raise
    except ValueError:
        raise ManifestError("it is not JSON, or was cut off") from None
    if not isinstance(found, dict):
        raise ManifestError("it is JSON, but no object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ManifestError(f"it has {text}, which is no number of JSON")


def _finite(text: str) -> float:
    if not math.isfinite(found := float(text)):
        raise ManifestError("it has a number beyond all doubles")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ManifestError("it tells a field twice")
    return found


class _Field(NamedTuple):
    words: str
    fits: Callable[[Any], bool]
    needed: bool = True


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_number(value: object) -> bool:
    return _is_whole(value) or isinstance(value, float)


def _is_number_or_null(value: object) -> bool:
    return value is None or _is_number(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and "label" in entry
        and (entry["label"] is None or isinstance(entry["label"], str))
        and isinstance(entry.get("values"), list)
    )


def _is_column(told: object) -> bool:
    """Whether it is what a recoding tells of a column."""
    if isinstance(told, list):
        return all(_is_entry(entry) for entry in told)
    return isinstance(told, dict) and (_is_count(told.get("level")) or told.get("center") in _CENTERS)


def _is_audit(told: object) -> bool:
    return (
        isinstance(told, dict)
        and isinstance(told.get("holds"), bool)
        and "k-anonymity" in told
        and (told["k-anonymity"] is None or _is_count(told["k-anonymity"]))
        and all(_is_number_or_null(value) or isinstance(value, bool) for value in told.values())
    )


def _is_warning(told: object) -> bool:
    return (
        isinstance(told, dict)
        and _is_text(told.get("code"))
        and _is_text(told.get("message"))
        and isinstance(told.get("columns"), list)
        and all(map(_is_text, told["columns"]))
    )


FIELDS: Mapping[str, _Field] = {
    "shoal": _Field("text", _is_text),
    "algorithm": _Field("text", _is_text),
    "cost_metric": _Field("text", _is_text),
    "k": _Field("a whole number from 1 on", lambda value: _is_count(value) and value > 0),
    "rows": _Field("a whole number from 0 on", _is_count),
    "suppressed": _Field("a whole number from 0 on", _is_count),
    "groups": _Field("a whole number from 0 on", _is_count),
    "cost": _Field("a number or null", _is_number_or_null),
    "bound": _Field("a number or null", _is_number_or_null),
    "gap": _Field("a number or null", _is_number_or_null),
    "status": _Field("optimal, minimal or feasible", lambda value: value in _STATUSES),
    "seconds": _Field("a number from 0 on", lambda value: _is_number(value) and value >= 0),
    "nodes": _Field("a whole number from 0 on", _is_count),
    "seed": _Field("a whole number", _is_whole),
    "policy_digest": _Field("a SHA-256 digest", _is_digest),
    "source_digest": _Field("a SHA-256 digest", _is_digest),
    "release_digest": _Field("a SHA-256 digest or null", lambda value: value is None or _is_digest(value)),
    "recoding": _Field(
        "an object that tells of columns",
        lambda value: isinstance(value, dict) and value != {} and all(map(_is_column, value.values())),
        needed=False,
    ),
    "audit": _Field("an object with k-anonymity, holds and numbers", _is_audit),
    "model": _Field(
        "a recoding model or null", lambda value: value is None or value in _MODELS, needed=False
    ),
    "truthful": _Field("true or false", lambda value: isinstance(value, bool), needed=False),
    "notes": _Field(
        "a list of sentences",
        lambda value: isinstance(value, list) and all(map(_is_text, value)),
        needed=False,
    ),
    "trace": _Field(
        "a list of moments",
        lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value),
        needed=False,
    ),
    "warnings": _Field(
        "a list of warnings",
        lambda value: isinstance(value, list) and all(map(_is_warning, value)),
        needed=False,
    ),
}
"""The fields of the contract: what each is, in words, and whether a manifest must have it."""


def _contradiction(facts: Mapping[str, Any]) -> str | None:
    """What cannot be so, whatever the release is; `None` if there is nothing."""
    cost, bound, gap, audit = facts["cost"], facts["bound"], facts["gap"], facts["audit"]
    if facts["suppressed"] > facts["rows"]:
        return "more rows are suppressed than there are"
    if audit["holds"] and audit["k-anonymity"] is not None and audit["k-anonymity"] < facts["k"]:
        return "its audit holds, and the smallest group that it tells of is smaller than its k"
    if (gap is None) != (cost is None or bound is None):
        return "a gap is told where cost and bound are, and nowhere else"
    if gap is not None and abs(gap - _gap(cost, bound)) > _NEAR:
        return "its gap is not that of its cost and bound"
    if bound is not None and cost is not None and bound > cost:
        return "its cost is less than its bound"
    if facts["status"] == Status.OPTIMAL and gap != 0:
        return "it says optimal, and cost and bound differ"
    means = any(isinstance(each, dict) and "center" in each for each in facts.get("recoding", {}).values())
    if "recoding" in facts and means == facts.get("truthful", True):
        return "truthful is false where values became those of a group, and nowhere else"
    return None


def _gap(cost: float, bound: float) -> float:
    return 0.0 if cost <= bound else (cost - bound) / cost
