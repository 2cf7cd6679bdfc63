"""What an observer knows of the senders of messages: a log with one row per message.

The same pseudonym stands for the same sender, so the messages of a pseudonym are one case, whose possible
senders are those that all of them have in common. Messages without a pseudonym stand alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import PolicyError

SEPARATORS = (";", "|", ",")
"""What separates senders in a cell: the first of these that occurs anywhere in the column."""


@dataclass(frozen=True, kw_only=True)
class SenderLog:
    """Messages and their possible senders.

    Parameters
    ----------
    cases
        For each case the possible senders as numbers, each once: what its messages have in common.
    of_message
        The case of each message, in the order of the log.
    alone
        For each message the number of its possible senders by itself.
    senders
        How many senders are named in the whole log.
    once
        Whether a sender has at most one case.
    """

    cases: tuple[tuple[int, ...], ...]
    of_message: tuple[int, ...]
    alone: tuple[int, ...]
    senders: int
    once: bool


def sender_log(
    possible: Sequence[str | None], pseudonyms: Sequence[str | None] | None, *, once: bool
) -> SenderLog:
    """A log from its cells.

    `PolicyError` for a message that nobody can have sent, also because of its pseudonym.

    Parameters
    ----------
    possible
        For each message the names of its possible senders, in one text.
    pseudonyms
        For each message its pseudonym, if it has one.
    once
        Whether a sender has at most one message, or one pseudonym.
    """
    known = _named(possible)
    numbers: dict[str, int] = {}
    case_of: dict[str, int] = {}
    cases: list[set[int]] = []
    of_message = []
    for place, text in enumerate(possible):
        own = {numbers.setdefault(name, len(numbers)) for name in known[text]}
        if not own:
            raise PolicyError(f"message {place + 1} of the log has no possible sender; name them, or drop it")
        pseudonym = pseudonyms[place] if pseudonyms is not None else None
        case = len(cases) if pseudonym is None else case_of.setdefault(pseudonym, len(cases))
        if case == len(cases):
            cases.append(own)
        else:
            cases[case] &= own
        if not cases[case]:
            raise PolicyError(
                f"message {place + 1} of the log has no possible sender in common with the earlier messages "
                "of its pseudonym, and one pseudonym is one sender; correct the sets, or leave out the "
                "pseudonyms"
            )
        of_message.append(case)
    return SenderLog(
        cases=tuple(tuple(sorted(own)) for own in cases),
        of_message=tuple(of_message),
        alone=tuple(len(known[text]) for text in possible),
        senders=len(numbers),
        once=once,
    )


def _named(texts: Sequence[str | None]) -> dict[str | None, tuple[str, ...]]:
    """The names in each distinct text; braces and brackets around them are not part of a name."""
    distinct = {text for text in texts if text is not None}
    separator = next((sign for sign in SEPARATORS if any(sign in text for text in distinct)), None)
    named: dict[str | None, tuple[str, ...]] = {None: ()}
    for text in distinct:
        bare = text.strip()
        if bare[:1] + bare[-1:] in ("{}", "[]"):
            bare = bare[1:-1]
        names = bare.split(separator) if separator is not None else [bare]
        stripped = (name.strip().strip("'\"") for name in names)
        named[text] = tuple(dict.fromkeys(name for name in stripped if name))
    return named
