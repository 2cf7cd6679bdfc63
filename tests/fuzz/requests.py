"""A request as Python arguments, as a policy file and as flags."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import shoal
from tests.fuzz.instance import Instance

FILE = ("encoding", "delimiter", "quote", "skip")
PRIVACY = (
    *("k", "models", "harden", "entity", "linkable", "known_events", "household", "survey_weight"),
    *("subset", "sets"),
)
RELEASE = ("suppressed", "companions", "nested", "order")


def arguments(instance: Instance) -> dict[str, Any]:
    """The request as `shoal.anonymize` takes it."""
    asked = dict(instance.request)
    if "hierarchies" in asked:
        asked["hierarchies"] = {
            name: shoal.Recipe(
                **{key: tuple(part) if isinstance(part, list) else part for key, part in made.items()}
            )
            if isinstance(made, dict)
            else shoal.Hierarchy(tuple(map(tuple, made)))
            for name, made in asked["hierarchies"].items()
        }
    return asked


def write_hierarchies(instance: Instance, folder: Path) -> dict[str, str]:
    """Write the hierarchies that are rows of labels; their file names by column."""
    names = {}
    for place, (name, made) in enumerate(instance.request.get("hierarchies", {}).items()):
        if not isinstance(made, dict):
            names[name] = f"hierarchy{place}.csv"
            with io.StringIO(newline="") as written:
                csv.writer(written, delimiter=";", lineterminator="\n").writerows(made)
                (folder / names[name]).write_text(written.getvalue(), "utf-8", newline="")
    return names


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml(key)} = {toml(part)}' for key, part in value.items())} }}"
    return repr(value)


def policy_text(instance: Instance, files: dict[str, str], source: str, release: str) -> str:
    """The request as a policy file."""
    asked, attributes = instance.request, dict[str, dict[str, Any]]()
    for name in asked["quasi_identifiers"]:
        attributes.setdefault(name, {})["role"] = "quasi-identifier"
    for name in asked.get("sensitive", ()):
        attributes.setdefault(name, {})["role"] = "sensitive"
    for name in asked.get("identifiers", ()):
        attributes.setdefault(name, {})["role"] = "identifier"
    if "class_attribute" in asked:
        attributes.setdefault(asked["class_attribute"], {})["role"] = "class"
    for key, word in (("types", "type"), ("bins", "bin"), ("orders", "order"), ("weights", "weight")):
        for name, value in asked.get(key, {}).items():
            attributes.setdefault(name, {})[word] = value
    for name, made in asked.get("hierarchies", {}).items():
        attributes.setdefault(name, {})["hierarchy"] = files.get(name, made)
    for key, word in (("formats", "format"), ("missing", "missing"), ("treatments", "treatment")):
        for name, value in asked.get(key, {}).items():
            attributes.setdefault(name, {})[word] = value
    for name, (least, most) in asked.get("levels", {}).items():
        attributes[name] |= {"min_level": least} | ({} if most is None else {"max_level": most})
    tables: dict[str, dict[str, Any]] = {
        "source": {"path": source} | {key: asked[key] for key in FILE if key in asked},
        **{f"attributes.{toml(name)}": keys for name, keys in attributes.items()},
        "privacy": {key: asked[key] for key in PRIVACY if key in asked},
        "objective": {
            key: asked[key]
            for key in ("cost", "suppression", "gs_factor", "recoding_model", "consistent")
            if key in asked
        },
        "search": {
            key: asked[key]
            for key in ("algorithm", "nodes", "gap", "seed", "threads", "accept_unverified")
            if key in asked
        }
        | asked.get("options", {}),
        "release": {"path": release} | {key: asked[key] for key in RELEASE if key in asked},
    }
    return "\n".join(
        f"[{table}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())
        for table, keys in tables.items()
    )


def flags(instance: Instance, files: dict[str, str], release: str) -> list[str]:
    """The request as flags of `shoal anonymize`."""
    asked, said = instance.request, list[str]()
    said += ["-q", ",".join(asked["quasi_identifiers"]), "-k", str(asked["k"])]
    for key, flag in (("sensitive", "--sensitive"), ("identifiers", "--identifiers")):
        if key in asked:
            said += [flag, ",".join(asked[key])]
    for key, flag in (
        ("class_attribute", "--class"), ("entity", "--entity"), ("known_events", "--known-events"),
        ("household", "--household"), ("survey_weight", "--survey-weight"),
        ("cost", "--cost"), ("suppression", "--suppression"), ("algorithm", "--algorithm"),
        ("nodes", "--nodes"), ("gap", "--gap"), ("seed", "--seed"), ("threads", "--threads"),
        ("suppressed", "--suppressed"), ("recoding_model", "--recoding-model"),
        ("subset", "--subset"), ("gs_factor", "--gs-factor"), ("order", "--row-order"),
        ("encoding", "--encoding"), ("delimiter", "--delimiter"), ("quote", "--quote"), ("skip", "--skip"),
    ):  # fmt: skip
        if key in asked:
            said += [flag, str(asked[key])]
    for key, flag in (("types", "--type"), ("bins", "--bin"), ("weights", "--weight")):
        for name, value in asked.get(key, {}).items():
            said += [flag, f"{name}={value}"]
    for name, values in asked.get("orders", {}).items():
        listed = values if isinstance(values, str) else ",".join(values)
        said += ["--order", f"{name}={listed}"]
    for name, (least, most) in asked.get("levels", {}).items():
        said += ["--level", f"{name}={least}:{'' if most is None else most}"]
    for name, file in files.items():
        said += ["--hierarchy", f"{name}={file}"]
    for together in asked.get("sets", ()):
        own = isinstance(together, dict)
        names = together["columns"] if own else together
        said += ["--set", ",".join(names) + (f" k={together['k']}" if own else "")]
    for model in asked.get("models", ()):
        said += [
            "--model",
            " ".join(
                [model["name"], *(f"{key}={_flag(part)}" for key, part in model.items() if key != "name")]
            ),
        ]
    for name, value in asked.get("options", {}).items():
        said += ["--option", f"{name}={_flag(value)}"]
    for name, treatment in asked.get("treatments", {}).items():
        options = ",".join(f"{key}={_flag(part)}" for key, part in treatment.items() if key != "name")
        said += ["--treat", f"{name}={treatment['name']}" + (f":{options}" if options else "")]
    for name, value in asked.get("formats", {}).items():
        said += ["--format", f"{name}={value}"]
    for name, markers in asked.get("missing", {}).items():
        said += ["--missing", f"{name}={','.join(markers)}"]
    said += [
        f"--{name}"
        for name in ("harden", "linkable", "companions", "nested", "consistent")
        if asked.get(name)
    ]
    return [*said, *(["--accept-unverified"] if asked.get("accept_unverified") else []), "-o", release]


def _flag(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
