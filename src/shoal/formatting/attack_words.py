"""Attacks in words: what each is called, what its attacker has, and what its success means for a person.

The report and the studio take their words from here, so that both say the same of a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.formatting.numbers import number, percent


@dataclass(frozen=True, kw_only=True)
class AttackWords:
    """One attack.

    Parameters
    ----------
    title
        What it does, as a name.
    attacker
        What its attacker knows or has.
    person
        What it means for a person if it succeeds.
    """

    title: str
    attacker: str
    person: str


ATTACKS: Mapping[str, AttackWords] = {
    "linkage": AttackWords(
        title="Find a person's row",
        attacker="Has a table with names and everybody's exact values.",
        person="Their row is found, and with it all that it says of them.",
    ),
    "history": AttackWords(
        title="Follow a person through their rows",
        attacker="Knows some events of a person, or all of them.",
        person="All of their rows are found, and with them everything that happened to them.",
    ),
    "homogeneity": AttackWords(
        title="Read a value off a group",
        attacker="Knows somebody's values, and that they are in the table.",
        person="Their sensitive value is known for certain, although nobody knows which row is theirs.",
    ),
    "background-knowledge": AttackWords(
        title="Rule out one value",
        attacker="Also knows one sensitive value that the person does not have.",
        person="Somebody close to them learns their sensitive value.",
    ),
    "skewness": AttackWords(
        title="Learn that a value is likelier",
        attacker="Knows how frequent each value is in the whole release.",
        person="They are suspected of a sensitive value more than others are, rightly or not.",
    ),
    "similarity": AttackWords(
        title="Learn what a value is like",
        attacker="Knows which sensitive values mean nearly the same.",
        person="The kind of their illness, or about what they earn, is known, though not exactly.",
    ),
    "minimality": AttackWords(
        title="Reason from the search",
        attacker="Has everybody's exact values, and knows how the recoding was chosen.",
        person="Their sensitive value becomes likelier than the release alone would say.",
    ),
    "composition": AttackWords(
        title="Combine with an earlier release",
        attacker="Has an earlier release of the same people.",
        person="They hide among fewer than this release promises.",
    ),
    "complementary": AttackWords(
        title="Join an earlier release",
        attacker="Has an earlier release of the same people.",
        person="They hide among fewer than this release promises.",
    ),
    "unsorted": AttackWords(
        title="Use the order of rows",
        attacker="Has another release with its rows in the same order.",
        person="Their rows in both releases are joined, and what both say is known of them.",
    ),
    "association-cover": AttackWords(
        title="Combine several views",
        attacker="Has other tables made from the same rows.",
        person="Values that were released apart are joined again to be theirs.",
    ),
    "downcoding": AttackWords(
        title="Undo the generalization",
        attacker="Has the release and the hierarchies, and takes it for minimal.",
        person="A value of theirs is known more exactly than it was released.",
    ),
    "senders": AttackWords(
        title="Reason over a log of messages",
        attacker="Knows for each message who may have sent it, and considers all messages together.",
        person="A message is known to be theirs, or to be from one of fewer than k.",
    ),
}


def attack_words(name: str) -> AttackWords:
    """The words for an attack; its name alone for one that another package has added."""
    return ATTACKS.get(name, AttackWords(title=name, attacker="", person=""))


def success_words(result: Mapping[str, Any]) -> str:
    """How often an attack succeeded: a rate, and of how many.

    Parameters
    ----------
    result
        As the attack's `to_dict` returns it.
    """
    if not result["tried"]:
        return "nothing to try"
    learned = number(round(result["succeeded"], 1))
    return f"{percent(result['rate'])}: {learned} of {number(result['tried'])}"


def verdict_words(result: Mapping[str, Any]) -> tuple[bool | None, str]:
    """Whether an attack stays within what is allowed, and a word for it; `None` where nothing was judged."""
    if not result["holds"]:
        return False, "above what is allowed"
    if not result["tried"]:
        return None, "nothing to try"
    if result["judged"]:
        return True, f"within {percent(result['threshold'])}"
    return None, "no limit stated"


def failure_words(name: str, result: Mapping[str, Any]) -> str:
    """Why an attack breaks what was demanded, in a sentence."""
    return (
        f"The attack {name!r} succeeds in {percent(result['rate'])} of cases; allowed are "
        f"{percent(result['threshold'])}."
    )
