"""Reads a manifest back: strict JSON, the fields of the contract, and no internal contradiction.

Anyone who can write a release can write the file next to it, and a file that was cut off or edited by hand
looks like a manifest at first. So nothing is guessed: an incomplete manifest is refused, with the reason.
Unknown fields are ignored, because later versions may add some. `recoding` may be absent, since people remove
it before they pass a manifest on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from shoal.model.history.promise_given import is_promise
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.choice import KINDS
from shoal.model.result.result import Status

MOST_BYTES = 1 << 28
"""The size limit of a manifest: a recoding of millions of values stays far below it."""

_NEAR = 1e-9
"""How far a gap may be from the one that cost and bound give: all three are rounded to doubles."""

_DIGEST = re.compile("[0-9a-f]{64}")
_CENTERS = ("mean", "median", "mode")
_STATUSES = (Status.OPTIMAL, Status.MINIMAL, Status.FEASIBLE)
_MODELS = tuple(each.value for each in RecodingModel)


class ManifestError(ValueError):
    """A text is not a manifest, or not a credible one; the message is the end of a sentence."""


def manifest_facts(content: bytes | str) -> dict[str, Any]:
    """The facts of a manifest; `ManifestError` if it is not one, or contradicts itself.

    Parameters
    ----------
    content
        The bytes of its file, or the text of a comment.
    """
    facts = json_object(content)
    for name, field in FIELDS.items():
        if name in facts:
            if not field.fits(facts[name]):
                raise ManifestError(f"its field {name!r} is not {field.description}")
        elif field.needed:
            raise ManifestError(f"its field {name!r} is missing")
    wrong = _contradiction(facts)
    if wrong is not None:
        raise ManifestError(f"it contradicts itself: {wrong}")
    return facts


def begins_like_a_manifest(text: str) -> bool:
    """Whether a comment on a table is meant to be a manifest, complete or not; people also write comments."""
    return text.lstrip().startswith("{") and '"shoal"' in text


def json_object(content: bytes | str) -> dict[str, Any]:
    """The object in a strict JSON text, whatever its fields are; `ManifestError` if it is not one."""
    if len(content) > MOST_BYTES:
        raise ManifestError(f"it is larger than {MOST_BYTES >> 20} MiB")
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        value = json.loads(
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
    if not isinstance(value, dict):
        raise ManifestError("it is JSON, but not an object")
    return value


def _no_number(text: str) -> NoReturn:
    raise ManifestError(f"it has {text}, which is not a JSON number")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ManifestError("it has a number beyond all doubles")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ManifestError("it has a field twice")
    return fields


class _Field(NamedTuple):
    description: str
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


def _is_column(value: object) -> bool:
    """Whether it is a recoding's entry for a column."""
    if isinstance(value, list):
        return all(_is_entry(entry) for entry in value)
    return isinstance(value, dict) and (_is_count(value.get("level")) or value.get("center") in _CENTERS)


def _is_audit(audit: object) -> bool:
    return (
        isinstance(audit, dict)
        and isinstance(audit.get("holds"), bool)
        and "k-anonymity" in audit
        and (audit["k-anonymity"] is None or _is_count(audit["k-anonymity"]))
        and all(_is_number_or_null(value) or isinstance(value, bool) for value in audit.values())
    )


def _is_warning(warning: object) -> bool:
    return (
        isinstance(warning, dict)
        and _is_text(warning.get("code"))
        and _is_text(warning.get("message"))
        and isinstance(warning.get("columns"), list)
        and all(map(_is_text, warning["columns"]))
    )


def _is_treatment(treatment: object) -> bool:
    return (
        isinstance(treatment, dict)
        and _is_text(treatment.get("name"))
        and isinstance(treatment.get("truthful"), bool)
    )


def _is_choice(choice: object) -> bool:
    return (
        isinstance(choice, dict)
        and choice.get("kind") in KINDS
        and _is_text(choice.get("reason"))
        and isinstance(choice.get("tried"), list)
        and all(map(_is_tried, choice["tried"]))
    )


def _is_certificate(certificate: object) -> bool:
    return (
        isinstance(certificate, dict)
        and _is_digest(certificate.get("digest"))
        and _is_text(certificate.get("kind"))
        and _is_count(certificate.get("nodes"))
        and isinstance(certificate.get("verified"), bool)
    )


def _is_tried(search: object) -> bool:
    return (
        isinstance(search, dict)
        and _is_text(search.get("algorithm"))
        and search.get("status") in tuple(Status)
        and all(_is_number_or_null(search.get(name)) for name in ("cost", "bound"))
    )


