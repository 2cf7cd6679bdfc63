"""Flags that hold lists and pairs: `-q age,zip`, `--bin age=5`, `--order size=S,M,L`, `--widths 5,10`."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from shoal.api.read_policy import policy_options
from shoal.errors import PolicyError
from shoal.model.order.arrangement import RULES
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import file_options
from shoal.model.table.file_source import FileSource, with_options
from shoal.model.table.table_source import TableSource

T = TypeVar("T")

_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*(?:,|\Z)|([^",\r\n]*)(?:,|\Z))')
"""A name of a list, in quotes or not."""


def names(flags: Sequence[str] | None) -> list[str]:
    """Columns, separated by commas or given by several flags.

    Put a name in double quotes if it has a comma in it, or spaces around it.
    """
    return [name for flag in flags or () for name in _names(flag)]


def column_set(text: str) -> dict[str, object]:
    """Columns that are known together, and their own k if they have one: `age,sex`, `age,sex k=20`."""
    columns, space, k = text.rpartition(" k=")
    if not space or not k.strip().isdecimal():
        return {"columns": names([text])}
    return {"columns": names([columns]), "k": int(k)}


def _names(flag: str) -> list[str]:
    found = []
    for match in _NAME.finditer(flag):
        inside, plain = match.groups()
        name = plain.strip() if inside is None else inside.replace('""', '"')
        if name:
            found.append(name)
    return found if _NAME.sub("", flag) == "" else [name.strip() for name in _split(flag) if name.strip()]


def source(
    text: str, table: str | None, file: Mapping[str, Any] | None = None
) -> Path | FileSource | TableSource:
    """A file, or a table behind a connection.

    Parameters
    ----------
    text, table
        The file or the connection, and the table behind it.
    file
        Flags that say how the file is written.
    """
    options = file_options(file or {})
    if table is not None:
        return cast("TableSource", with_options(TableSource(connection=text, table=table), options))
    if text.lower().startswith(("http://", "https://", "ftp://", "s3://")):
        raise PolicyError("Shoal reads no file over the network; download it, and name the local file")
    if "://" in text:
        # Not repeated: it may have a password.
        raise PolicyError("a connection needs the name of a table: --table NAME")
    return cast("Path | FileSource", with_options(Path(text), options))


def pairs(flag: str, texts: Sequence[str] | None, read: Callable[[str], T]) -> dict[str, T]:
    """`column=value` flags as a dictionary."""
    values: dict[str, T] = {}
    for text in texts or ():
        column, sign, value = text.partition("=")
        if not sign or not column or not value:
            raise PolicyError(f"{flag} takes NAME=VALUE; given was {text!r}")
        if column in values:
            raise PolicyError(f"{flag} names {column!r} twice")
        values[column] = read(value)
    return values


def number(flag: str, text: str) -> int | float:
    """The number that a flag was given."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    raise PolicyError(f"{flag} takes numbers; given was {text!r}")


def numbers(flag: str, text: str | None) -> tuple[int | float, ...]:
    """The numbers that a flag was given, separated by commas."""
    return tuple(number(flag, entry) for entry in names(None if text is None else [text]))


def values(text: str) -> list[str]:
    """The values of an order, separated by commas; put one with a comma in it in quotes."""
    return [value.strip() for value in _split(text)]


def order(text: str) -> list[str] | str:
    """An order: its values separated by commas, or one word that says how to find it."""
    return text if text in RULES else values(text)


