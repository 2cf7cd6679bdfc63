"""What a round of k-anonymous transmission costs: processor seconds and bytes per member.

    python benchmarks/channel.py --members 3 5 10 --rounds 4

All members run in one process on one event loop, over TLS on loopback; so the processor seconds of the
process, divided by members and rounds, are those of one member. Two members send in every round. A round is
measured with proofs repeated 40 times and once; bytes are those of frames, without what TLS adds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from shoal.channel.curve import Ristretto
from shoal.channel.dealing import deal
from shoal.channel.demo import loopback_group
from shoal.channel.keys import Keys
from shoal.channel.membership import Settings
from shoal.channel.participant import Participant
from shoal.channel.proof import prove, proves
from shoal.channel.slot import WIDTH


@dataclass(frozen=True)
class Measured:
    """Per member and round."""

    seconds: float
    sent: float


def rounds(members: int, proofs: int, count: int) -> Measured:
    """Run some rounds; the first, with its handshakes, is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(k=members, proofs=proofs, interval=0.0, timeout=600.0)
        membership = loopback_group(Path(folder), members, settings)
        names = membership.group(0)
        group = [Participant(membership, Keys.load(Path(folder), name)) for name in names]
        for sender, receiver in ((0, 1), (1, 0)):
            group[sender].send(names[receiver], bytes(500))
        marks: list[tuple[float, int]] = []

        def note(_opened: object) -> None:
            marks.append((time.process_time(), sum(each._links.bytes_sent for each in group)))

        group[0].on_round = note
        asyncio.run(_run(group, count + 1))
    (began, before), (ended, after) = marks[0], marks[-1]
    return Measured((ended - began) / count / members, (after - before) / count / members)


async def _run(group: list[Participant], count: int) -> None:
    await asyncio.gather(*(each.run(count) for each in group))


def proof_seconds(members: int, times: int) -> tuple[float, float]:
    """To make one proof, and to check those of all others."""
    curve = Ristretto()
    dealing = deal(curve, [7] + [0] * (2 * members - 1), members, secrets.randbelow)
    slots = [curve.total(each) for each in dealing.commitments]
    began = time.process_time()
    proof = prove(curve, slots, dealing.blinds(curve.order), 0, b"", times, secrets.randbelow)
    made = time.process_time()
    assert proves(curve, slots, proof, b"", times)
    return made - began, (time.process_time() - made) * (members - 1)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--members", type=int, nargs="+", default=[3, 5, 10])
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; per member and round")
    print("| M | slots | s, t = 40 | s, t = 1 | make, check | bytes, t = 40 | bytes, t = 1 | per slot byte |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for members in asked.members:
        full, one = (rounds(members, proofs, asked.rounds) for proofs in (40, 1))
        make, check = proof_seconds(members, 40)
        per_byte = full.sent * members / (2 * WIDTH)
        print(
            f"| {members} | {2 * members} | {full.seconds:.3f} | {one.seconds:.3f} | {make:.3f}, {check:.3f} "
            f"| {full.sent:,.0f} | {one.sent:,.0f} | {per_byte:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
