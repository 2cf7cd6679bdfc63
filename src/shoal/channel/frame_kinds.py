"""The kinds of frames that members exchange, and what their heads and arrays hold."""

from __future__ import annotations

HELLO = 1
"""A member's random number, as it begins a session."""

SAME = 2
"""The session that follows from all of them."""

STATEMENT = 3
"""A signed statement, anybody's: round, phase, sender, recipient; attempt, signature, payload."""

REQUEST = 4
"""Asks for statements that did not arrive: phase and names; the attempt."""

VOTE = 5
"""That a member was not heard in time: phase and name; the attempt and a signature."""

ACCUSATION = 6
"""Evidence, with the signature of who puts it forward."""

DONE = 7
"""That all members of a roster have confirmed a round: round and roster; their signatures."""

PIECE = 8
"""A piece of a message, for the receivers of another group."""

KINDS = (HELLO, SAME, STATEMENT, REQUEST, VOTE, ACCUSATION, DONE, PIECE)
