"""What is said of a name, from a few words to a paragraph."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Description:
    """A name of a policy, explained to somebody who has never read a paper on it.

    Parameters
    ----------
    name
        What people call it.
    short
        A line for a list.
    long
        What it means, in one or two sentences.
    when
        When to choose it.
    limits
        What it does not do.
    example
        The smallest table on which it can be seen.
    """

    name: str
    short: str
    long: str
    when: str
    limits: str = ""
    example: str = ""