def _is_columns(columns: object) -> bool:
    return isinstance(columns, dict) and all(map(_is_coding, columns.values()))


def _is_coding(coding: object) -> bool:
    return (
        isinstance(coding, dict)
        and _is_text(coding.get("role"))
        and coding.get("type") in (None, "number", "date", "category")
        and all(isinstance(coding.get(name, False), bool) for name in ("whole", "moments", "nested"))
        and all(
            isinstance(coding.get(name, []), list) and all(map(_is_text, coding.get(name, [])))
            for name in ("order", "words", "companions")
        )
        and len(coding.get("companions", [])) in (0, 2)
        and isinstance(coding.get("sets", []), list)
        and all(map(_is_entry, coding.get("sets", [])))
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
        "an object of columns",
        lambda value: isinstance(value, dict) and value != {} and all(map(_is_column, value.values())),
        needed=False,
    ),
    "audit": _Field("an object with k-anonymity, holds and numbers", _is_audit),
    "model": _Field(
        "a recoding model or null", lambda value: value is None or value in _MODELS, needed=False
    ),
    "truthful": _Field("true or false", lambda value: isinstance(value, bool), needed=False),
    "truthful_recoding": _Field("true or false", lambda value: isinstance(value, bool), needed=False),
    "treatments": _Field(
        "an object of treatments",
        lambda value: isinstance(value, dict) and all(map(_is_treatment, value.values())),
        needed=False,
    ),
    "order": _Field("keep or shuffle", lambda value: value in ("keep", "shuffle"), needed=False),
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
    "orders": _Field(
        "an object of texts",
        lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
        needed=False,
    ),
    "warnings": _Field(
        "a list of warnings",
        lambda value: isinstance(value, list) and all(map(_is_warning, value)),
        needed=False,
    ),
    "columns": _Field("an object of columns", _is_columns, needed=False),
    "reading": _Field(
        "an object of objects",
        lambda value: isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()),
        needed=False,
    ),
    "promise": _Field(
        "a promise about people, or null", lambda value: value is None or is_promise(value), needed=False
    ),
    "certificate": _Field(
        "what is known of a certificate, or null",
        lambda value: value is None or _is_certificate(value),
        needed=False,
    ),
    "phases": _Field(
        "an object of seconds",
        lambda value: (
            isinstance(value, dict) and all(_is_number(each) and each >= 0 for each in value.values())
        ),
        needed=False,
    ),
    "choice": _Field(
        "what auto chose, or null", lambda value: value is None or _is_choice(value), needed=False
    ),
}
"""The fields of the contract: a description of each, and whether a manifest must have it."""


def _contradiction(facts: Mapping[str, Any]) -> str | None:
    """What cannot be true of any release; `None` if everything can."""
    cost, bound, gap, audit = facts["cost"], facts["bound"], facts["gap"], facts["audit"]
    if facts["suppressed"] > facts["rows"]:
        return "more rows are suppressed than the table has"
    if audit["holds"] and audit["k-anonymity"] is not None and audit["k-anonymity"] < facts["k"]:
        return "its audit holds, but its smallest group is smaller than its k"
    if (gap is None) != (cost is None or bound is None):
        return "it needs a gap if it has cost and bound, and none otherwise"
    if gap is not None and abs(gap - _gap(cost, bound)) > _NEAR:
        return "its gap is not that of its cost and bound"
    if bound is not None and cost is not None and bound > cost:
        return "its cost is less than its bound"
    if facts["status"] == Status.OPTIMAL and gap != 0:
        return "it says optimal, but cost and bound differ"
    means = any(isinstance(each, dict) and "center" in each for each in facts.get("recoding", {}).values())
    if "recoding" in facts and means == is_truthful_recoding(facts):
        return "truthful must be false if values were replaced by those of a group, and true otherwise"
    treatments = facts.get("treatments", {}).values()
    if facts.get("truthful", True) != (
        is_truthful_recoding(facts) and all(each["truthful"] for each in treatments)
    ):
        return "truthful must be false if a treatment is not truthful, and true otherwise"
    return None


def is_truthful_recoding(facts: Mapping[str, Any]) -> bool:
    """Whether every quasi-identifier is true of its row; earlier manifests had nothing else to say."""
    return bool(facts.get("truthful_recoding", facts.get("truthful", True)))


def _gap(cost: float, bound: float) -> float:
    return 0.0 if cost <= bound else (cost - bound) / cost
