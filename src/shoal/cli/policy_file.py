"""The policy of a file, with flags that replace its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.api.read_policy import read_policy
from shoal.cli import arguments
from shoal.errors import PolicyError
from shoal.model.policy.budget import stated_seconds
from shoal.model.policy.policy import Policy
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.table_source import release_place


def policy_of_file(path: Path, shaping: Mapping[str, object] | None = None) -> Policy:
    """The policy of a file, which must name a source; refused with flags that would shape another policy."""
    refuse_alongside_policy(shaping or {})
    policy = read_policy(path)
    if policy.source is None:
        raise PolicyError(f'{path.name}: it names no source; write path = "..." under [source]')
    return policy


def overridden(policy: Policy, stated: Mapping[str, Any]) -> Policy:
    """The policy with the settings of flags in place of its own.

    Parameters
    ----------
    policy
        The policy.
    stated
        The flags by their keywords; `None` and `False` state nothing.
    """
    policy = policy.with_file(file_options(stated))
    stated = {name: value for name, value in stated.items() if name not in FILE_OPTIONS}
    settings = {name: value for name, value in stated.items() if value is not None and value is not False}
    limits: dict[str, Any] = {
        name: settings.pop(name) for name in ("seconds", "nodes", "gap") if name in settings
    }
    if "seconds" in limits:
        limits["seconds"] = stated_seconds(arguments.seconds(limits["seconds"]))
    elif "nodes" in limits and policy.budget.assumed:
        limits["seconds"] = None
    if "seconds" in limits:
        limits["assumed"] = False
    if "options" in settings:
        settings["options"] = {**policy.options, **arguments.options(settings["options"])}
    if "path" in settings:
        settings["release"] = release_place(settings.pop("path"), policy.source)
    for name in {"ledger", "extend"} & settings.keys():
        settings[name] = Path(settings[name])
    return replace(policy, budget=replace(policy.budget, **limits), **settings)
