"""What a policy states about the treatment of a column: its name and its options, not yet looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from shoal.errors import PolicyError

DROP = "drop"
PSEUDONYM = "pseudonym"


@dataclass(frozen=True, kw_only=True)
class StatedTreatment:
    """A treatment by its name; `shoal.treatments` knows what it does.

    Parameters
    ----------
    name
        The treatment.
    options
        Its options, in the order of their names.
    """

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, stated: object, where: str) -> StatedTreatment:
        """The treatment in a policy: a name, or a table with a `name` and options."""
        if isinstance(stated, StatedTreatment):
            return stated
        if isinstance(stated, str):
            return cls(name=stated)
        name = stated.get("name") if isinstance(stated, Mapping) else None
        if not isinstance(stated, Mapping) or not isinstance(name, str):
            raise PolicyError(
                f'{where}: a treatment is a name like "pseudonym", or a table like '
                '{ name = "round", to = 100 }'
            )
        options = {key: _plain(each) for key, each in stated.items() if key != "name"}
        if not all(isinstance(key, str) for key in options):
            raise PolicyError(f"{where}: the options of a treatment are named by text")
        return cls(name=name, options=tuple(sorted(options.items())))

    @property
    def stated(self) -> dict[str, object]:
        """As a policy file has it."""
        return {"name": self.name, **dict(self.options)}


def _plain(value: object) -> object:
    """An option that can be hashed and written: TOML has dates of its own."""
    if isinstance(value, list):
        return tuple(value)
    return value.isoformat() if isinstance(value, date) else value
