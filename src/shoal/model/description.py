"""Words that explain a registered name to people who have never read a paper on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a privacy model, a cost or an algorithm is called and what people should know about it.

    Parameters
    ----------
    title
        What people call it.
    short
        A line for a list; at most 60 characters.
    meaning
        What it means, in one or two sentences.
    when
        When to choose it.
    limits
        What it does not do.
    example
        The smallest table on which it can be seen.
    """

    title: str
    short: str
    meaning: str
    when: str
    limits: str = ""
    example: str = ""
