"""Parties meet over TLS 1.3, and only those that have each other's certificates."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import PartyError, PolicyError
from shoal.network.frames import Frame, encoded
from shoal.network.identity import Certificate, Identity
from shoal.network.meeting import Door, connect
from shoal.network.peer import Peer
from tests.patience import PATIENCE

HELLO = 1


@pytest.fixture(scope="module")
def parties(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """A desk, a holder, a stranger, and one whose certificate has expired."""
    folder = tmp_path_factory.mktemp("parties")
    days = {"desk": 1, "holder": 1, "stranger": 1, "old": -0.01}
    return {name: Identity.create(folder, name, days=each) for name, each in days.items()}


def met(
    parties: dict[str, Identity],
    at_the_desk: Callable[[Door], Awaitable[None]],
    outside: Callable[[int], Awaitable[None]],
) -> Door:
    """Runs both sides on one loop; the desk expects the holder and the old one."""

    async def both() -> Door:
        expected = [parties["holder"].certificate, parties["old"].certificate]
        async with Door("127.0.0.1", 0, parties["desk"], expected) as door:
            await asyncio.gather(at_the_desk(door), outside(door.port))
        return door

    return asyncio.run(asyncio.wait_for(both(), PATIENCE))


async def reached(port: int, who: Identity, desk: Identity) -> Peer:
    """The desk, as one party sees it."""
    return await connect("127.0.0.1", port, who, desk.certificate, seconds=PATIENCE)


def test_frames_go_both_ways_and_both_ends_agree_on_them(parties: dict[str, Identity]) -> None:
    """A large array arrives; both ends count the same bytes and have the same digest."""
    large = np.arange(2_000_000, dtype=np.uint32)
    digests = []

    async def desk(door: Door) -> None:
        peer = await door.peer("holder", seconds=PATIENCE)
        frame = await peer.receive(HELLO)
        np.testing.assert_array_equal(frame.arrays[0], large)
        await peer.send(HELLO, {"thanks": True})
        digests.append((peer.digest, peer.bytes_sent, peer.bytes_received))

    async def holder(port: int) -> None:
        peer = await reached(port, parties["holder"], parties["desk"])
        await peer.send(HELLO, {}, large)
        assert (await peer.receive(HELLO)).head == {"thanks": True}
        digests.append((peer.digest, peer.bytes_received, peer.bytes_sent))
        await peer.close()

    met(parties, desk, holder)
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("who", "why"), [("stranger", "self-signed certificate"), ("old", "certificate has expired")]
)
def test_a_party_without_a_valid_certificate_stays_outside(
    parties: dict[str, Identity], who: str, why: str
) -> None:
    """The door counts it by its reason, and the party hears that it was refused."""

    async def desk(door: Door) -> None:
        with pytest.raises(PartyError, match="holder: did not connect in time"):
            await door.peer("holder", seconds=0.01)

    async def outside(port: int) -> None:
        peer = await reached(port, parties[who], parties["desk"])
        with pytest.raises(PartyError, match=r"desk: (broke off|left)"):
            await peer.receive(HELLO)
        await peer.close()

    assert met(parties, desk, outside).refused == {why: 1}


def test_a_false_desk_is_recognised(parties: dict[str, Identity]) -> None:
    """Who answers must have the pinned certificate, whatever it calls itself."""

    async def false_desk() -> None:
        async with Door("127.0.0.1", 0, parties["stranger"], [parties["holder"].certificate]) as door:
            with pytest.raises(PartyError, match=r"desk: who answers .* does not have its certificate"):
                await reached(door.port, parties["holder"], parties["desk"])

    asyncio.run(asyncio.wait_for(false_desk(), PATIENCE))


def test_a_party_comes_in_once(parties: dict[str, Identity]) -> None:
    """A second connection with the same certificate is told so."""

    async def desk(door: Door) -> None:
        await door.peer("holder", seconds=PATIENCE)

    async def twice(port: int) -> None:
        first = await reached(port, parties["holder"], parties["desk"])
        await first.send(HELLO, {})
        second = await reached(port, parties["holder"], parties["desk"])
        with pytest.raises(PartyError, match="here already"):
            await second.receive(HELLO)
        await second.close()
        await first.close()

    assert met(parties, desk, twice).refused == {"the party is here already": 1}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"\xff\xff\xff\xff", "sent a frame of an impossible length"),
        (b"\x00\x00\x00\x05\x01\x00\x00\x00\x09", "sent a frame whose head is cut off"),
        (encoded(Frame(2)), "sent something else than the protocol expects"),
        (encoded(Frame(HELLO, {}, (np.zeros(9000, np.uint8),))), "longer than the protocol allows"),
        (encoded(Frame(0, {"reason": "no\x1b[2J rows"})), r"ended the run: no \[2J rows"),
        (b"\x00\x00", "left: the connection was closed"),
        (b"", "left: the connection was closed"),
    ],
)
def test_what_goes_wrong_has_the_name_of_its_party(
    parties: dict[str, Identity], sent: bytes, message: str
) -> None:
    """Malformed, unexpected, too long, ended, cut off, gone."""

    async def desk(door: Door) -> None:
        peer = await door.peer("holder", seconds=PATIENCE)
        with pytest.raises(PartyError, match=f"^holder: .*{message}") as caught:
            await peer.receive(HELLO, cap=8000)
        assert (caught.value.party, caught.value.exit_code) == ("holder", 6)

    async def holder(port: int) -> None:
        peer = await reached(port, parties["holder"], parties["desk"])
        peer._writer.write(sent)
        await peer.close()

    met(parties, desk, holder)


def test_silence_is_named(parties: dict[str, Identity]) -> None:
    """A party that says nothing does not keep the others for ever."""

    async def desk(door: Door) -> None:
        peer = await door.peer("holder", seconds=PATIENCE)
        with pytest.raises(PartyError, match="holder: did not answer in time"):
            await peer.receive(HELLO, seconds=0.01)
        await peer.close()

    async def holder(port: int) -> None:
        peer = await reached(port, parties["holder"], parties["desk"])
        with pytest.raises(PartyError, match="desk: left"):
            await peer.receive(HELLO, seconds=PATIENCE)
        await peer.close()

    met(parties, desk, holder)


def test_a_stranger_without_tls_keeps_nobody_out(parties: dict[str, Identity]) -> None:
    """Plain bytes at the door are counted, and the holder still comes in."""

    async def desk(door: Door) -> None:
        await door.peer("holder", seconds=PATIENCE)

    async def outside(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        peer = await reached(port, parties["holder"], parties["desk"])
        await peer.close()
        writer.close()

    met(parties, desk, outside)


def test_nobody_there_is_said(parties: dict[str, Identity]) -> None:
    """With the address, after the time for trying."""

    async def alone() -> None:
        async with Door("127.0.0.1", 0, parties["desk"], []) as door:
            port = door.port
        with pytest.raises(PartyError, match=f"desk: nobody answers at 127.0.0.1:{port}"):
            await connect("127.0.0.1", port, parties["holder"], parties["desk"].certificate, seconds=0.3)

    asyncio.run(asyncio.wait_for(alone(), PATIENCE))


def test_older_tls_is_refused(parties: dict[str, Identity]) -> None:
    """A client that speaks TLS 1.2 at most does not get in."""

    async def old() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        holder = parties["holder"]
        context.load_cert_chain(holder.certificate_path, holder.key_path)
        async with Door("127.0.0.1", 0, parties["desk"], [holder.certificate]) as door:
            with pytest.raises(OSError):  # an alert, or a reset that overtakes it
                await asyncio.open_connection("127.0.0.1", door.port, ssl=context)
            assert door.refused == {"unsupported protocol": 1}

    asyncio.run(asyncio.wait_for(old(), PATIENCE))


def test_a_key_is_private_and_never_replaced(tmp_path: Path) -> None:
    """Only its owner can read it; another key under the same name is refused."""
    identity = Identity.create(tmp_path, "desk")
    assert identity.key_path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(PolicyError, match="exists"):
        Identity.create(tmp_path, "desk")
    identity.key_path.chmod(0o644)
    with pytest.raises(PolicyError, match="chmod 600"):
        Identity.load(tmp_path, "desk")


@pytest.mark.parametrize("name", ["", "a/b", "..", "-x", "a b", "x" * 64, "naïve"])
def test_a_name_fits_a_file(tmp_path: Path, name: str) -> None:
    """Nothing is written outside the folder."""
    with pytest.raises(PolicyError, match="a party's name"):
        Identity.create(tmp_path, name)


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    """Another's key, another's certificate, no certificate at all."""
    for name in ("one", "two"):
        Identity.create(tmp_path, name)
    (tmp_path / "two.key").replace(tmp_path / "one.key")
    with pytest.raises(PolicyError, match="is not the key of"):
        Identity.load(tmp_path, "one")
    (tmp_path / "two.crt").rename(tmp_path / "three.crt")
    with pytest.raises(PolicyError, match="belongs to two"):
        Identity.load(tmp_path, "three")
    (tmp_path / "one.crt").write_text("nothing")
    with pytest.raises(PolicyError, match="is not a certificate"):
        Certificate.load(tmp_path / "one.crt")
    with pytest.raises(PolicyError, match="cannot read the certificate"):
        Certificate.load(tmp_path / "none.crt")


def test_a_signature_holds_for_its_text_alone(parties: dict[str, Identity]) -> None:
    """Another text, or another party's certificate, does not verify."""
    signature = parties["desk"].sign(b"text")
    assert parties["desk"].certificate.verify(signature, b"text")
    assert not parties["desk"].certificate.verify(signature, b"texts")
    assert not parties["holder"].certificate.verify(signature, b"text")


def test_a_farewell_that_nobody_answers_can_be_said_twice(parties: dict[str, Identity]) -> None:
    """The other end does not read: hanging up ends in time, and doing it again does no harm."""

    async def desk(door: Door) -> None:
        peer = await door.peer("holder", seconds=PATIENCE)
        await peer.abort("enough")
        await peer.close()

    async def holder(port: int) -> None:
        peer = await reached(port, parties["holder"], parties["desk"])
        peer._writer.transport.pause_reading()
        with pytest.raises(PartyError):
            await peer.receive(HELLO, seconds=3)
        await peer.close()

    met(parties, desk, holder)
