"""Which pairs occur in some assignment that gives every message a sender of its own.

An assignment is a matching of messages with senders that leaves no message out. A pair lies in one of them
iff it lies in a given one, or the sender is free, or its present message can move on: along an alternating
path to a free sender, or around a cycle back to the pair's own message. So one matching (Hopcroft and Karp),
one search from the free senders and the strongly connected components of the rest (Tarjan) decide all pairs
in time linear in their number; only the matching takes up to the square root of the messages as a factor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

NOBODY = -1


class NoAssignmentError(Exception):
    """Some messages have together fewer possible senders than there are messages.

    Attributes
    ----------
    messages, senders
        How many messages, and how many senders they have together.
    """

    def __init__(self, messages: int, senders: int) -> None:
        super().__init__(f"{messages} messages, {senders} senders")
        self.messages = messages
        self.senders = senders


def possible_senders(choices: Sequence[Sequence[int]], senders: int) -> list[int]:
    """Per message the number of senders that some assignment gives it, each sender at most once.

    `NoAssignmentError` if there is none.

    Parameters
    ----------
    choices
        For each message the senders that are possible by itself, each once.
    senders
        How many senders there are; their numbers lie below.
    """
    _, owner = matched(choices, senders)
    movable = _movable(choices, owner)
    component = _components(choices, owner, movable)
    counts = []
    for message, own in enumerate(choices):
        if movable[message]:
            counts.append(sum(owner[sender] == NOBODY or movable[owner[sender]] for sender in own))
        else:
            # Whoever owns these senders cannot move to a free one either, or this message could.
            here = component[message]
            counts.append(sum(component[owner[sender]] == here for sender in own))
    return counts


def matched(choices: Sequence[Sequence[int]], senders: int) -> tuple[list[int], list[int]]:
    """A sender for each message, and for each sender its message or `NOBODY`.

    Parameters
    ----------
    choices, senders
        As for `possible_senders`.
    """
    mate, owner = [NOBODY] * len(choices), [NOBODY] * senders
    # Messages with few choices first: then few are left for the search.
    for message in sorted(range(len(choices)), key=lambda place: len(choices[place])):
        for sender in choices[message]:
            if owner[sender] == NOBODY:
                mate[message], owner[sender] = sender, message
                break
    while free := [message for message, sender in enumerate(mate) if sender == NOBODY]:
        layer, reached = _layers(choices, owner, free)
        if not reached:
            met = [message for message, depth in enumerate(layer) if depth >= 0]
            raise NoAssignmentError(len(met), len({sender for message in met for sender in choices[message]}))
        places = [0] * len(choices)
        for message in free:
            _augment(choices, mate, owner, layer, places, message)
    return mate, owner


def _layers(
    choices: Sequence[Sequence[int]], owner: list[int], free: Sequence[int]
) -> tuple[list[int], bool]:
    """The distance of each message from one without a sender, and whether a free sender is met."""
    layer = [-1] * len(choices)
    for message in free:
        layer[message] = 0
    waiting, reached, last = deque(free), False, len(choices)
    while waiting:
        message = waiting.popleft()
        if layer[message] > last:
            break
        for sender in choices[message]:
            other = owner[sender]
            if other == NOBODY:
                reached, last = True, layer[message]
            elif layer[other] < 0:
                layer[other] = layer[message] + 1
                waiting.append(other)
    return layer, reached


def _augment(
    choices: Sequence[Sequence[int]],
    mate: list[int],
    owner: list[int],
    layer: list[int],
    places: list[int],
    start: int,
) -> None:
    """Give a message a sender along layers, if they lead to a free one; no pair is looked at twice."""
    path = [start]
    while path:
        message = path[-1]
        own = choices[message]
        while places[message] < len(own):
            sender = own[places[message]]
            other = owner[sender]
            if other == NOBODY:
                for moved in reversed(path):
                    previous = mate[moved]
                    taken = choices[moved][places[moved]]
                    mate[moved], owner[taken] = taken, moved
                    places[moved] += 1
                    if previous != NOBODY and owner[previous] == moved:
                        owner[previous] = NOBODY
                return
            if layer[other] == layer[message] + 1:
                path.append(other)
                break
            places[message] += 1
        else:
            layer[message] = len(choices) + 1
            path.pop()
            if path:
                places[path[-1]] += 1


def _movable(choices: Sequence[Sequence[int]], owner: Sequence[int]) -> list[bool]:
    """Per message whether an alternating path leads from it to a free sender."""
    wanting: list[list[int]] = [[] for _ in owner]
    for message, own in enumerate(choices):
        for sender in own:
            wanting[sender].append(message)
    movable = [False] * len(choices)
    waiting = [sender for sender, message in enumerate(owner) if message == NOBODY]
    sender_of = {message: sender for sender, message in enumerate(owner) if message != NOBODY}
    while waiting:
        for message in wanting[waiting.pop()]:
            if not movable[message]:
                movable[message] = True
                waiting.append(sender_of[message])
    return movable


def _components(
    choices: Sequence[Sequence[int]], owner: Sequence[int], left_out: Sequence[bool]
) -> list[int]:
    """Per message the number of its strongly connected component, a way leading to whose sender it may have.

    Parameters
    ----------
    choices, owner
        The messages, and whose each sender is in a matching.
    left_out
        Messages that are of no interest.
    """
    number, low = [-1] * len(choices), [0] * len(choices)
    component = [-1] * len(choices)
    stack: list[int] = []
    count = 0
    for root in range(len(choices)):
        if number[root] >= 0 or left_out[root]:
            continue
        walk = [(root, iter(choices[root]))]
        number[root] = low[root] = count
        count += 1
        stack.append(root)
        while walk:
            message, others = walk[-1]
            for sender in others:
                other = owner[sender]
                if number[other] < 0:
                    number[other] = low[other] = count
                    count += 1
                    stack.append(other)
                    walk.append((other, iter(choices[other])))
                    break
                if component[other] < 0:
                    low[message] = min(low[message], number[other])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[message])
                if low[message] == number[message]:
                    while component[message] < 0:
                        component[stack.pop()] = message
    return component
