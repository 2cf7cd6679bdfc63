"""`shoal.init`: a commented policy for a table, to start from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api._door import door
from shoal.api._hierarchies_nearby import hierarchies_nearby
from shoal.api._policy_arguments import with_file_arguments
from shoal.api._stated_cells import Markers
from shoal.api.inspect import inspect
from shoal.api.read_policy import policy_options
from shoal.engines.sql.engine import SqlEngine
from shoal.engines.staging import check_no_input
from shoal.errors import InternalError, PolicyError
from shoal.files.whole_file import write_text
from shoal.model.policy.attribute import Role
from shoal.model.policy.first.decisions import decisions
from shoal.model.policy.first.first_policy import FirstPolicy
from shoal.model.policy.first.plan import Plan, plan
from shoal.model.policy.first.text import policy_text
from shoal.model.policy.policy_toml import parse_policy
from shoal.model.policy.typed_arguments import FileArguments
from shoal.model.table.file_options import file_options
from shoal.model.table.file_source import FileSource, with_options
from shoal.model.table.inspected import Inspected
from shoal.model.table.table_source import TableSource, redacted
from shoal.pipeline.source import source_of

WRITTEN = (".csv", ".tsv", ".parquet")
"""Endings that a release can have; a release of any other table is a .csv file."""


FRAMES = ("pandas", "polars", "pyarrow")


@door
@with_file_arguments
def init(
    source: Any,
    path: str | Path | None = None,
    *,
    table: str | None = None,
    k: int | None = None,
    release: str | Path | None = None,
    missing: Markers | None = None,
    formats: Mapping[str, str] | None = None,
    force: bool = False,
    engine: SqlEngine | None = None,
    **file: Unpack[FileArguments],
) -> FirstPolicy:
    """A commented policy for a table: roles, types and orders as they were found, and what needs a decision.

    The policy is complete: `anonymize` takes it as it is. Its comments have names of columns, counts and
    reasons, and no cell but markers of missing values.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    path
        The file to write; the policy is only returned when absent.
    k
        The least size of a group; 10 when absent, less for a table of fewer than 200 persons.
    release
        Where the release is to be written; next to the source when absent.
    missing
        Texts that mean "missing", in all columns or by column.
    formats
        By column how numbers or dates are written, as in "1.234,5" or "DD.MM.YYYY".
    force
        Whether a file that exists may be replaced.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> first = shoal.init("stays.csv", "first.toml", force=True)
    >>> print(*first.decisions, sep="\\n")  # what to decide before a release
    """
    if k is not None and k < 1:
        raise PolicyError(f"k is at least 1; given was {k}")
    opened = with_options(source_of(source, table, None), file_options(file))
    target = None if path is None else Path(path)
    if target is not None:
        _check_free(target, opened, force=force)
    inspected = inspect(opened, missing=missing, formats=formats, engine=engine)
    folder = Path() if target is None else target.parent
    planned = _with_hierarchies(plan(inspected, k), opened, folder, engine)
    stated = _source(opened, inspected, folder)
    if missing and not isinstance(missing, Mapping):
        stated["missing"] = list(missing)
    place = _release(opened, planned, release, folder)
    open_questions = decisions(planned)
    text = policy_text(
        planned,
        decisions=open_questions,
        source=stated,
        reading=_words(inspected),
        release=place,
        shuffled=_is_one_table(opened),
    )
    _check(text, folder)
    if target is not None:
        write_text(target, text)
    return FirstPolicy(
        text=text,
        path=target,
        k=planned.k,
        roles={role.value: tuple(each.name for each in planned.with_role(role)) for role in Role},
        decisions=open_questions,
        reading=_words(inspected),
    )


def _with_hierarchies(planned: Plan, source: object, folder: Path, engine: SqlEngine | None) -> Plan:
    """The plan, with the hierarchy files that are next to the table."""
    names = [each.name for each in planned.with_role(Role.QUASI_IDENTIFIER)]
    nearby = hierarchies_nearby(source, names, engine)
    fitting = {name: _relative(path, folder) for name, path in nearby.fitting.items()}
    unfit = {name: _relative(path, folder) for name, path in nearby.unfit.items()}
    columns = (
        replace(each, hierarchy=fitting.get(each.name), unfit=unfit.get(each.name))
        for each in planned.columns
    )
    return replace(planned, columns=tuple(columns))


def default_path(source: Path | FileSource | TableSource) -> Path:
    """The policy's file when none is named: next to the table, with its name."""
    if isinstance(source, TableSource):
        return Path(f"{_safe(source.name)}.toml")
    path = Path(source)
    return path.parent / f"{_stem(path)}.toml"


def _check_free(target: Path, source: object, *, force: bool) -> None:
    if target.suffix.lower() != ".toml":
        raise PolicyError(f"a policy is a .toml file; {target.name} would not be read as one")
    if isinstance(source, str | os.PathLike):
        check_no_input(target, {"the table": Path(source)}, "policy")
    if target.exists() and not force:
        raise PolicyError(f"{target} exists already; choose another name (-o), or replace it with --force")


def _source(source: object, inspected: Inspected, folder: Path) -> dict[str, Any]:
    """The keys of [source], with what was found about a file."""
    if isinstance(source, TableSource):
        if not isinstance(source.connection, str):
            return {}
        named = {"table": source.table, "path": source.path}
        stated = {name: each for name, each in named.items() if each is not None}
        return {"connection": redacted(source.connection), **stated}
    if not isinstance(source, str | os.PathLike):
        return {}
    reading = getattr(inspected, "reading", None)
    options: Mapping[str, Any] = {} if reading is None else reading.options
    return {"path": _relative(Path(source), folder), **options}


def _words(inspected: Inspected) -> str | None:
    """How the file was read, in one line."""
    reading = getattr(inspected, "reading", None)
    return None if reading is None else reading.words


def _release(source: object, planned: Plan, release: str | Path | None, folder: Path) -> str | None:
    if release is not None:
        return str(release) if isinstance(source, TableSource) else _relative(Path(release), folder)
    if isinstance(source, TableSource):
        return None if source.table is None else f"{source.table}_k{planned.k}"
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(source)
    suffix = path.name.removeprefix(path.name.partition(".")[0]).lower()
    ending = suffix if suffix.removesuffix(".gz") in WRITTEN else ".csv"
    if path.is_dir():
        ending = ".parquet"
    return _relative(path.parent / f"{_stem(path)}-k{planned.k}{ending}", folder)


def _is_one_table(source: object) -> bool:
    """Whether it is a single file or a data frame: the rows of others have no order that could be changed."""
    if isinstance(source, str | os.PathLike):
        return Path(source).is_file()
    return not isinstance(source, TableSource) and type(source).__module__.split(".")[0] in FRAMES


def _stem(path: Path) -> str:
    return _safe(path.name.partition(".")[0]) or "table"


def _safe(name: str) -> str:
    """A name without the signs of a pattern of files."""
    return "".join(sign for sign in name if sign not in "*?[]/\\").strip("-_ ")


def _relative(path: Path, folder: Path) -> str:
    """A path as a policy in a folder states it; absolute if they share no drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def _check(text: str, folder: Path) -> None:
    """Read the policy before it is given out: a first policy that is refused would be a bug."""
    try:
        parse_policy(text, folder, policy_options)
    except PolicyError as error:
        raise InternalError(f"the first policy is refused: {error}") from None
