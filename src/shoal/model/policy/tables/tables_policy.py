"""What is required of a release of several linked tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from shoal.errors import PolicyError
from shoal.model.history.promise import Promise
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy
from shoal.model.policy.recoding_model import DEFAULT_COST
from shoal.model.policy.stated_treatment import PSEUDONYM, StatedTreatment
from shoal.model.policy.suppression import Suppression
from shoal.model.policy.tables.linked_table import LinkedTable
from shoal.model.suggestion import suggestion

PERSONS = ""
"""In place of a table's name: the persons, where they have no table."""


@dataclass(frozen=True, kw_only=True)
class TablesPolicy:
    """A request for several tables, checked as far as it can be without the data.

    Rows are always released in a secret random order, so that persons are compared as trees of rows without
    an order; and k always holds of whole persons.

    Parameters
    ----------
    tables
        The tables.
    k
        Least persons who have the same released rows in all tables.
    known_events
        How much of a person somebody may know: "all".
    cost, suppression, consistent, algorithm, options, budget, threads, seed, strict
        As in `Policy`; the limit of suppression counts the rows of all tables.
    release
        The folder to write; `None` if data frames are handed out.
    """

    tables: tuple[LinkedTable, ...]
    k: int
    known_events: int | str = "all"
    cost: str = DEFAULT_COST
    suppression: Suppression = field(default_factory=Suppression.unstated)
    consistent: bool = False
    algorithm: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget.stated)
    threads: int | None = None
    seed: int = 0
    release: Path | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if not self.tables:
            raise PolicyError("the policy names no table: write [tables.NAME] for each")
        if self.known_events != "all":
            raise PolicyError(
                'known_events = "all" is the only promise for several tables: whoever knows some rows of a '
                "person knows what they belong to, too; leave known_events out"
            )
        seen: set[str] = set()
        for each in self.tables:
            if each.name.casefold() in seen:
                raise PolicyError(f"two tables are named {each.name!r}, whatever their capitals; rename one")
            seen.add(each.name.casefold())
        self._check_parents()
        self._check_roots()
        for each in self.tables:
            self.policy_of(each)

    def _check_parents(self) -> None:
        for table in self.tables:
            if table.parent is None:
                continue
            names = [each.name for each in self.tables]
            where = f"[tables.{table.name}]"
            if table.parent not in names:
                raise PolicyError(
                    f"{where}: there is no table {table.parent!r} that its rows could belong to."
                    f"{suggestion(table.parent, names)}"
                )
            if self.table(table.parent).key is None:
                raise PolicyError(
                    f"{where}: its rows belong to rows of {table.parent!r}, which has no key; write key = "
                    f'"..." under [tables.{table.parent}]'
                )
            above, place = [table.name], table
            while place.parent is not None:
                if place.parent in above:
                    circle = " -> ".join((*above, place.parent))
                    raise PolicyError(
                        f"the tables are parents of each other: {circle}; the rows of one table must belong "
                        "to a person directly"
                    )
                above.append(place.parent)
                place = self.table(place.parent)

    def _check_roots(self) -> None:
        own = [each.name for each in self.tables if each.parent is None and each.person is None]
        direct = [each.name for each in self.tables if each.person is not None]
        if len(own) > 1:
            raise PolicyError(
                f"a row of one table is a person, and {', '.join(map(repr, own))} have no parent; say which "
                'table the others belong to (parent = "..."), or, if there is no table of persons, which '
                'column identifies the person (person = "...")'
            )
        if own and direct:
            raise PolicyError(
                f"rows of {own[0]!r} are the persons, since it has no parent, and {direct[0]!r} names a "
                f'column of persons; write parent = "{own[0]}" there'
            )
        if own and self.table(own[0]).key is None and len(self.tables) > 1:
            raise PolicyError(
                f'[tables.{own[0]}]: say which column identifies its rows, which are the persons: key = "..."'
            )

    def table(self, name: str) -> LinkedTable:
        """The table of this name."""
        return next(each for each in self.tables if each.name == name)

    @cached_property
    def ordered(self) -> tuple[LinkedTable, ...]:
        """The tables, each after its parent."""
        return tuple(sorted(self.tables, key=lambda each: len(list(self.ancestors(each)))))

    def ancestors(self, table: LinkedTable) -> Iterator[LinkedTable]:
        """The parent, its parent, and so on."""
        while table.parent is not None:
            table = self.table(table.parent)
            yield table

    @property
    def root(self) -> LinkedTable | None:
        """The table whose rows are persons, if there is one."""
        return next((each for each in self.tables if each.parent is None and each.person is None), None)

    def parent_key(self, table: LinkedTable) -> str | None:
        """The column that has the key of the parent's row, or of the person; `None` for persons."""
        if table.parent is None:
            return table.person
        return table.parent_key or self.table(table.parent).key

    def linking(self, table: LinkedTable, columns: Sequence[str] | None = None) -> dict[str, str]:
        """The columns whose cells are keys: each with the table whose rows they identify, or `PERSONS`.

        Parameters
        ----------
        table
            One of the tables.
        columns
            All of its columns: further ones may repeat keys, like the patient next to the stay.
        """
        found = {} if table.key is None else {table.key: table.name}
        up = self.parent_key(table)
        if up is not None:
            found[up] = PERSONS if table.parent is None else table.parent
        stated = [each.name for each in table.attributes]
        for each in self.ancestors(table):
            repeated: dict[str | None, str] = {each.key: each.name}
            if each.person is not None:
                repeated[each.person] = PERSONS
            for column, owner in repeated.items():
                if column is not None and column in (columns or ()) and column not in (*found, *stated):
                    found[column] = owner
        return found

    def policy_of(self, table: LinkedTable, columns: Sequence[str] | None = None) -> Policy:
        """The policy for one of the tables by itself: its keys are pseudonyms, and its rows shuffled.

        Parameters
        ----------
        table
            One of the tables.
        columns
            All of its columns, if they are known.
        """
        linking = self.linking(table, columns)
        for attribute in table.attributes:
            if attribute.name in linking:
                raise PolicyError(
                    f"[tables.{table.name}]: column {attribute.name!r} links tables, so it is released as "
                    "fresh pseudonyms; leave out its role"
                )
            self._check_foreign(table, attribute.name, attribute)
        for column in columns or ():
            if column not in linking and column not in [each.name for each in table.attributes]:
                self._check_foreign(table, column, None)
        keys = tuple(
            Attribute(
                name=column,
                treatment=StatedTreatment(name=PSEUDONYM, options=(("domain", f"key of {owner}"),)),
                acknowledge=("repeated-persons",),  # k counts persons, whose keys these are
            )
            for column, owner in linking.items()
        )
        return Policy(
            source=table.source,
            file=table.file,
            attributes=(*table.attributes, *keys),
            k=self.k,
            cost=self.cost,
            suppression=self.suppression,
            consistent=self.consistent,
            options=self.options,
            budget=self.budget,
            threads=self.threads,
            seed=self.seed,
            order="shuffle",
            strict=self.strict,
        )

    def _check_foreign(self, table: LinkedTable, column: str, stated: Attribute | None) -> None:
        """Raise `PolicyError` if a column is named like a key, and would be released as it is."""
        if stated is not None and stated.role is not Role.OTHER:
            return
        if stated is not None and stated.treatment is not None:
            return
        for other in self.tables:
            if column in (other.key, other.person):
                raise PolicyError(
                    f"[tables.{table.name}]: column {column!r} is named like the key of {other.name!r} and "
                    f"would be released as it is; drop it (role identifier under "
                    f"[tables.{table.name}.attributes.{column}]), or rename it if it is no key"
                )

    @property
    def promise(self) -> Promise:
        """What is promised about every person."""
        root = self.root
        column = next(each.person for each in self.tables if each.person) if root is None else root.key
        return Promise(column=column or "", ordered=False)

    @property
    def digest(self) -> str:
        """SHA-256 of what is stated, without places and threads, as that of `Policy`."""
        stated = [
            [each.name, each.key, each.parent, self.parent_key(each), self.policy_of(each).digest]
            for each in self.tables
        ]
        return hashlib.sha256(json.dumps([stated, self.algorithm]).encode()).hexdigest()
