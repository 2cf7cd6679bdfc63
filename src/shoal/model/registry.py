"""Names that a policy or a command can use: those of Shoal, and those of other installed packages.

A package adds a name by an entry point in its own pyproject.toml:

    [project.entry-points."shoal.privacy_models"]
    at-least-two = "my_package:AtLeastTwo"

Entry points, not a function to call: the command line, the studio and the processes that it starts see the
same names, whoever started them. Their names are read on first use, and a class is imported when its name is
used. Two entries of one name are an error: a policy must not depend on which of them is found first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from shoal.errors import PolicyError

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries by name; Shoal's own first.

    Parameters
    ----------
    kind
        What an entry is, for messages.
    group
        The group of entry points through which other packages add entries.
    built_in
        Shoal's own entries.
    base
        What every entry from outside is a subclass or an instance of; its `name` must be that of the entry
        point. `None` if entries can be anything.
    """

    def __init__(
        self, kind: str, group: str, built_in: Mapping[str, Entry], *, base: type[Any] | None = None
    ) -> None:
        self.kind, self.group = kind, group
        self._built_in, self._base = built_in, base
        self._loaded: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        if name in self._loaded:
            return self._loaded[name]
        found = self._load(self._outside[name]) if name in self._outside else self._built_in[name]
        self._loaded[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._outside

    def __iter__(self) -> Iterator[str]:
        yield from self._built_in
        yield from self._outside

    def __len__(self) -> int:
        return len(self._built_in) + len(self._outside)

    @property
    def built_in(self) -> Mapping[str, Entry]:
        """Shoal's own entries."""
        return self._built_in

    @property
    def outside(self) -> tuple[str, ...]:
        """The names that other packages add."""
        return tuple(self._outside)

    @cached_property
    def _outside(self) -> dict[str, EntryPoint]:
        """The entry points of other packages by name; none is imported yet."""
        found: dict[str, EntryPoint] = {}
        for each in sorted(entry_points(group=self.group), key=lambda point: (point.name, _package(point))):
            if each.name in self._built_in:
                raise PolicyError(
                    f"the package {_package(each)!r} adds a {self.kind} {each.name!r}, which is a name of "
                    "Shoal's own; uninstall the package, or rename its entry point"
                )
            if each.name in found and found[each.name].value != each.value:
                raise PolicyError(
                    f"two packages, {_package(found[each.name])!r} and {_package(each)!r}, add a {self.kind} "
                    f"{each.name!r}; uninstall one of them, or rename its entry point"
                )
            found[each.name] = each
        return found

    def _load(self, point: EntryPoint) -> Entry:
        adds = f"the package {_package(point)!r} adds a {self.kind} {point.name!r}"
        try:
            found = point.load()
        except (ImportError, AttributeError) as error:
            raise PolicyError(f"{adds}, which cannot be imported from {point.value!r}: {error}") from error
        if self._base is None:
            return cast("Entry", found)
        fits = issubclass(found, self._base) if isinstance(found, type) else isinstance(found, self._base)
        if not fits:
            raise PolicyError(
                f"{adds}, but {point.value!r} is no {self._base.__module__}.{self._base.__qualname__}"
            )
        name = getattr(found, "name", None)
        if name != point.name:
            raise PolicyError(
                f"{adds}, but it calls itself {name!r}; its `name` must be that of its entry point"
            )
        return cast("Entry", found)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"
