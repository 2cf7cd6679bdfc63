"""The release that is extended: its file, manifest and register, which must belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.algorithms import ALGORITHMS
from shoal.engines.duckdb.file import file_digest
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.result.register import Register, RegisterError, register_path
from shoal.pipeline.demands import models_of
from shoal.pipeline.extending.request import stated_models
from shoal.pipeline.read_manifest import manifest_next_to


@dataclass(frozen=True, kw_only=True, eq=False)
class Previous:
    """A release that can be extended.

    Parameters
    ----------
    path, digest
        Its file, and the SHA-256 of it.
    facts
        Its manifest.
    register
        Its register.
    """

    path: Path
    digest: str
    facts: Mapping[str, Any]
    register: Register

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The level of each column, if the release has one per column."""
        recoding = self.facts.get("recoding", {})
        if not all(isinstance(recoding.get(name), dict) for name in self.register.columns):
            return None
        return {name: int(recoding[name]["level"]) for name in self.register.columns}

    def represented(self, column: str) -> dict[str | None, list[Any]]:
        """By label of a column the values that it represents, if the manifest lists them."""
        entries = self.facts.get("recoding", {}).get(column)
        return {each["label"]: each["values"] for each in entries} if isinstance(entries, list) else {}


def previous_release(path: Path) -> Previous:
    """Read a release that can be extended; `PolicyError` if it is none, or its files do not belong together.

    Parameters
    ----------
    path
        Its file.
    """
    try:
        digest, facts = file_digest(path), manifest_next_to(path)
    except OSError as error:
        raise EngineError(f"cannot read {path}, the release to extend: {error.strerror}") from None
    except ManifestError as error:
        raise PolicyError(f"the manifest of {path.name} cannot be used: {error}") from None
    if facts is None:
        raise PolicyError(f"{path.name} has no manifest next to it; a release is extended with its manifest")
    versions = facts.get("versions")
    if not isinstance(versions, dict):
        raise PolicyError(f"{path.name} {_without_register(facts)}")
    if digest != facts.get("release_digest"):
        raise PolicyError(
            f"{path.name} is not the file that its manifest describes; extend it as it was released"
        )
    return Previous(path=path, digest=digest, facts=facts, register=_register(path, digest, versions))


def _without_register(facts: Mapping[str, Any]) -> str:
    """Why a release without register is not extended, and the way out; it must not be released twice."""
    algorithm = str(facts.get("algorithm"))
    if algorithm in ALGORITHMS and not any(
        each.is_consistent for each in ALGORITHMS[algorithm].recoding_models
    ):
        return (
            "was recoded row by row and cannot be extended; make a release that extends none, and attack it "
            "together with this one"
        )
    return (
        "was released without row_key, so nothing tells which rows it has. Make it again from the same "
        "source with row_key, under another name: it gets a register. Extend it only if the file has the "
        "same SHA-256 as this one; else do not give it away"
    )


def _register(path: Path, digest: str, versions: Mapping[str, Any]) -> Register:
    place = register_path(path)
    try:
        content = place.read_bytes()
    except FileNotFoundError:
        raise PolicyError(
            f"the register {place.name} is not next to {path.name}; put it there, to extend the "
            "release or to compare versions of it"
        ) from None
    except OSError as error:
        raise EngineError(f"cannot read {place}: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != versions.get("register"):
        raise PolicyError(f"{place.name} is not the register that the manifest of {path.name} names")
    try:
        register = Register.parsed(content)
    except RegisterError as error:
        raise PolicyError(f"{place.name} cannot be used: {error}") from None
    if register.versions[-1] != digest:
        raise PolicyError(f"{place.name} is the register of another release than {path.name}")
    return register


def check_same_demands(policy: Policy, previous: Previous) -> None:
    """Raise `PolicyError` unless the new version promises what the one before it promised."""
    register, name = previous.register, previous.path.name
    columns = tuple(each.name for each in policy.quasi_identifiers)
    for what, new, old in (
        ("quasi-identifiers", columns, register.columns),
        ("row_key", policy.row_key, register.key),
    ):
        if new != old:
            said, how = (", ".join(old), ", in this order") if isinstance(old, tuple) else (old, "")
            raise PolicyError(
                f"a version has the {what} of the release that it extends, and {name} has {said}; state the "
                f"same{how}, or make a release that extends none"
            )
    _check_same_models(policy, previous)
    if policy.k > register.k:
        raise PolicyError(
            f"k is {policy.k}, and rows of {name} are hidden among {register.k}, which no later version can "
            f"raise; state at most {register.k}, or make a release that extends none"
        )
    released = set(previous.facts.get("columns", {}))
    dropped = sorted(set(policy.identifiers) & released)
    if dropped:
        raise PolicyError(f"{name} has column {dropped[0]!r}, which the policy drops; release it as before")


def _check_same_models(policy: Policy, previous: Previous) -> None:
    """Raise `PolicyError` unless the models are the same: what one version reveals, no later one mends."""
    name, before, now = previous.path.name, previous.register.models, stated_models(models_of(policy))
    for each in before:
        if each not in now:
            raise PolicyError(
                f"{name} was released with {_in_words(each)}; state it again, or make a release that extends "
                "none"
            )
    for each in now:
        if each not in before:
            raise PolicyError(
                f"{name} was released without {_in_words(each)}, which its rows may break; leave it out, or "
                "make a release that extends none"
            )


def _in_words(model: Mapping[str, Any]) -> str:
    """A model of a register, as a user stated it."""
    stated = {key: value for key, value in model.items() if key not in ("name", "attribute", "joint")}
    parameters = ", ".join(f"{key} = {value}" for key, value in stated.items())
    return f"{model['name']} on {model['attribute']!r}" + (f" ({parameters})" if parameters else "")
