"""A column of the table and the part it plays."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Literal, get_args

from shoal.errors import PolicyError
from shoal.model.cells.cell_form import parse_format
from shoal.model.description import Description
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.order.arrangement import RULES, OrderRule
from shoal.model.policy.place import CellSystem, ReleasedCell, check_made, check_place
from shoal.model.policy.stated_treatment import DROP, StatedTreatment
from shoal.model.result.coded_warning import COLUMN_CODES
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Kind, Value
from shoal.model.table.number_text import LARGEST

Identification = Literal["most", "more", "identifying", "not"]
AttributeType = Literal["number", "date", "category", "point", "time"]
"""How a column is read. A point is in two columns; it and a time become categories: cells and slots."""

_OF_ANY_ROLE = ("format", "missing", "acknowledge", "treatment")
"""What says how cells are read, accepts a warning, or is done to a column that no search looks at."""
_OF_SENSITIVE = ("type", "order", "hierarchy", "suppressed_top")
"""What can be said of a sensitive column: privacy models ask how far apart its values are."""


class Role(StrEnum):
    """What happens to a column."""

    IDENTIFIER = "identifier"  # names a person by itself: dropped
    QUASI_IDENTIFIER = "quasi-identifier"  # names a person together with others: recoded
    SENSITIVE = "sensitive"  # what must not be learned about a person: kept
    CLASS = "class"  # what a classifier shall predict: kept, and counted by the classification metric
    OTHER = "other"  # kept as it is

    @property
    def description(self) -> Description:
        """What people should know about it."""
        return _DESCRIPTIONS[self]


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column, its role, and how the search shall see its values.

    Parameters
    ----------
    name
        The column.
    role
        What happens to it.
    type
        Number, date, category, point or time; guessed from the values when absent, but for the last two. It,
        the order and the hierarchy can also be said of a sensitive column, whose values some privacy models
        compare.
    bin
        Width that numbers are put into before the search, anchored at 0.
    order
        The domain's order, for cuts: a list of all values, or how to find it. "auto", the default, takes the
        order of the hierarchy, else one that is recognised in the values, else one from the data;
        "recognised" never looks at the data; "data" always does; "sorted" is the order of numbers and texts.
    hierarchy
        Ever coarser labels: a file in ARX's layout, a `Hierarchy`, or a `Recipe` to build one from the data.
        Its leaves give the order when `order` does not.
    suppressed_top
        Whether the given hierarchy has a last level of `*` alone: `True` adds it, `False` takes it away, and
        `None` leaves the hierarchy as it is (Sweeney's suppressed maximal element; it changes heights).
    min_level, max_level
        Levels of the hierarchy that a recoding by levels may use.
    weight
        What a cell of this column weighs in metrics that are means over cells.
    linking
        How likely others link by this column, 0 to 1 (Datafly).
    tolerance
        How much distortion of this column can be tolerated, 0 to 1 (Datafly).
    identification
        How identifying this column is (mu-Argus).
    acknowledge
        Codes of warnings about this column that the user has seen and accepts; of any role.
    treatment
        What is done to the cells of a column that is not a quasi-identifier: a name, or a table with a `name`
        and options.
    format
        How its numbers or dates are written, if it is not plain or not recognised: a number by example
        ("1.234,5"), a date by letters ("DD.MM.YYYY").
    missing
        The texts that mean "missing" in it; empty for none. The usual ones are recognised among numbers and
        dates when absent.
    latitude, longitude
        The columns of a point, in degrees. They are not released.
    cells
        Which cells a point becomes: "h3" (when absent), or "grid" for squares.
    finest, coarsest
        The finest and the coarsest cells: resolutions of H3, or sides of squares in metres.
    origin
        Latitude and longitude of the origin of a grid.
    released
        How a cell is written: its "index" (when absent), a "box", or as "geojson".
    slots
        The slots that times become, from fine to coarse.
    """

    name: str
    role: Role = Role.OTHER
    type: AttributeType | None = None
    bin: int | float | None = None
    order: tuple[Value | float, ...] | OrderRule | None = None
    hierarchy: Path | Hierarchy | Recipe | None = None
    suppressed_top: bool | None = None
    min_level: int = 0
    max_level: int | None = None
    weight: int | float = 1
    linking: float = 1
    tolerance: float = 1
    identification: Identification = "identifying"
    acknowledge: tuple[str, ...] = ()
    treatment: StatedTreatment | None = None
    format: str | None = None
    missing: tuple[str, ...] | None = None
    latitude: str | None = None
    longitude: str | None = None
    cells: CellSystem | None = None
    finest: int | None = None
    coarsest: int | None = None
    origin: tuple[float, float] | None = None
    released: ReleasedCell | None = None
    slots: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        where = f"attribute {self.name!r}"
        if not isinstance(self.name, str):
            raise PolicyError(f"columns are named by text; {self.name!r} is none")
        if self.type is not None and self.type not in get_args(AttributeType):
            raise PolicyError(
                f"{where}: there is no type {self.type!r}; the types are {', '.join(get_args(AttributeType))}"
            )
        check_place(self, where)
        if not isinstance(self.hierarchy, Path | Hierarchy | Recipe | None):
            raise PolicyError(
                f"{where}: a hierarchy is a file, a Hierarchy, a Recipe or nested dictionaries, not of type "
                f"{type(self.hierarchy).__name__}"
            )
        if self.bin is not None:
            self._check_bin(where)
        if self.order == "auto":  # what is not said has the same digest
            object.__setattr__(self, "order", None)
        if self.order is not None:
            self._check_order(where)
        if self.suppressed_top is not None and not isinstance(self.hierarchy, Path | Hierarchy):
            raise PolicyError(
                f"{where}: suppressed_top changes a hierarchy that is given, and none is; give one, or say "
                "suppressed in the recipe"
            )
        self._check_numbers(where)
        self._check_acknowledged(where)
        if self.treatment is not None:
            self._check_treatment(where)
        if self.is_made:
            check_made(self, where)
            if self.role is not Role.QUASI_IDENTIFIER:
                raise PolicyError(
                    f"{where}: a {self.type} is generalized over cells or slots, as a quasi-identifier is, "
                    f"but its role is '{self.role}'; change the role, or the type"
                )
        self._check_reading(where)
        shaping = [
            each.name
            for each in fields(self)[2:]
            if getattr(self, each.name) != each.default and each.name not in _OF_ANY_ROLE
        ]
        if self.treatment is not None and self.treatment.name == "generalize":
            shaping = [name for name in shaping if name not in ("hierarchy", "suppressed_top")]
        if self.role is Role.SENSITIVE:
            shaping = [name for name in shaping if name not in _OF_SENSITIVE]
        if shaping and self.role is not Role.QUASI_IDENTIFIER:
            raise PolicyError(
                f"{where}: {', '.join(shaping)} shape a quasi-identifier, but its role is '{self.role}'; "
                "change the role or leave them out"
            )

    def _check_treatment(self, where: str) -> None:
        treatment = StatedTreatment.parse(self.treatment, where)
        object.__setattr__(self, "treatment", treatment)
        if self.role is Role.QUASI_IDENTIFIER:
            raise PolicyError(
                f"{where}: a quasi-identifier is recoded by the search, so it has no treatment; leave that "
                "out, or give the column another role"
            )
        if self.role is Role.CLASS:
            raise PolicyError(
                f"{where}: the cost counts the labels of the class column as they are, so it has no "
                "treatment; leave out the treatment, or give the column another role"
            )
        if self.role is Role.IDENTIFIER and treatment.name != DROP:
            raise PolicyError(
                f"{where}: an identifier is dropped, so it has no treatment; give the column the role other "
                f"to release it with the treatment {treatment.name!r}"
            )
        if self.role is Role.SENSITIVE and treatment.name == DROP:
            raise PolicyError(
                f"{where}: a sensitive column is released, and {DROP!r} leaves it out; give it the role "
                "identifier"
            )

    @property
    def is_made(self) -> bool:
        """Whether its values are made from columns of the source: the cells of points, the slots of times."""
        return self.type in ("point", "time")

    @property
    def kind(self) -> Kind | None:
        """The kind of its values, if it is stated."""
        return "category" if self.type in ("point", "time") else self.type  # type: ignore[return-value]

    @property
    def is_dropped(self) -> bool:
        """Whether the release does not have the column."""
        return self.role is Role.IDENTIFIER or (self.treatment is not None and self.treatment.name == DROP)

    @property
    def listed(self) -> tuple[Value | float, ...] | None:
        """The order, if it is a list of values."""
        return None if isinstance(self.order, str) else self.order

    @property
    def order_rule(self) -> OrderRule:
        """How the order is found if it is not listed and there is no hierarchy."""
        return self.order if isinstance(self.order, str) else "auto"

    def given_hierarchy(self) -> Hierarchy | None:
        """The hierarchy that is given, read if it is a file; `None` if it is none, or yet to be built."""
        given = Hierarchy.read(self.hierarchy) if isinstance(self.hierarchy, Path) else self.hierarchy
        if not isinstance(given, Hierarchy):
            return None
        if self.suppressed_top is None:
            return given
        return given.with_suppressed_top() if self.suppressed_top else given.without_suppressed_top()

    def _check_order(self, where: str) -> None:
        if isinstance(self.order, str):
            if self.order not in RULES:
                raise PolicyError(
                    f"{where}: `order` is a list of values or one of {', '.join(map(repr, RULES))}; it is "
                    f"{self.order!r}"
                )
            if self.role is Role.SENSITIVE:
                raise PolicyError(f"{where}: the `order` of a sensitive column is a list of its values")
            return
        listed = self.listed or ()
        if any(isinstance(entry, list | dict | set) for entry in listed):
            raise PolicyError(f"{where}: `order` is a list of values, not of lists")
        repeated = len(listed) - len(set(listed))
        if repeated:
            raise PolicyError(f"{where}: {repeated} value(s) of `order` are repeated; name each value once")

    def _check_acknowledged(self, where: str) -> None:
        if isinstance(self.acknowledge, str) or not all(isinstance(each, str) for each in self.acknowledge):
            raise PolicyError(f"{where}: acknowledge is a list of codes of warnings")
        for code in self.acknowledge:
            if code not in COLUMN_CODES:
                raise PolicyError(
                    f"{where}: no column has a warning {code!r}.{suggestion(code, COLUMN_CODES)}"
                )

    def _check_reading(self, where: str) -> None:
        if self.missing is not None:
            check_markers(self.missing, where)
        if self.format is None:
            return
        form = parse_format(self.format) if isinstance(self.format, str) else None
        if form is None:
            raise PolicyError(
                f'{where}: format is a number by example, like "1.234,5", or a date by letters, like '
                f'"DD.MM.YYYY"; it is {self.format!r}'
            )
        stated = "number" if self.bin is not None else self.kind
        if stated not in (None, form.kind):
            raise PolicyError(
                f"{where}: {self.format!r} is the format of a {form.kind}, but its type is '{stated}'; "
                "change one of them"
            )

    def _check_numbers(self, where: str) -> None:
        most = math.inf if self.max_level is None else self.max_level
        for name, level in (("min_level", self.min_level), ("max_level", self.max_level)):
            absent = level is None and name == "max_level"
            if not absent and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
                raise PolicyError(f"{where}: {name} must be a whole number of at least 0; it is {level!r}")
        if self.min_level > most:
            raise PolicyError(f"{where}: min_level {self.min_level} is above max_level {self.max_level}")
        for name, number in (
            ("weight", self.weight),
            ("linking", self.linking),
            ("tolerance", self.tolerance),
        ):
            least, largest = (0, sys.float_info.max) if name == "weight" else (0, 1)
            plain = isinstance(number, int | float) and not isinstance(number, bool)
            if not plain or not least <= number <= largest:
                words = "a positive number" if name == "weight" else "a number from 0 to 1"
                raise PolicyError(f"{where}: {name} must be {words}; it is {number!r}")
        if self.weight == 0:
            raise PolicyError(
                f"{where}: weight must be a positive number; leave out a column that weighs nothing"
            )
        if self.identification not in get_args(Identification):
            raise PolicyError(
                f"{where}: identification is one of {', '.join(get_args(Identification))}; "
                f"it is {self.identification!r}"
            )

    def _check_bin(self, where: str) -> None:
        assert self.bin is not None
        if isinstance(self.bin, bool) or not isinstance(self.bin, int | float) or not 0 < self.bin <= LARGEST:
            raise PolicyError(f"{where}: bin must be a positive number; it is {self.bin!r}")
        if self.type not in (None, "number"):
            raise PolicyError(f"{where}: only numbers can be binned, but its type is '{self.type}'")
        if self.order is not None or isinstance(self.hierarchy, Path | Hierarchy):
            raise PolicyError(
                f"{where}: a bin and an order or hierarchy exclude each other; keep one of them"
            )


