"""Treatments of columns that are not quasi-identifiers, as a policy has them. No page code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.privacy import parameters_of
from shoal.studio.draft import Draft
from shoal.treatments import TREATMENTS


def stated_treatment(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The treatment of a column as a table with a name and options; empty if there is none."""
    stated = settings.get("treatment")
    if stated is None:
        return {}
    return {"name": stated} if isinstance(stated, str) else dict(stated)


def as_policy(stated: Mapping[str, Any]) -> Any:
    """A treatment as a policy file states it; `None` if there is none."""
    if not stated:
        return None
    return stated["name"] if len(stated) == 1 else dict(stated)


def new_treatment(name: str) -> dict[str, Any]:
    """A treatment to begin with."""
    starts = {key: each.start for key, each in parameters_of(TREATMENTS[name]).items()}
    return {"name": name, **{key: start for key, start in starts.items() if start is not None}}


def treated_columns(draft: Draft) -> dict[str, str]:
    """Column -> the title of its treatment."""
    names = {name: str(stated_treatment(each).get("name")) for name, each in draft.attributes.items()}
    return {name: TREATMENTS[each].description.title for name, each in names.items() if each in TREATMENTS}