def markers(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """Missing markers: `NA,?` for all columns, or `age=999` for one, which may be given several times."""
    for_all = [text for text in texts if "=" not in text]
    if for_all and len(for_all) < len(texts):
        raise PolicyError(
            "--missing takes texts for all columns, as in NA,?, or by column, as in age=999, but not both; "
            "state both in a policy file"
        )
    if for_all:
        return [marker for text in for_all for marker in values(text)]
    by_column: dict[str, list[str]] = {}
    for text in texts:
        column, _, listed = text.partition("=")
        by_column.setdefault(column, []).extend(values(listed))
    return by_column


def levels(text: str) -> tuple[int, int | None]:
    """The least and the greatest level: `1:3`, `1:`, `:3`, or `2` for that level alone."""
    least, sign, greatest = text.partition(":")
    try:
        return int(least or 0), (int(greatest) if greatest else None) if sign else int(least)
    except ValueError:
        raise PolicyError(f"--level takes COLUMN=LEAST:GREATEST, as in age=1:3; given was {text!r}") from None


def point(text: str) -> dict[str, object]:
    """A point: `lat,lon`, and further keys behind them: `lat,lon,cells=grid,origin=52.5/13.4,finest=500`."""
    latitude, longitude, *rest = [*values(text), "", ""][: max(2, len(values(text)))]
    said: dict[str, object] = {"latitude": latitude, "longitude": longitude}
    pairs = [each.partition("=") for each in rest]
    if not latitude or not longitude or not all(sign and value for _, sign, value in pairs):
        raise PolicyError(
            "--point takes COLUMN=LATITUDE,LONGITUDE and perhaps more, as in place=lat,lon,finest=8; given "
            f"was {text!r}"
        )
    for key, _, value in pairs:
        if key == "origin":
            said[key] = tuple(number("--point", part) for part in value.split("/"))
        else:
            said[key] = number("--point", value) if key in ("finest", "coarsest") else value
    return said


def options(texts: Sequence[str] | None) -> dict[str, object]:
    """`name=value` flags as options of an algorithm, each of the type that it has."""
    stated = pairs("--option", texts, lambda text: text)
    kinds = {key.name: key.kinds for key in policy_options()} if stated else {}
    return {name: _option(name, text, kinds) for name, text in stated.items()}


def treatment(text: str) -> dict[str, object]:
    """A treatment: `round:100`, or with names of options `top-code:at=90,written=bound`."""
    # Imported here: `shoal --help` does not wait for the treatments.
    from shoal.treatments import main_option

    name, _, rest = text.partition(":")
    options: dict[str, object] = {}
    for entry in _split(rest) if rest else ():
        key, sign, value = entry.partition("=")
        main = main_option(name)
        if not sign:
            key, value = main or "", entry
        if not key or not value:
            raise PolicyError(
                f"--treat takes COLUMN=NAME or COLUMN=NAME:OPTION=VALUE, as in income=round:100; given was "
                f"{text!r}"
            )
        options[key.strip()] = _plain(key.strip(), value.strip())
    return {"name": name, **options}


def model(text: str) -> dict[str, object]:
    """A privacy model: its name, then `key=value` pairs, as in `k-map k=5`; quotes hold spaces together."""
    try:
        name, *settings = shlex.split(text)
    except ValueError:
        raise PolicyError(
            f'--model takes a name and KEY=VALUE pairs, as in "distinct-l-diversity attribute=disease l=3"; '
            f"given was {text!r}"
        ) from None
    if name in list(RecodingModel):
        raise PolicyError(f"{name} is a recoding model: --recoding-model {name}; --model is a privacy model")
    stated = pairs("--model", settings, lambda value: value)
    return {"name": name, **{key: _plain(key, value) for key, value in stated.items()}}


def _plain(key: str, text: str) -> object:
    """A parameter of a model: some are text by their nature, the others numbers or truth values."""
    if key in ("attribute", "entity", "name", "by", "domain", "group", "pattern"):
        return text
    if key == "values":
        return values(text)
    if text in ("true", "false"):
        return text == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _option(name: str, text: str, kinds: Mapping[str, tuple[type, ...]]) -> object:
    if name not in kinds:
        raise PolicyError(f"no algorithm has an option {name!r}.{suggestion(name, kinds)}")
    if bool in kinds[name]:
        if text not in ("true", "false"):
            raise PolicyError(f"option {name!r} is true or false; given was {text!r}")
        return text == "true"
    if int in kinds[name]:
        try:
            return float(text) if float in kinds[name] else int(text)
        except ValueError:
            raise PolicyError(f"option {name!r} is a number; given was {text!r}") from None
    return values(text) if list in kinds[name] else text


def _split(text: str) -> list[str]:
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise PolicyError(
            "a list has a line end, or an entry that is too long; put a name that has a line end in quotes"
        ) from None


def seconds(text: str) -> float | str:
    """A number of seconds, or "unlimited", which is checked where it is read."""
    try:
        return float(text)
    except ValueError:
        return text.strip()