def check_markers(markers: object, where: str) -> None:
    """Raise `PolicyError` if something is not a list of texts that mean "missing"."""
    if not isinstance(markers, tuple) or not all(isinstance(each, str) for each in markers):
        raise PolicyError(f'{where}: missing is a list of texts, like ["NA", "?"]')


_DESCRIPTIONS = {
    Role.IDENTIFIER: Description(
        title="Identifier",
        short="Dropped",
        meaning="Names a person by itself: a name, a number of a patient. It is not in the release.",
        when="Whatever finds a person without any other column.",
    ),
    Role.QUASI_IDENTIFIER: Description(
        title="Quasi-identifier",
        short="Made coarser",
        meaning="Known to others, and tells people apart together with other columns: age, sex, postcode. "
        "It is made coarser until everybody hides among others.",
        when="Whatever a neighbour, an employer or a public register knows.",
    ),
    Role.SENSITIVE: Description(
        title="Sensitive",
        short="Kept, protected by models",
        meaning="Must not be learned about a person: a diagnosis, an income. It is kept as it is, and "
        "privacy models say how well it is hidden within groups.",
        when="Whatever would harm a person if it were known.",
    ),
    Role.CLASS: Description(
        title="Class",
        short="Kept, to be predicted",
        meaning="What readers want to predict from the other columns. It is kept as it is. One column at "
        "most.",
        when="With the cost classification.",
    ),
    Role.OTHER: Description(
        title="Other",
        short="Kept as it is",
        meaning="Neither known to others nor delicate. It is kept as it is, without any protection.",
        when="Only if nobody outside can know its values.",
    ),
}
