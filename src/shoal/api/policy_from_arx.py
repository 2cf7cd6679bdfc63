"""`shoal.policy_from_arx`: the policy of an ARX project, with its hierarchies and its table as files."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from shoal.api._door import door
from shoal.errors import EngineError, PolicyError
from shoal.files.private_folder import STAGED, PrivateFolder
from shoal.files.whole_file import why, write_bytes, write_text
from shoal.model.policy.arx_project import ArxColumn, ArxProject
from shoal.model.policy.attribute import Role

POLICY, TABLE = "policy.toml", "input.csv"


@dataclass(frozen=True, kw_only=True)
class ArxImport:
    """What was made of an ARX project.

    Parameters
    ----------
    policy
        The file of the policy.
    files
        The other files that were written.
    left_out
        What the project has and the policy lacks, in sentences. Read them before you release anything.
    """

    policy: Path
    files: tuple[Path, ...]
    left_out: tuple[str, ...]


@door
def policy_from_arx(
    project: str | Path, folder: str | Path, *, source: str | Path | None = None
) -> ArxImport:
    """Write the policy of an ARX project (.deid), with its hierarchies and its table, into a new folder.

    Parameters
    ----------
    project
        The project's file.
    folder
        The folder to create; it must not exist, so that nothing is overwritten.
    source
        The table to release, where it is not the one that the project holds.

    Examples
    --------
    >>> made = shoal.policy_from_arx("study.deid", "study")
    >>> print(made.policy, *made.left_out, sep="\\n")
    """
    read, place = ArxProject.read(Path(project)), Path(folder)
    if place.exists():
        raise PolicyError(f"{place} exists already; name a new folder")
    if source is None and read.data is None:
        raise PolicyError("the project holds no data; name the table: source=..., --source FILE")
    with PrivateFolder(place.absolute().parent, prefix=STAGED) as private:
        staged = private.path / place.name
        staged.mkdir()
        names = _written(read, staged, None if source is None else os.path.relpath(source, place))
        try:
            staged.rename(place)
        except OSError as error:
            raise EngineError(f"cannot write {place}: {why(error)}") from None
    return ArxImport(
        policy=place / POLICY, files=tuple(place / name for name in names), left_out=read.left_out
    )


def _written(read: ArxProject, place: Path, source: str | None) -> list[str]:
    """Write the files into a folder that is there; their names, without the policy's."""
    names, hierarchies = [], {}
    for number, column in enumerate(read.columns, 1):
        if column.hierarchy is None or column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            continue
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", column.name).strip("_")[:40]
        name = f"hierarchy-{number}-{plain}.csv"
        column.hierarchy.write(place / name)
        names.append(name)
        hierarchies[column.name] = name
    if source is None and read.data is not None:
        write_bytes(place / TABLE, read.data)
        names.append(TABLE)
    text = "\n".join(_lines(read, TABLE if source is None else source, hierarchies)) + "\n"
    write_text(place / POLICY, text)
    return names


def _lines(read: ArxProject, source: str, hierarchies: dict[str, str]) -> list[str]:
    """The policy, line by line."""
    lines = [
        "# From a project of ARX.",
        *(f"# Not carried over: {_one_line(each)}" for each in read.left_out),
    ]
    lines += ["", "[source]", f"path = {_toml(source)}"]
    for column in read.columns:
        lines += ["", f"[attributes.{_toml(column.name)}]", *_column(column, hierarchies)]
    lines += ["", "[privacy]", f"k = {read.k or 1}"]
    if read.models:
        lines += ["models = [", *(f"  {_toml(model)}," for model in read.models), "]"]
    lines += ["", "[objective]"]
    if read.cost is not None:
        lines.append(f"cost = {_toml(read.cost)}")
    if read.gs_factor is not None and read.gs_factor != 0.5:
        lines.append(f"gs_factor = {read.gs_factor!r}")
    lines.append(f"suppression = {_toml(_suppression(read.suppression))}")
    lines += ["", "[search]", 'algorithm = "lattice"  # one level per column, as in ARX']
    return [*lines, "", "[release]", 'path = "release.csv"']


def _column(column: ArxColumn, hierarchies: dict[str, str]) -> list[str]:
    lines = [f"role = {_toml(column.role.value)}"]
    if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        return lines
    if column.type is not None:
        lines.append(f"type = {_toml(column.type)}")
    if column.name in hierarchies:
        lines.append(f"hierarchy = {_toml(hierarchies[column.name])}")
    if column.role is Role.QUASI_IDENTIFIER:
        for key, level in zip(("min_level", "max_level"), column.levels, strict=True):
            if level is not None:
                lines.append(f"{key} = {level}")
        if column.weight is not None and column.weight != 0.5:
            lines.append(f"weight = {2 * column.weight!r}")  # ARX's usual weight is 0.5, here it is 1
    return lines


def _suppression(share: float) -> int | str:
    if share >= 1:
        return "unlimited"
    return 0 if share <= 0 else f"{float(Fraction(str(share)) * 100):g}%"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _toml(value: object) -> str:
    """A value as TOML writes it: its basic texts are JSON's."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value).replace("\x7f", "\\u007f")
