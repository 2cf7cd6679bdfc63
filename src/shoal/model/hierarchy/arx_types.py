"""ARX's data types and the functions that label its groups, as specifications hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from shoal.errors import PolicyError
from shoal.model.hierarchy.java_stream import JavaObject

Amount = int | float

_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7
"""Between them Java writes a double without a power of ten."""


@dataclass(frozen=True, kw_only=True)
class ArxType:
    """How ARX reads, orders and prints the values of a column.

    Parameters
    ----------
    name
        The class: ARXInteger, ARXDecimal, ARXString or ARXOrderedString.
    order
        The place of each value, where the type lists them.
    """

    name: str
    order: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, record: JavaObject) -> ArxType:
        """The type that a record describes."""
        name = short_name(record)
        if name in ("ARXInteger", "ARXDecimal"):
            if record.fields.get("string") is not None:
                raise PolicyError(f"it writes numbers by the pattern {record.fields['string']!r}")
            return cls(name=name)
        if name == "ARXOrderedString":
            order = record.fields.get("order")
            return cls(name=name, order={} if order is None else mapping(order))
        if name == "ARXString":
            return cls(name=name)
        raise PolicyError(f"groups over the data type {name} are not read")

    @property
    def is_number(self) -> bool:
        """Whether values are numbers."""
        return self.name in ("ARXInteger", "ARXDecimal")

    def number(self, text: str) -> Amount:
        """A value as ARX computes with it."""
        if self.name == "ARXInteger" and _WHOLE.fullmatch(text):
            return int(text)
        if self.name == "ARXDecimal" and _DECIMAL.fullmatch(text):
            return float(text)
        kind = "a whole number" if self.name == "ARXInteger" else "a number"
        raise PolicyError(f"it is for {self.name[3:].lower()}s, and a value of the column is not {kind}")

    def key(self, text: str) -> Any:
        """What values are sorted by."""
        if self.is_number:
            return self.number(text)
        if self.order:
            return place(self.order, text)
        return text.encode("utf-16-be")  # Java compares texts by these units

    def text(self, number: Amount) -> str:
        """A number as ARX prints it in a label."""
        return str(number) if isinstance(number, int) else double_text(number)


def double_text(number: float) -> str:
    """A number as Java's Double.toString prints it."""
    plain = Decimal(repr(number))
    if number == 0 or _PLAIN_FROM <= abs(number) < _PLAIN_BELOW:
        text = f"{plain:f}"
        return text if "." in text else f"{text}.0"
    sign, digits, _ = plain.normalize().as_tuple()
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{digits[0]}.{rest}E{plain.adjusted()}"


@dataclass(frozen=True, kw_only=True)
class ArxFunction:
    """What labels a group.

    Parameters
    ----------
    name
        The class: GenericInterval, GenericBounds, GenericSet or GenericConstant.
    record
        Its fields.
    """

    name: str
    record: JavaObject

    @classmethod
    def of(cls, record: JavaObject) -> ArxFunction:
        """The function that a record describes."""
        name = short_name(record)
        if name not in ("GenericInterval", "GenericBounds", "GenericSet", "GenericConstant"):
            raise PolicyError(f"the labels of the function {name.removeprefix('Generic')} are not read")
        return cls(name=name, record=record)

    def of_interval(self, low: str, high: str) -> str:
        """The label of the numbers from `low` up to, but without, `high`."""
        if self.name == "GenericConstant":
            return self._constant
        if self.name == "GenericSet":
            raise PolicyError(
                "it labels an interval as a set of its two bounds, which is not true of the rest"
            )
        if self.name == "GenericBounds":
            return f"[{low}, {high}]"
        self._check_closed(upper=False)
        return f"[{low}, {high}{']' if self.record.fields['upperIncluded'] else '['}"

    def of_members(self, members: Sequence[str], kind: ArxType) -> str:
        """The label of some values, which are in order."""
        if self.name == "GenericConstant":
            return self._constant
        if self.name == "GenericSet":
            return "{" + ", ".join(members) + "}"
        if self.name == "GenericBounds":
            return f"[{members[0]}, {members[-1]}]"
        self._check_closed(upper=True)
        return f"[{min(members, key=kind.key)}, {max(members, key=kind.key)}]"

    @property
    def _constant(self) -> str:
        value = self.record.fields.get("value")
        if not isinstance(value, str):
            raise PolicyError("a label is missing")
        return value

    def _check_closed(self, *, upper: bool) -> None:
        needed = ("lowerIncluded", "upperIncluded") if upper else ("lowerIncluded",)
        if not all(self.record.fields[each] for each in needed):
            raise PolicyError("its labels exclude a bound that is among their values, so they are not true")


def short_name(record: object) -> str:
    """The class of a record, without its package."""
    if not isinstance(record, JavaObject):
        raise PolicyError("a part is missing")
    return record.name.rpartition(".")[2].rpartition("$")[2]


def listing(record: object) -> list[Any]:
    """The elements of a java.util.ArrayList."""
    if short_name(record) != "ArrayList":
        raise PolicyError("a list is of a kind that is not read")
    assert isinstance(record, JavaObject)
    return [each for each in record.written if not isinstance(each, bytes)]


def mapping(record: object) -> dict[Any, Any]:
    """The entries of a java.util.HashMap."""
    if short_name(record) != "HashMap":
        raise PolicyError("a map is of a kind that is not read")
    assert isinstance(record, JavaObject)
    entries = [unboxed(each) for each in record.written if not isinstance(each, bytes)]
    return dict(zip(entries[::2], entries[1::2], strict=True))


def unboxed(value: Any) -> Any:
    """A number, truth value or character without the object around it."""
    boxed = isinstance(value, JavaObject) and value.name.startswith("java.lang.")
    return value.fields["value"] if boxed else value


def place(order: dict[str, int], text: str) -> int:
    """The place of a value in a listed order."""
    if text not in order:
        raise PolicyError("a value of the column is not in its order")
    return order[text]
