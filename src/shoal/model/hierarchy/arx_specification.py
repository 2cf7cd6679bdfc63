"""A hierarchy specification of ARX (.ahs): rules from which ARX builds a hierarchy over the values it finds.

The file is a serialized Java object without values. What is not exactly the same here is refused, with the
way out: ARX exports the hierarchy itself as CSV.

Rules: org.deidentifier.arx.aggregates.HierarchyBuilder* of ARX 3.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why
from shoal.model.hierarchy.arx_dates import date_levels
from shoal.model.hierarchy.arx_intervals import Groups, interval_levels
from shoal.model.hierarchy.arx_orders import ordered, set_levels
from shoal.model.hierarchy.arx_redaction import redacted_levels
from shoal.model.hierarchy.arx_types import ArxFunction, ArxType, listing, mapping, short_name
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.java_stream import LARGEST, JavaObject, NoJavaStreamError, read_object
from shoal.model.table.domain import SUPPRESSED

SUFFIX = ".ahs"
_PACKAGES = (
    *("org.deidentifier.arx.", "java.lang.", "java.util.", "java.text.", "java.math."),
    "sun.util.calendar.",
)
_INTERVALS, _ORDER = "HierarchyBuilderIntervalBased", "HierarchyBuilderOrderBased"
_REDACTION, _DATE = "HierarchyBuilderRedactionBased", "HierarchyBuilderDate"
_MOST_LEVELS = 1000


@dataclass(frozen=True, kw_only=True)
class ArxSpecification:
    """A specification.

    Parameters
    ----------
    name
        The file's name, for messages.
    builder
        Its record.
    """

    name: str
    builder: JavaObject

    @classmethod
    def read(cls, path: Path) -> ArxSpecification:
        """The specification in a file; `PolicyError` if it is none that is read."""
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST + 1)
        except OSError as error:
            raise EngineError(f"cannot read {path}: {why(error)}") from None
        try:
            builder = read_object(content, _is_expected)
        except NoJavaStreamError as error:
            raise PolicyError(f"{path.name} is not a hierarchy specification of ARX: {error}") from None
        kind = short_name(builder) if isinstance(builder, JavaObject) else type(builder).__name__
        if kind not in (_INTERVALS, _ORDER, _REDACTION, _DATE):
            raise PolicyError(_refusal(path.name, f"it holds a {kind}, which is not read"))
        return cls(name=path.name, builder=builder)

    @property
    def is_over_numbers(self) -> bool:
        """Whether the values are read as numbers; otherwise they are texts as they are written."""
        datatype = self.builder.fields.get("datatype")
        return isinstance(datatype, JavaObject) and short_name(datatype) in ("ARXInteger", "ARXDecimal")

    def build(self, values: Iterable[str]) -> Hierarchy:
        """The hierarchy that ARX builds over these values, with `*` on top where it has several labels."""
        texts = list(dict.fromkeys(values))
        if not texts:
            raise PolicyError(f"{self.name}: there is no value to build a hierarchy from")
        try:
            texts, levels = self._levels(texts)
        except PolicyError as error:
            raise PolicyError(_refusal(self.name, str(error))) from None
        except (LookupError, AttributeError, TypeError, ValueError, ArithmeticError):
            raise PolicyError(
                _refusal(self.name, "a part of it is missing or not as ARX writes it")
            ) from None
        if len(set(levels[-1])) > 1:
            levels.append([SUPPRESSED] * len(texts))
        try:
            made = Hierarchy(tuple(zip(texts, *levels, strict=True)))
        except PolicyError:  # its message quotes values of the table
            raise PolicyError(
                _refusal(
                    self.name, "its levels do not nest over the values of this column, or a label is empty"
                )
            ) from None
        if untrue := made.untrue():
            count = len({each.label for each in untrue})
            raise PolicyError(_refusal(self.name, f"{count:,} of its labels are not true of their values"))
        return made

    def _levels(self, texts: list[str]) -> tuple[list[str], list[list[str]]]:
        kind = short_name(self.builder)
        if kind == _REDACTION:
            return sorted(texts), redacted_levels(self.builder, sorted(texts))
        if kind == _DATE:
            return date_levels(self.builder, texts)
        datatype = ArxType.of(self.builder.fields["datatype"])
        groups = _groups(self.builder)
        if kind == _INTERVALS:
            if datatype.is_number:
                texts = sorted(texts, key=datatype.number)
            return texts, interval_levels(self.builder, datatype, groups, texts)
        texts = ordered(self.builder.fields["comparator"], texts)
        return texts, set_levels(datatype, groups, texts)


def _is_expected(name: str) -> bool:
    return name.startswith(_PACKAGES) or len(name) == 1  # one letter: the elements of an array of numbers


def _groups(builder: JavaObject) -> Sequence[Groups]:
    levels = mapping(builder.fields["groups"])
    if sorted(levels) != list(range(len(levels))) or len(levels) > _MOST_LEVELS:
        raise PolicyError("a level is missing")
    groups = []
    for level in range(len(levels)):
        stated = listing(levels[level].fields["list"])
        groups.append(
            [(int(each.fields["size"]), ArxFunction.of(each.fields["function"])) for each in stated]
        )
    if any(size < 1 for group in groups for size, _ in group) or not all(groups[:-1]):
        raise PolicyError("a level has no groups")
    return groups


def _refusal(name: str, reason: str) -> str:
    return f"{name}: {reason}; export the hierarchy as CSV in ARX"
