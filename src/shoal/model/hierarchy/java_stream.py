"""Reads what Java's ObjectOutputStream wrote, as plain records.

Java Object Serialization Specification, chapter 6, version 5 of the stream. No class is loaded and nothing
is run: an object is the name of its class and its fields. Depth, size and number of things are bounded, and a
class that the caller does not expect is refused by its name.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_MAGIC = b"\xac\xed\x00\x05"
_DEEPEST = 100
_MOST_THINGS = 1 << 20
LARGEST = 1 << 24
"""Bytes of a stream."""

_NULL, _REFERENCE, _CLASSDESC, _OBJECT, _STRING, _ARRAY = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75
_CLASS, _BLOCK, _END, _LONG_BLOCK, _LONG_STRING, _ENUM = 0x76, 0x77, 0x78, 0x7A, 0x7C, 0x7E
_FIRST_HANDLE = 0x7E0000
_WRITE_METHOD, _SERIALIZABLE, _ENUM_FLAG = 0x01, 0x02, 0x10
_PLAIN = {"B": ">b", "C": ">H", "D": ">d", "F": ">f", "I": ">i", "J": ">q", "S": ">h", "Z": ">?"}
_NAME = re.compile(r"[A-Za-z_$\[][\w.$;\[]{0,199}", re.ASCII)


class NoJavaStreamError(ValueError):
    """The bytes are not a stream of this kind; the text says why."""


@dataclass(frozen=True, eq=False)
class JavaObject:
    """An object: the name and version of its class, its fields, and what its class wrote after them.

    Parameters
    ----------
    name, version
        The class, and its serialVersionUID.
    fields
        The fields by name, those of the classes above it included.
    written
        What `writeObject` methods added: blocks of bytes and objects, in order.
    """

    name: str
    version: int
    fields: dict[str, Any] = field(default_factory=dict)
    written: list[Any] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Class:
    name: str
    version: int
    flags: int = 0
    fields: list[tuple[str, str]] = field(default_factory=list)
    above: list[_Class] = field(default_factory=list)


class _EndOfBlock:
    """What ends the part that a `writeObject` method wrote."""


_ENDED = _EndOfBlock()


def read_object(content: bytes, expected: Callable[[str], bool]) -> Any:
    """The first object of a stream: a record, a text, a list, a number or `None`; an enum is its name.

    Parameters
    ----------
    content
        The whole stream.
    expected
        Whether a class of this name may occur.
    """
    if len(content) > LARGEST:
        raise NoJavaStreamError("it is too large")
    if content[: len(_MAGIC)] != _MAGIC:
        raise NoJavaStreamError("it does not begin as a serialized Java object does")
    try:
        return _Stream(content, expected).value()
    except (struct.error, UnicodeDecodeError, IndexError):
        raise NoJavaStreamError("it is damaged or cut off") from None


class _Stream:
    def __init__(self, content: bytes, expected: Callable[[str], bool]) -> None:
        self._content, self._expected = content, expected
        self._at = len(_MAGIC)
        self._handles: list[Any] = []
        self._depth = self._things = 0
        self._reading = self._readers()

    def value(self) -> Any:
        """The next value; what ends a block is none."""
        found = self._next()
        if found is _ENDED or isinstance(found, bytes):
            raise NoJavaStreamError("it is damaged or cut off")
        return found

    def _next(self) -> Any:
        self._things += 1
        self._depth += 1
        if self._depth > _DEEPEST or self._things > _MOST_THINGS:
            raise NoJavaStreamError("it is nested too deep or has too many parts")
        sign = self._number(">B")
        read = self._reading.get(sign)
        if read is None:
            raise NoJavaStreamError(f"it has a part of a kind that is not read (0x{sign:02x})")
        found = read()
        self._depth -= 1
        return found

    def _readers(self) -> dict[int, Callable[[], Any]]:
        return {
            _NULL: lambda: None,
            _REFERENCE: self._reference,
            _CLASSDESC: self._class_description,
            _OBJECT: self._object,
            _STRING: lambda: self._kept(self._text(self._number(">H"))),
            _LONG_STRING: lambda: self._kept(self._text(self._number(">Q"))),
            _ARRAY: self._array,
            _CLASS: lambda: self._kept(self._class()),
            _BLOCK: lambda: self._bytes(self._number(">B")),
            _LONG_BLOCK: lambda: self._bytes(self._number(">I")),
            _END: lambda: _ENDED,
            _ENUM: self._enum,
        }

    def _object(self) -> JavaObject:
        described = self._class()
        made = JavaObject(described.name, described.version)
        self._kept(made)
        for each in (*reversed(described.above), described):
            if not each.flags & _SERIALIZABLE:
                raise NoJavaStreamError(f"the class {each.name} writes itself in its own way")
            for name, kind in each.fields:
                made.fields[name] = self._of_kind(kind)
            if each.flags & _WRITE_METHOD:
                while (part := self._next()) is not _ENDED:
                    made.written.append(part)
        return made

    def _array(self) -> list[Any]:
        described = self._class()
        made: list[Any] = self._kept([])
        count, kind = self._number(">i"), described.name[1:2]
        # Every element takes a byte at least, so a count beyond the end is damage.
        if not 0 <= count <= len(self._content) - self._at:
            raise NoJavaStreamError("it is damaged or cut off")
        self._things += count
        made.extend(self._of_kind(kind) for _ in range(count))
        return made

    def _enum(self) -> Any:
        self._class()
        place = len(self._handles)
        self._handles.append(None)
        self._handles[place] = name = self.value()
        return name

    def _class(self) -> _Class:
        found = self.value()
        if not isinstance(found, _Class):
            raise NoJavaStreamError("it is damaged or cut off")
        return found

    def _class_description(self) -> _Class:
        name = self._text(self._number(">H"))
        if not _NAME.fullmatch(name):
            raise NoJavaStreamError("it is damaged or cut off")
        if not self._expected(
            name.lstrip("[").removeprefix("L").removesuffix(";") if name[0] == "[" else name
        ):
            raise NoJavaStreamError(f"it has an object of the class {name}, which no specification needs")
        version = self._number(">q")
        place = len(self._handles)
        self._handles.append(None)
        flags = self._number(">B")
        fields = [self._field() for _ in range(self._number(">H"))]
        while self._next() is not _ENDED:
            pass
        above = self.value()
        if above is not None and not isinstance(above, _Class):
            raise NoJavaStreamError("it is damaged or cut off")
        lineage = [] if above is None else [above, *above.above]
        made = _Class(name, version, flags, fields, lineage)
        self._handles[place] = made
        return made

    def _field(self) -> tuple[str, str]:
        kind = chr(self._number(">B"))
        name = self._text(self._number(">H"))
        if kind in "[L":
            self.value()  # the type's name
        elif kind not in _PLAIN:
            raise NoJavaStreamError("it is damaged or cut off")
        return name, kind

    def _of_kind(self, kind: str) -> Any:
        if kind not in _PLAIN:
            return self.value()
        number = self._number(_PLAIN[kind])
        return chr(number) if kind == "C" else number

    def _reference(self) -> Any:
        place = self._number(">i") - _FIRST_HANDLE
        if not 0 <= place < len(self._handles):
            raise NoJavaStreamError("it is damaged or cut off")
        return self._handles[place]

    def _kept(self, made: Any) -> Any:
        self._handles.append(made)
        return made

    def _text(self, size: int) -> str:
        # Java's own UTF-8: U+0000 takes two bytes, and characters beyond U+FFFF are pairs of surrogates.
        raw = self._bytes(size).replace(b"\xc0\x80", b"\x00")
        return raw.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))[0]

    def _bytes(self, size: int) -> bytes:
        part = self._content[self._at : self._at + size]
        if len(part) < size:
            raise NoJavaStreamError("it is damaged or cut off")
        self._at += size
        return part
