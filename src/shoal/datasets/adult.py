"""The bundled Adult table, with an order for each of its categories.

An order is the preorder of a taxonomy: values that belong together are neighbours, so that an interval of
the order is a set a reader can name.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy

FrameKind = Literal["pandas", "polars", "pyarrow"]

ADULT_QUASI_IDENTIFIERS: tuple[str, ...] = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
)

ADULT_ORDERS: dict[str, tuple[str, ...]] = {
    # Employed by the state, self-employed, employed by others, not employed.
    "workclass": (
        *("Federal-gov", "State-gov", "Local-gov"),
        *("Self-emp-inc", "Self-emp-not-inc"),
        "Private",
        *("Without-pay", "Never-worked"),
    ),
    # Years of schooling.
    "education": (
        *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
        *("HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm"),
        *("Bachelors", "Masters", "Prof-school", "Doctorate"),
    ),
    # Not married; married and apart; married.
    "marital-status": (
        *("Never-married", "Widowed", "Divorced", "Separated"),
        *("Married-spouse-absent", "Married-AF-spouse", "Married-civ-spouse"),
    ),
    # White collar; service; blue collar.
    "occupation": (
        *("Exec-managerial", "Prof-specialty", "Tech-support", "Adm-clerical", "Sales"),
        *("Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"),
        *("Craft-repair", "Transport-moving", "Machine-op-inspct", "Handlers-cleaners", "Farming-fishing"),
    ),
    "race": ("White", "Black", "Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other"),
    "sex": ("Female", "Male"),
    # North America; Middle America; the Caribbean; South America; Europe; Asia from west to east.
    "native-country": (
        *("United-States", "Outlying-US(Guam-USVI-etc)", "Canada"),
        *("Mexico", "Guatemala", "El-Salvador", "Honduras", "Nicaragua"),
        *("Puerto-Rico", "Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"),
        *("Columbia", "Ecuador", "Peru"),
        *("England", "Scotland", "Ireland", "Holand-Netherlands", "France", "Germany"),
        *("Portugal", "Italy", "Greece", "Yugoslavia", "Hungary", "Poland"),
        *("Iran", "India"),
        *("Thailand", "Cambodia", "Laos", "Vietnam", "Philippines"),
        *("China", "Hong", "Taiwan", "Japan"),
        "South",  # the census form's word for South Korea, by most readings; it comes last in Asia
    ),
}


def adult_path() -> Path:
    """The path of the bundled file: a gzipped CSV with a header."""
    return Path(__file__).with_name("adult.csv.gz")


def adult_attributes(*, age_bin: int | None = None) -> tuple[Attribute, ...]:
    """The usual roles: eight quasi-identifiers, `income` as the class.

    Parameters
    ----------
    age_bin
        Width in years of the bins of ages.
    """
    quasi_identifiers = tuple(
        Attribute(
            name=name,
            role=Role.QUASI_IDENTIFIER,
            order=ADULT_ORDERS.get(name),
            bin=age_bin if name == "age" else None,
        )
        for name in ADULT_QUASI_IDENTIFIERS
    )
    return (*quasi_identifiers, Attribute(name="income", role=Role.CLASS))


def adult_policy(*, k: int = 10, age_bin: int | None = None) -> Policy:
    """A policy for the bundled file: the usual roles, with defaults for everything else."""
    return Policy(source=adult_path(), attributes=adult_attributes(age_bin=age_bin), k=k)


def adult(kind: FrameKind | None = None) -> Any:
    """Adult as a data frame.

    Parameters
    ----------
    kind
        The library whose frame to return; without it, the first that is installed.
    """
    if kind is None:
        kind = next((each for each in _READERS if importlib.util.find_spec(each) is not None), None)
        if kind is None:
            raise PolicyError(
                f"none of {', '.join(_READERS)} is installed; use shoal.datasets.adult_path(), or install one"
            )
    if kind not in _READERS:
        raise PolicyError(f"there is no kind {kind!r} of data frame; the kinds are {', '.join(_READERS)}")
    return _READERS[kind](adult_path())


def _pandas(path: Path) -> Any:
    return importlib.import_module("pandas").read_csv(path)


def _polars(path: Path) -> Any:
    return importlib.import_module("polars").read_csv(path)


def _pyarrow(path: Path) -> Any:
    return importlib.import_module("pyarrow.csv").read_csv(path)


_READERS: dict[FrameKind, Callable[[Path], Any]] = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
