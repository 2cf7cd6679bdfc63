"""Names for the columns of a file: each has one, and no two are equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_AROUND = " \t\r\n\u00a0\ufeff\u200b"


def generic(position: int) -> str:
    """The name of a column without one; positions count from 1."""
    return f"column_{position}"


def distinct_names(found: Sequence[str], *, trim: bool = True) -> tuple[list[str], dict[str, str]]:
    """Names that SQL can distinguish, and which of them differ from those found.

    An empty name becomes `column_3`; the second `age` becomes `age_2`. `age` and `Age` count as equal.

    Parameters
    ----------
    found
        The names in the file.
    trim
        Whether spaces around a name are dropped.
    """
    trimmed = [name.strip(_AROUND) if trim else name for name in found]
    taken = {name.lower() for name in trimmed if name}
    names: list[str] = []
    used: set[str] = set()
    for position, name in enumerate(trimmed, 1):
        wanted = name or _free([generic(position)], taken | used)
        if wanted.lower() in used:
            wanted = _free((f"{wanted}_{number}" for number in range(2, len(found) + 3)), taken | used)
        used.add(wanted.lower())
        names.append(wanted)
    renamed = {name: before for name, before in zip(names, found, strict=True) if name != before}
    return names, renamed


def _free(wanted: Iterable[str], taken: set[str]) -> str:
    first = ""
    for name in wanted:
        first = first or name
        if name.lower() not in taken:
            return name
    number = 2
    while f"{first}_{number}".lower() in taken:
        number += 1
    return f"{first}_{number}"
