"""What goes wrong between two sites ends the run: a named party, nothing written; the next run works."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shoal.engines.connection import engine_for
from shoal.errors import PartyError, PolicyError, ShoalError
from shoal.joint.two_party.greeting import greeted
from shoal.joint.two_party.run import Finished, SiteRun, run_site
from shoal.joint.two_party.site import Site, read_site
from shoal.joint.two_party.specialization import SCORE, SPLIT
from shoal.model.policy.policy import Policy
from shoal.network.identity import Identity
from shoal.network.meeting import Door, connect
from shoal.network.peer import Peer
from tests.patience import PATIENCE, until

from . import test_dka
from .test_specialization import twelve

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


class FirstSite:
    """The first site in a thread of its own, listening at a free port."""

    def __init__(self, asked: SiteRun) -> None:
        self.lines: list[str] = []
        self.ended: Finished | BaseException | None = None
        self._asked = replace(asked, told=self.lines.append)
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.ended = run_site(self._asked)
        except BaseException as error:  # looked at by the test
            self.ended = error

    def started(self) -> int:
        """The port, once it listens."""
        self._thread.start()
        until(lambda: self.lines, lambda: self.ended)
        found = re.search(r":(\d+) for", self.lines[0])
        assert found
        return int(found[1])

    def over(self) -> Finished | BaseException | None:
        """How it ended."""
        self._thread.join(PATIENCE)
        return self.ended


class Runs:
    """The worked example of a protocol as two sites with real certificates."""

    def __init__(self, folder: Path, protocol: str) -> None:
        self.folder, self.protocol = folder, protocol
        self.policy, self.one, self.two = (twelve if protocol == "tds" else test_dka.files)(folder)
        self.parties = {
            name: Identity.create(folder, name, days=1) for name in ("registry", "hospital", "stranger")
        }
        self.before = {path.name for path in folder.iterdir()}

    def first(self, *, seconds: float = PATIENCE) -> FirstSite:
        return FirstSite(
            SiteRun(
                policy=self.policy,
                data=self.one,
                identity=self.parties["registry"],
                other=self.parties["hospital"].certificate,
                host="127.0.0.1",
                port=0,
                first=True,
                protocol=self.protocol,
                seconds=seconds,
            )
        )

    def second(self, port: int, *, policy: Policy | None = None, who: str = "hospital") -> Finished:
        return run_site(
            SiteRun(
                policy=policy or self.policy,
                data=self.two,
                identity=self.parties[who],
                other=self.parties["registry"].certificate,
                host="127.0.0.1",
                port=port,
                first=False,
                protocol=self.protocol,
                seconds=PATIENCE,
                told=lambda _: None,
            )
        )

    def second_site(self) -> Site:
        with engine_for(self.two) as engine:
            return read_site(engine, engine.read_once(self.two), self.policy)

    def nothing_written(self) -> None:
        assert {path.name for path in self.folder.iterdir()} == self.before

    def works(self) -> None:
        """A run without faults succeeds."""
        site = self.first()
        ended = self.second(site.started())
        over = site.over()
        assert isinstance(over, Finished)
        assert over.digest == ended.digest
        assert (self.folder / "both.csv").exists()


@pytest.fixture(params=["tds", "dka"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Runs:
    return Runs(tmp_path, request.param)


async def met(runs: Runs, port: int, site: Site | None = None) -> Peer:
    """The first site, as the second sees it after an honest greeting."""
    site = site or runs.second_site()
    peer = await connect(
        "127.0.0.1",
        port,
        runs.parties["hospital"],
        runs.parties["registry"].certificate,
        seconds=PATIENCE,
    )
    await greeted(peer, site, runs.protocol, first=False, seconds=PATIENCE)
    return peer


async def over(site: FirstSite) -> None:
    """Wait until the first site has ended, and let the loop go on meanwhile."""
    while site.ended is None:
        await asyncio.sleep(0.02)


async def drops_out(peer: Peer) -> None:
    await peer.close()


async def wrong_step(peer: Peer) -> None:
    await peer.send(SCORE, {"step": 7, "score": None})
    await peer.send(5, {"round": 7, "share": [0, 1]}, np.ones(1, np.uint32))


async def garbage(peer: Peer) -> None:
    peer._writer.write(b"\x00\x00\x00\x09\x02\x00\x00\x00\x02{{{{")
    await peer._writer.drain()


async def too_long(peer: Peer) -> None:
    peer._writer.write(b"\xff" * 64)
    await peer._writer.drain()


async def another_frame(peer: Peer) -> None:
    await peer.send(42, {})


FAULTS: dict[str, tuple[Callable[[Peer], Awaitable[None]], str]] = {
    "drops out": (drops_out, "left|closed"),
    "is in another step": (wrong_step, "another (step|round)|something else"),
    "sends garbage": (garbage, "not JSON"),
    "sends an impossible length": (too_long, "impossible length"),
    "sends something else": (another_frame, "something else"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_other_site_ends_the_run(runs: Runs, fault: str) -> None:
    """The other site is named, nothing is written, and the next run succeeds."""
    does, words = FAULTS[fault]
    site = runs.first()
    port = site.started()

    async def second() -> None:
        peer = await met(runs, port)
        await does(peer)
        await over(site)
        await peer.close()

    asyncio.run(second())
    error = site.over()
    assert isinstance(error, PartyError)
    assert error.party == "hospital"
    assert re.search(words, str(error))
    assert error.exit_code == 6
    runs.nothing_written()
    runs.works()


def test_a_site_that_stalls_is_named(runs: Runs) -> None:
    """It greets and then says nothing; the run ends after the seconds that were asked for."""
    own = runs.second_site()
    site = runs.first(seconds=5)
    port = site.started()

    async def second() -> None:
        peer = await met(runs, port, own)
        await over(site)
        await peer.close()

    asyncio.run(second())
    error = site.over()
    assert isinstance(error, PartyError)
    assert "did not answer in time" in str(error)
    runs.nothing_written()
    runs.works()


def test_another_policy_ends_the_run_at_both_sites(runs: Runs) -> None:
    """Another k is another policy; both are told."""
    site = runs.first()
    port = site.started()
    with pytest.raises(PartyError, match="registry: has another policy"):
        runs.second(port, policy=replace(runs.policy, k=3))
    error = site.over()
    assert isinstance(error, PartyError)
    assert "policy" in str(error)
    runs.nothing_written()
    runs.works()


def test_a_stranger_stays_outside(runs: Runs) -> None:
    """Another certificate is turned away, and the right site can still come."""
    site = runs.first()
    port = site.started()
    with pytest.raises(PartyError, match="registry"):
        runs.second(port, who="stranger")
    runs.second(port)
    assert isinstance(site.over(), Finished)


def test_a_site_that_is_not_the_right_one_is_not_talked_to(runs: Runs) -> None:
    """The second site looks at the certificate of who listens."""

    async def talked() -> None:
        expected = [runs.parties["hospital"].certificate]
        async with Door("127.0.0.1", 0, runs.parties["stranger"], expected) as door:
            with pytest.raises(PartyError, match="does not have its certificate"):
                await asyncio.to_thread(runs.second, door.port)

    asyncio.run(talked())
    runs.nothing_written()


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ([[0], [0] * 11 + [1]], "fewer than k"),
        ([[3], [0]], "do not exist"),
        ([[0], [0, 1]], "another number of people"),
    ],
)
def test_a_false_instruction_is_refused(tmp_path: Path, sent: list[list[int]], words: str) -> None:
    """A site verifies that the other's instruction divides groups into groups of k or more."""
    runs = Runs(tmp_path, "tds")
    site = runs.first()
    port = site.started()

    async def second() -> None:
        peer = await met(runs, port)
        await peer.send(SCORE, {"step": 0, "score": ["9" * 12, "1"], "attribute": 2, "value": 0})
        await peer.send(SPLIT, {"step": 0}, *(np.array(each, np.uint32) for each in sent))
        await over(site)
        await peer.close()

    asyncio.run(second())
    error = site.over()
    assert isinstance(error, PartyError)
    assert re.search(words, str(error))
    runs.nothing_written()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"algorithm": "exact"}, "algorithm"),
        ({"sets": ()}, None),
        ({"harden": True}, "harden"),
        ({"cost": "entropy"}, "entropy"),
    ],
)
def test_a_policy_that_two_sites_cannot_carry_out_is_refused_before_they_meet(
    tmp_path: Path, change: dict[str, object], words: str | None
) -> None:
    """One sentence says what, and nobody is waited for."""
    runs = Runs(tmp_path, "tds")
    runs.policy = replace(runs.policy, **change)  # type: ignore[arg-type]
    if words is None:
        runs.works()
        return
    site = runs.first()
    with pytest.raises((ShoalError, AssertionError)):
        site.started()
    error = site.over()
    assert isinstance(error, PolicyError)
    assert words in str(error)
    runs.nothing_written()


def test_columns_that_would_show_whose_cell_is_which_are_refused(tmp_path: Path) -> None:
    """The second site brings quasi-identifiers alone: the first would see other cells person by person."""
    runs = Runs(tmp_path, "tds")
    lines = runs.two.read_text().splitlines()
    runs.two.write_text("\n".join([f"{lines[0]},diagnosis", *(f"{line},x" for line in lines[1:])]) + "\n")
    site = runs.first()
    port = site.started()
    with pytest.raises(PolicyError, match="'diagnosis' is no quasi-identifier"):
        runs.second(port)
    assert isinstance(site.over(), PartyError)
    runs.nothing_written()
