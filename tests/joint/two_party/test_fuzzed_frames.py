"""Whatever frames a site receives: it ends with the other's name or goes on, and nothing else happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import PartyError
from shoal.joint.two_party.block_release import release_of_blocks
from shoal.joint.two_party.dka import Joinable, go_up
from shoal.joint.two_party.greeting import Met, greeted
from shoal.joint.two_party.joined_release import release_of_columns
from shoal.joint.two_party.ladder import datafly_ladder
from shoal.joint.two_party.leaves import Leaves
from shoal.joint.two_party.specialization import Specialized, specialize
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.network.frames import Frame
from shoal.network.peer import Peer
from tests.agreement.thoroughness import examples
from tests.patience import PATIENCE

from .test_dka import AGE, AGES, SEX, SEXES, ZIP, ZIPS, site_of
from .two_sites import both_ends

LENIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
KEYS = [
    *("version", "protocol", "policy", "first", "people", "who", "columns", "draw", "step", "score"),
    *("attribute", "value", "round", "share", "levels", "name", "kind", "values"),
]
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from(["", "0", "1", "zip", "sex", "*", "F", "02138"]),
)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
HEADS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5)
ZERO = st.fixed_dictionaries({"step": st.just(0), "round": st.just(0)})


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    kind = draw(st.sampled_from(["u1", "u4", "u8", "i4", "i8"]))
    shape = draw(st.sampled_from([(0,), (1,), (10,), (10, 32), (2, 1), (2, 2), (1, 32)]))
    size = int(np.prod(shape))
    cells = draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    return np.array(cells, kind).reshape(shape)


FRAMES = st.lists(
    st.builds(
        lambda kind, head, zero, sent: Frame(kind, {**zero, **head}, tuple(sent)),
        st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8]),
        HEADS,
        st.one_of(st.just({}), ZERO),
        st.lists(arrays(), max_size=2),
    ),
    min_size=1,
    max_size=4,
)

EVERY = ["age", "zip", "sex"]
FIRST = site_of({"age": (AGES, AGE)}, EVERY, 2)
MET = Met(b"run", ("zip", "sex"))


TREES = {"age": AGES, "zip": ZIPS, "sex": SEXES}
QUASI = tuple(
    replace(each, hierarchy=Hierarchy(tuple(tuple(row) for row in TREES[each.name])))
    for each in FIRST.policy.attributes
)
SITE = replace(FIRST, policy=replace(FIRST.policy, attributes=QUASI))
LABELS = np.eye(2, dtype=np.int64)[[int(each == "F") for each in SEX]]
SPECIALIZES = replace(
    SITE,
    policy=replace(SITE.policy, algorithm="tds"),
    table=replace(SITE.table, labels=("n", "y"), label_counts=LABELS),
)
LADDER = datafly_ladder(SITE)
HALVES = Joinable(3, np.zeros(10, np.int64), np.array([[5, 5]]), 1)
TALKS: list[Callable[[Peer], Awaitable[object]]] = [
    lambda peer: greeted(peer, SITE, "tds", first=True, seconds=PATIENCE),
    lambda peer: specialize(peer, SPECIALIZES, seconds=PATIENCE),
    lambda peer: go_up(peer, SITE, LADDER, b"run", first=True, seconds=PATIENCE),
    lambda peer: release_of_columns(peer, SITE, MET, Specialized(((),), Leaves(10), 1, 0), seconds=PATIENCE),
    lambda peer: release_of_blocks(peer, SITE, MET, LADDER, HALVES, seconds=PATIENCE),
]
"""The conversations of the first site, each from its beginning."""


@given(FRAMES, st.integers(0, 4))
@settings(max_examples=examples(400), **LENIENT)
def test_any_frames_end_in_an_answer_or_in_the_name_of_the_party(sent: list[Frame], place: int) -> None:
    """No other exception, and no waiting: the other site hangs up after its frames."""

    named = set()

    async def first(peer: Peer) -> None:
        try:
            await TALKS[place](peer)
        except PartyError as error:
            named.add(error.party)

    async def second(peer: Peer) -> None:
        for frame in sent:
            await peer.send(frame.kind, dict(frame.head), *frame.arrays, seconds=PATIENCE)

    asyncio.run(both_ends(first, second))
    assert named <= {"second"}


def test_the_sites_of_this_page_are_those_of_the_example() -> None:
    """The fuzzed conversations are about ten people."""
    assert len(SITE.ids) == len(ZIP) == 10
