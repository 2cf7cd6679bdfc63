"""What a data dictionary says of a treated column: what was done, and how to compute with its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from shoal.errors import PolicyError
from shoal.model.policy.stated_treatment import StatedTreatment
from shoal.treatments import TREATMENTS, treatment_of

_SIGNS = {"top-code": ">=", "bottom-code": "<="}
_PERIODS = {"quarter": "Q", "month": "M"}


class TreatedEntry(NamedTuple):
    """What was done in a sentence, and, where cells are neither numbers nor dates, what they are.

    Parameters
    ----------
    done
        The sentence.
    type
        What the cells are; `None` if that is what they look like.
    python, r
        How to compute with them; `None` if they can be used as they are.
    """

    done: str
    type: str | None = None
    python: str | None = None
    r: str | None = None


def treated_entry(facts: Mapping[str, Any], name: str) -> TreatedEntry | None:
    """What a manifest says of a treated column; `None` if it was not treated."""
    stated = facts.get("treatments", {}).get(name)
    if not stated:
        return None
    return _computed(stated, name, _done(stated, name))


def _done(stated: Mapping[str, Any], name: str) -> str:
    known = TREATMENTS.get(stated["name"])
    options = {key: each for key, each in stated.items() if known and key in known.__dataclass_fields__}
    try:
        parsed = StatedTreatment.parse({"name": stated["name"], **options}, name)
        words = treatment_of(parsed, name).words()
    except PolicyError:  # of another version of Shoal
        words = f"was treated: {stated['name']}"
    untrue = "" if stated["truthful"] else " Its cells are not true of their rows one by one."
    return f"The column {words}.{untrue}"


def _computed(stated: Mapping[str, Any], name: str, done: str) -> TreatedEntry:
    quoted = json.dumps(name, ensure_ascii=False)
    sign = _SIGNS.get(stated["name"])
    if sign is not None and stated.get("written") == "label":
        is_date = isinstance(stated.get("at"), str)
        kind = "dates" if is_date else "numbers"
        read = "pandas.to_datetime" if is_date else "pandas.to_numeric"
        return TreatedEntry(
            done,
            f"{kind}, and one label for those beyond the bound",
            f'{read}(release[{quoted}].str.removeprefix("{sign} "))  # the bound for what is beyond it',
            f'{"as.Date" if is_date else "as.numeric"}(sub("^{sign} ", "", release[[{quoted}]]))',
        )
    if stated["name"] == "truncate" and stated.get("to") in _PERIODS:
        unit = stated["to"]
        return TreatedEntry(
            done, f"{unit}s", f'pandas.PeriodIndex(release[{quoted}], freq="{_PERIODS[unit]}")', None
        )
    return TreatedEntry(done)
