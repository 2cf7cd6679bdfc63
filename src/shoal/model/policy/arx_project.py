"""An ARX project (.deid): a ZIP file with the data, the hierarchies as CSV, and the settings as XML.

What ARX saves by Java's serialization as well (`*.dat`) is not read: the XML has what a policy states, except
the research subset.

Layout: org.deidentifier.arx.gui.worker.WorkerSave of ARX 3.9, vocabulary 2.0.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.arx_criteria import Model, anonymity_of, cost_of, model_of
from shoal.model.policy.attribute import Role

LARGEST_TEXT = 1 << 26
"""Bytes of a hierarchy or of XML; a larger one is no settings file."""

_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFIER,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI_IDENTIFIER,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.OTHER,
}
_TYPES = {
    "String": "category",
    "Ordinal": "category",
    "Integer": "number",
    "Decimal": "number",
    "Date/Time": "date",
}
DATA = "data/input.csv"


@dataclass(frozen=True, kw_only=True)
class ArxColumn:
    """A column of a project.

    Parameters
    ----------
    name, role, type
        What they are in a policy; the type is `None` if ARX's is not known.
    hierarchy
        Its hierarchy, if there is one.
    levels
        The least and the greatest level allowed, `None` where any is.
    weight
        What it weighs; ARX's default is 0.5.
    """

    name: str
    role: Role
    type: str | None = None
    hierarchy: Hierarchy | None = None
    levels: tuple[int | None, int | None] = (None, None)
    weight: float | None = None


@dataclass(frozen=True, kw_only=True)
class ArxProject:
    """What a policy can say of a project.

    Parameters
    ----------
    columns
        The columns in order.
    k
        The k; `None` if the project demands none.
    models, cost, gs_factor
        What is demanded besides k, and what is minimized; `None` if ARX's measure is not known.
    suppression
        The greatest share of suppressed rows.
    data
        The table of the project as CSV, if it has one.
    left_out
        What the project has and a policy made of it lacks, in sentences.
    """

    columns: tuple[ArxColumn, ...]
    k: int | None
    models: tuple[Model, ...]
    cost: str | None
    gs_factor: float | None
    suppression: float
    data: bytes | None
    left_out: tuple[str, ...] = field(default=())

    @classmethod
    def read(cls, path: Path) -> ArxProject:
        """The project in a file; `PolicyError` if it is none."""
        try:
            with zipfile.ZipFile(path) as archive:
                return _Reader(archive, path.name).project()
        except (zipfile.BadZipFile, ElementTree.ParseError, NotImplementedError, EOFError):
            raise PolicyError(f"{path.name} is not a project of ARX (.deid), or it is damaged") from None
        except OSError as error:
            raise EngineError(f"cannot read {path}: {why(error)}") from None


class _Reader:
    """Reads the files of an archive."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive, self._name = archive, name
        self._names = set(archive.namelist())
        self._left_out: list[str] = []

    def project(self) -> ArxProject:
        definition, config = self._xml("input/definition.xml"), self._xml("input/config.xml")
        if definition is None or config is None:
            raise PolicyError(
                f"{self._name} has no settings of an ARX project (input/definition.xml); save it again in "
                "ARX with data and settings"
            )
        weights = {
            _text(each, "attribute") or "": float(_text(each, "weight") or 0.5)
            for each in config.iter("attributeWeight")
        }
        columns = tuple(self._column(each, weights) for each in definition.iter("assigment"))
        demands = [each.text or "" for each in config.iter("criterion")]
        ks = [k for k in map(anonymity_of, demands) if k is not None]
        models = [self._model(text) for text in demands if anonymity_of(text) is None]
        metric = _text(config, "metric") or ""
        cost = cost_of(metric)
        if cost is None:
            self._left_out.append(f"quality model: {metric or 'none'}; the default cost is used")
        if not ks:
            self._left_out.append("the project demands no k-anonymity; k = 1 is written, choose one")
        return ArxProject(
            columns=columns,
            k=max(ks, default=None),
            models=tuple(each for each in models if each is not None),
            cost=None if cost is None else cost[0],
            gs_factor=None if cost is None else cost[1],
            suppression=float(_text(config, "relativeMaxOutliers") or 0),
            data=self._archive.read(DATA) if DATA in self._names else None,
            left_out=tuple(self._left_out),
        )

    def _model(self, text: str) -> Model | None:
        found = model_of(text)
        if found is None:
            self._left_out.append(f"privacy model: {text}")
        return found

    def _column(self, tree: ElementTree.Element, weights: dict[str, float]) -> ArxColumn:
        name = _text(tree, "name") or ""
        role = _ROLES.get(_text(tree, "type") or "")
        if role is None:
            raise PolicyError(
                f"{self._name}: column {name!r} has a type that is not known: {_text(tree, 'type')}"
            )
        kind = _text(tree, "datatype") or ""
        if (form := _text(tree, "format")) is not None and kind == "Date/Time":
            self._left_out.append(f"column {name!r}: its dates are written as {form}")
        if _text(tree, "microAggregationFunction") is not None:
            self._left_out.append(f'column {name!r}: micro-aggregation; see algorithm = "microaggregate"')
        if _text(tree, "response") == "true":
            self._left_out.append(
                f"column {name!r} is a response variable; give it the role class if you need it"
            )
        return ArxColumn(
            name=name,
            role=role,
            type=_TYPES.get(kind),
            hierarchy=self._hierarchy(name, _text(tree, "ref")),
            levels=(_level(tree, "min"), _level(tree, "max")),
            weight=weights.get(name),
        )

    def _hierarchy(self, column: str, ref: str | None) -> Hierarchy | None:
        place = f"input/{ref}"
        if ref is None or place not in self._names:
            return None
        try:
            return Hierarchy.parse(self._bytes(place).decode("utf-8-sig"))
        except (PolicyError, UnicodeDecodeError) as error:
            self._left_out.append(f"column {column!r}: its hierarchy is not one for Shoal ({error})")
            return None

    def _xml(self, place: str) -> ElementTree.Element | None:
        if place not in self._names:
            return None
        content = self._bytes(place)
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise PolicyError(f"{self._name}: {place} declares entities, which no project of ARX does")
        return ElementTree.fromstring(content)

    def _bytes(self, place: str) -> bytes:
        if self._archive.getinfo(place).file_size > LARGEST_TEXT:
            raise PolicyError(f"{self._name}: {place} is too large to be a part of a project")
        return self._archive.read(place)


def _text(tree: ElementTree.Element, name: str) -> str | None:
    found = tree.find(name)
    return None if found is None or found.text is None else found.text


def _level(tree: ElementTree.Element, name: str) -> int | None:
    stated = _text(tree, name)
    return int(stated) if stated is not None and stated.isdecimal() else None
