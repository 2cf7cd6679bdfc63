"""Names of groups: equal for equal groups, made by all three together, and telling nothing on the way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.joint.no_desk.line import Line
from shoal.joint.no_desk.naming import NAMES, POINTS, Naming, exchanged
from shoal.joint.tokens import Tokens
from shoal.network.frames import Frame
from shoal.network.peer import Peer
from tests.patience import PATIENCE

HOLDERS = ("north", "south", "west")
Parts = NDArray[np.int32]


async def ring(frames: list[tuple[str, Frame]]) -> list[dict[str, Line]]:
    """Three holders, each with a line to the other two; frames are recorded with who received them."""
    lines: list[dict[str, Line]] = [{}, {}, {}]
    for one, two in ((0, 1), (0, 2), (1, 2)):
        for place, other, end in zip((one, two), (two, one), socket.socketpair(), strict=True):
            peer = Peer(HOLDERS[other], *(await asyncio.open_connection(sock=end)))
            name = HOLDERS[place]
            peer.recorder = lambda way, frame, who=name: (  # type: ignore[misc]
                frames.append((who, frame)) if way == "received" else None
            )
            lines[place][HOLDERS[other]] = Line(peer, PATIENCE)
    return lines


def named(
    nodes: Sequence[Sequence[Parts]], frames: list[tuple[str, Frame]] | None = None
) -> list[list[Tokens]]:
    """Per node and holder the names of its groups; also checks what the others received of them."""

    async def everybody() -> list[list[Tokens]]:
        lines = await ring([] if frames is None else frames)
        every = [line for own in lines for line in own.values()]
        heard = [asyncio.ensure_future(line.hear((POINTS, NAMES))) for line in every]
        namings = [
            Naming(b"run", own[HOLDERS[(place + 1) % 3]], own[HOLDERS[(place - 1) % 3]])
            for place, own in enumerate(lines)
        ]
        found = []
        for number, parts in enumerate(nodes):
            levels = (number,)
            names = await asyncio.gather(
                *(each.of(number, levels, own, 100) for each, own in zip(namings, parts, strict=True))
            )
            seen = await asyncio.gather(
                *(
                    exchanged(own, list(of.values()), number, 100)
                    for own, of in zip(names, lines, strict=True)
                )
            )
            for place, received in enumerate(seen):
                others = [names[HOLDERS.index(name)] for name in lines[place]]
                for one, other in zip(received, others, strict=True):
                    assert {each.tobytes() for each in one} == {each.tobytes() for each in other}
            found.append(list(names))
        for task in heard:
            task.cancel()
        await asyncio.gather(*heard, return_exceptions=True)
        for line in every:
            await line.hang_up()
        return found

    return asyncio.run(everybody())


def parts(*rows: tuple[int, int]) -> Parts:
    return np.array(rows, np.int32).reshape(-1, 2)


def test_equal_groups_have_equal_names_and_others_have_not() -> None:
    """Whoever has a group gets the same name for it, at one node; at another node it is another name."""
    groups = [parts((0, 1), (2, 3)), parts((2, 3), (0, 0), (0, 1)), parts((5, 5))]
    nodes = named([groups, groups])
    of_group: dict[tuple[int, ...], set[bytes]] = {}
    for number, names in enumerate(nodes):
        for own, every in zip(groups, names, strict=True):
            for group, name in zip(own.tolist(), every, strict=True):
                of_group.setdefault((number, *group), set()).add(name.tobytes())
    assert all(len(each) == 1 for each in of_group.values())
    assert len({name for each in of_group.values() for name in each}) == len(of_group) == 8


def test_what_helpers_see_differs_even_for_equal_groups() -> None:
    """No point occurs twice on the ring: blinding hides who has the same groups."""
    frames: list[tuple[str, Frame]] = []
    same = parts((1, 1), (2, 2))
    named([[same, same, same], [same, same, same]], frames)
    points = [point.tobytes() for _, frame in frames if frame.kind == POINTS for point in frame.arrays[0]]
    assert len(points) == len(set(points)) == 2 * 3 * 3 * 2


def test_what_a_holder_receives_is_a_function_of_what_the_page_says() -> None:
    """Other groups, equally many and equally shared: frames are the same up to points and names."""
    seen = []
    for shift in (0, 7):
        frames: list[tuple[str, Frame]] = []
        one = parts((shift, 1), (shift, 2), (shift, 3))
        named([[one, one[:2], parts((9, shift))]], frames)
        shapes = [(who, frame.kind, dict(frame.head), frame.arrays[0].shape) for who, frame in frames]
        seen.append(sorted(map(repr, shapes)))
    assert seen[0] == seen[1]


def test_a_holder_without_rows_takes_part() -> None:
    """It has no groups, and the others still get their names."""
    [names] = named([[parts((1, 2)), parts(), parts((1, 2))]])
    assert [len(each) for each in names] == [1, 0, 1]
    np.testing.assert_array_equal(names[0], names[2])


def test_a_point_that_is_none_is_refused() -> None:
    """The holder that sent it is named."""

    async def spoiled() -> None:
        lines = await ring([])
        every = [line for own in lines for line in own.values()]
        heard = [asyncio.ensure_future(line.hear((POINTS, NAMES))) for line in every]
        first = Naming(b"run", lines[0]["south"], lines[0]["west"])
        await lines[2]["north"].send(POINTS, {"node": 0, "hop": 0}, np.full((1, 32), 255, np.uint8))
        try:
            with pytest.raises(PartyError, match="west: sent a point"):
                await first.of(0, (0,), parts((1, 1)), 100)
        finally:
            for task in heard:
                task.cancel()
            await asyncio.gather(*heard, return_exceptions=True)
            for line in every:
                await line.hang_up()

    asyncio.run(spoiled())
