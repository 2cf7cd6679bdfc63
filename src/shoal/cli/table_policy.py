"""The policy of commands that examine any table: from a file, or from flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.api.read_policy import read_policy
from shoal.cli import arguments
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.model.policy.policy import Policy


def table_policy(
    path: Path | None,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    k: int | None = None,
    models: Sequence[str] | None = None,
    entity: str | None = None,
    linkable: bool | None = None,
    known_events: str | None = None,
    household: str | None = None,
    survey_weight: str | None = None,
    hierarchies: Sequence[str] | None = None,
) -> Policy:
    """The policy of a file, or the one that flags make; refused if both are given.

    Parameters
    ----------
    path
        The policy's file, if one is given.
    quasi, sensitive, k, models, entity, linkable, known_events, household, survey_weight, hierarchies
        The flags. Columns of models are sensitive without being named so.
    """
    flags: Mapping[str, object] = {
        "-q": quasi,
        "--sensitive": sensitive,
        "-k": k,
        "--model": models,
        "--entity": entity,
        "--linkable": linkable or None,
        "--known-events": known_events,
        "--household": household,
        "--survey-weight": survey_weight,
        "--hierarchy": hierarchies,
    }
    if path is not None:
        refuse_alongside_policy(flags)
        return read_policy(path)
    if k is not None and k < 1:
        raise PolicyError(f"k must be at least 1; it is {k}")
    names = arguments.names(quasi)
    if not names:
        raise PolicyError("name the quasi-identifiers: -q age,zip (or use --policy)")
    from shoal.model.policy.policy_arguments import policy_of

    stated = [arguments.model(model) for model in models or ()]
    constrained = [str(model["attribute"]) for model in stated if isinstance(model.get("attribute"), str)]
    private = [name for name in (*arguments.names(sensitive), *constrained) if name not in names]
    return policy_of(
        quasi_identifiers=names,
        k=1 if k is None else k,
        models=stated,
        entity=entity,
        linkable=bool(linkable),
        known_events=known_events
        if known_events is None or not known_events.isdecimal()
        else int(known_events),
        household=household,
        survey_weight=survey_weight,
        sensitive=list(dict.fromkeys(private)),
        hierarchies=arguments.pairs("--hierarchy", hierarchies, Path),
    )
