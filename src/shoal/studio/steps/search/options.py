"""What can be said to single algorithms, in words; the keys are those of a policy's table [search]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shoal.studio.draft import Draft

COMMON = ("algorithm", "seconds", "nodes", "gap", "threads", "seed", "accept_unverified")


@dataclass(frozen=True)
class Option:
    """An option of an algorithm.

    Parameters
    ----------
    key, label
        Its name in a policy, and for people.
    kind
        What it is: one of `choices`, a number, or yes and no.
    default
        What it is when nothing is said.
    choices
        Value -> words.
    """

    key: str
    label: str
    kind: Literal["choice", "number", "yes"]
    default: Any
    choices: tuple[tuple[str, str], ...] = ()


_VALUES = Option(
    "values",
    "What cells are released as",
    "choice",
    "hierarchy",
    (("hierarchy", "labels of the hierarchies"), ("sets", "intervals and sets of values")),
)
_PREFERENCE = Option(
    "preference",
    "Which of several solutions to release",
    "choice",
    "least-cost",
    (
        ("least-cost", "the one that loses least"),
        ("minimum-absolute-distance", "least levels up in all"),
        ("minimum-relative-distance", "least levels up, as shares of the heights"),
        ("maximum-distribution", "most distinct rows"),
        ("minimum-suppression", "fewest rows left out"),
    ),
)
OPTIONS: dict[str, tuple[Option, ...]] = {
    "local": (_VALUES,),
    "k-member": (_VALUES,),
    "mondrian": (
        Option(
            "values",
            "What cells are released as",
            "choice",
            "hierarchy",
            (*_VALUES.choices, ("intervals", "intervals, of categories too")),
        ),
    ),
    "forest": (
        Option(
            "values",
            "What cells are released as",
            "choice",
            "suppress",
            (("suppress", "themselves, or a star"), ("hierarchy", "labels of the hierarchies")),
        ),
    ),
    "microaggregate": (
        Option(
            "method",
            "How groups are formed",
            "choice",
            "mdav",
            (
                ("mdav", "MDAV: groups of k"),
                ("v-mdav", "V-MDAV: groups that may grow"),
                ("optimal", "optimal"),
            ),
        ),
    ),
    "samarati": (_PREFERENCE, Option("all_minimal", "Find all minimal solutions", "yes", False)),
    "mingen": (_PREFERENCE, Option("cells", "Single cells instead of columns (tiny tables)", "yes", False)),
    "genetic": (Option("members", "Recodings in the population", "number", 100),),
    "meyerson-williams": (
        Option(
            "cover",
            "What rows are covered with",
            "choice",
            "balls",
            (("balls", "balls"), ("subsets", "subsets")),
        ),
    ),
    "levels-and-cells": (
        Option(
            "reading",
            "What a suppressed cell is like",
            "choice",
            "value",
            (("value", "other suppressed cells"), ("wildcard", "everything, which promises less")),
        ),
    ),
    "mu-argus": (
        Option(
            "combinations",
            "Which columns are tested together",
            "choice",
            "all",
            (
                ("all", "all, which guarantees k"),
                ("paper", "as in the paper"),
                ("program", "as in the program"),
            ),
        ),
    ),
}


def choose_algorithm(draft: Draft, algorithm: str | None) -> None:
    """Choose the algorithm; options of another one are removed."""
    search: dict[str, Any] = draft.stated["search"]
    kept = {option.key for option in OPTIONS.get(algorithm or "", ())}
    for key in [each for each in search if each not in COMMON and each not in kept]:
        del search[key]
    draft.say("search", "algorithm", algorithm)
    # What guarantees k is the first choice here, not the paper's.
    draft.say("search", "combinations", "all" if algorithm == "mu-argus" else None)
