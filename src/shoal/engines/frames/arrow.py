"""pyarrow tables as tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.engines.frames.frame import Factorized, Frame, Native, Replacement


class ArrowFrame(Frame):
    """A pyarrow table."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.native.column_names)

    def __len__(self) -> int:
        return int(self.native.num_rows)

    def type_name(self, column: str) -> str:
        return str(self.native.schema.field(column).type)

    def _factorize(self, column: str) -> Factorized:
        return factorized(self.native[column])

    def without(self, columns: Sequence[str]) -> Frame:
        return ArrowFrame(self.native.drop_columns(list(columns)))

    def canonical(self, column: str) -> Frame:
        arrow = importlib.import_module("pyarrow")
        compute = importlib.import_module("pyarrow.compute")
        array = self.native[column]
        if not arrow.types.is_floating(array.type):
            return self
        zero = arrow.scalar(0.0, array.type)
        array = compute.if_else(
            compute.is_nan(array), arrow.scalar(None, array.type), compute.add(array, zero)
        )
        return self._with(column, array)

    def replaced(self, columns: Mapping[str, Replacement]) -> Frame:
        arrow = importlib.import_module("pyarrow")
        types = {
            "text": arrow.string(),
            "decimal": arrow.float64(),
            "whole": arrow.int64(),
            "date": arrow.date32(),
            "moment": arrow.timestamp("us"),
        }
        frame = self
        for name, each in columns.items():
            cells = arrow.array(list(each.cells), types[each.element])
            frame = frame._with(name, cells.take(arrow.array(each.choices)))
        return frame

    def arranged(self, columns: Sequence[str]) -> Frame:
        return ArrowFrame(self.native.select(list(columns)))

    def filtered(self, kept: NDArray[np.bool_]) -> Frame:
        return ArrowFrame(
            self.native.filter(importlib.import_module("pyarrow").array(kept))
        )._without_unused()

    def blanked(self, kept: NDArray[np.bool_], columns: Sequence[str]) -> Frame:
        arrow = importlib.import_module("pyarrow")
        places = arrow.array(np.cumsum(kept) - 1, mask=~kept)
        frame = self
        for name in columns:
            # Built from the kept cells: a cell that is only marked as missing is still in the buffers.
            frame = frame._with(name, self.native[name].filter(arrow.array(kept)).take(places))
        return frame._without_unused()

    def _without_unused(self) -> ArrowFrame:
        """With rebuilt dictionaries: the old ones would reveal values that only suppressed rows had."""
        frame = self
        for name in self.columns:
            frame = frame._with(name, without_unused(self.native[name]))
        return frame

    def _with(self, column: str, array: Native) -> ArrowFrame:
        arrow = importlib.import_module("pyarrow")
        position = self.native.schema.get_field_index(column)
        if position < 0:
            return ArrowFrame(self.native.append_column(column, array))
        field = self.native.schema.field(column)
        field = field.with_nullable(True) if field.type == array.type else arrow.field(column, array.type)
        return ArrowFrame(self.native.set_column(position, field, array))


def without_unused(array: Native) -> Native:
    """An array whose dictionaries, if any, contain only the values of its cells."""
    arrow = importlib.import_module("pyarrow")
    if arrow.types.is_dictionary(array.type):
        return array.cast(array.type.value_type).cast(array.type)
    if not _has_dictionary(array.type):
        return array
    return arrow.chunked_array([arrow.array(array.to_pylist(), array.type)])


def _has_dictionary(type_: Native) -> bool:
    arrow = importlib.import_module("pyarrow")
    if arrow.types.is_dictionary(type_):
        return True
    return any(_has_dictionary(type_.field(place).type) for place in range(type_.num_fields))


def factorized(array: Native) -> Factorized:
    """The distinct cells of a column, and their codes."""
    arrow = importlib.import_module("pyarrow")
    if arrow.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    encoded = array.combine_chunks().dictionary_encode()
    if isinstance(encoded, arrow.ChunkedArray):  # older versions combine to a chunked array
        encoded = encoded.unify_dictionaries().combine_chunks()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Factorized(codes.astype(np.int32), _cells(encoded.dictionary))


def _cells(dictionary: Native) -> list[object]:
    """Distinct cells as Python's own types, or as text where those would lose something.

    Python's moments and times of day end at microseconds, its years at 9999.
    """
    arrow = importlib.import_module("pyarrow")
    types, type_ = arrow.types, dictionary.type
    if types.is_float32(type_):
        return list(dictionary.to_numpy(zero_copy_only=False))  # as a list they would be doubles
    try:
        if types.is_timestamp(type_):
            dictionary = dictionary.cast(arrow.timestamp("us", type_.tz))
        elif types.is_time64(type_):
            dictionary = dictionary.cast(arrow.time64("us"))
        elif types.is_duration(type_):
            dictionary = dictionary.cast(arrow.duration("us"))
        return list(dictionary.to_pylist())
    except (arrow.ArrowInvalid, OverflowError, ValueError):
        if types.is_duration(type_):
            return [f"{count} {type_.unit}" for count in dictionary.cast(arrow.int64()).to_pylist()]
        return list(dictionary.cast(arrow.string()).to_pylist())
