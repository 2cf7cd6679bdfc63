"""What cloaking costs: updates and cloaks per second, as a ratio to a bare count of users by cells of a grid.

The bare count does for an update what any anonymizer must do, take a user out of one cell and put them
into another, and for a cloak a single look at the user's cell. Both sides get the same messages, made
before, in turn; the figure is the median of the ratios of processor seconds of each round. People are
simulated (`commuters.py`): results on simulated movement do not carry over to people.

The last line is the service over a local socket, both ends in one process: lines of JSON in, lines of
JSON out.

    python benchmarks/cloak.py [--users 10000 1000000] [--rounds 5] [--algorithms hilbert partition]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commuters import commuters
from shoal.location.cloaking.listening import Address, listen
from shoal.location.cloaking.messages import Position, Request
from shoal.location.cloaking.replay import engine_of
from shoal.location.cloaking.service import Service
from shoal.location.cloaking.settings import Settings
from shoal.location.cloaking.square import Square

RESULTS = Path(__file__).parent / "results"
SIDE = 1 << 16  # metres, a city and its surroundings
K = 20
MORNING = 7 * 3600
UPDATES, CLOAKS = 20_000, 2_000


class Grid:
    """A bare count of users by the cells of a grid."""

    def __init__(self) -> None:
        self.counts = array("i", bytes(4 << 20))
        self.cells: dict[str, int] = {}

    def update(self, messages: list[Position]) -> None:
        """Take each user out of the old cell and put them into the new one."""
        counts, cells = self.counts, self.cells
        for message in messages:
            user = message.user
            if user in cells:
                counts[cells[user]] -= 1
            cell = (message.x >> 6) << 10 | message.y >> 6
            counts[cell] += 1
            cells[user] = cell

    def look(self, requests: list[Request]) -> int:
        """Look at the cell of each user."""
        return sum(self.counts[self.cells[request.user]] for request in requests)


def spent(work: Callable[[], object]) -> float:
    """Processor seconds."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measured(algorithm: str, users: int, rounds: int) -> dict[str, Any]:
    """Seconds and ratios of one way of cloaking."""
    people = commuters(users, SIDE, seed=0)
    engine = engine_of(algorithm, Settings(square=Square(x=0, y=0, side=SIDE), ks=(K,), seed=0))
    grid = Grid()

    def update(messages: list[Position]) -> None:
        for message in messages:
            engine.take(message)

    def ask(requests: list[Request]) -> None:
        for request in requests:
            engine.take(request)

    first = [Position(str(user), 0, *place) for user, place in enumerate(people.places(0).tolist())]
    loading = spent(lambda: update(first)), spent(lambda: grid.update(first))
    moves: list[tuple[float, float]] = []
    cloaks: list[tuple[float, float]] = []
    for number in range(rounds):
        now = MORNING + 300 * number
        chosen = [(number * UPDATES + each) * 7919 % users for each in range(UPDATES)]
        places = people.places(now)[chosen].tolist()
        messages = [Position(str(user), now, *place) for user, place in zip(chosen, places, strict=True)]
        requests = [Request(str(user), now, str(user)) for user in chosen[:CLOAKS]]
        moves.append((spent(lambda: update(messages)), spent(lambda: grid.update(messages))))  # noqa: B023
        cloaks.append((spent(lambda: ask(requests)), spent(lambda: grid.look(requests))))  # noqa: B023
    counts = engine.counts()
    assert counts["users"] == users
    assert counts["cloaked"] == rounds * CLOAKS
    return {
        "algorithm": algorithm,
        "users": users,
        "updates_per_second": UPDATES / statistics.median(ours for ours, _ in moves),
        "update_ratio": statistics.median(ours / bare for ours, bare in moves),
        "cloaks_per_second": CLOAKS / statistics.median(ours for ours, _ in cloaks),
        "cloak_ratio": statistics.median(ours / bare for ours, bare in cloaks),
        "load_seconds": loading[0],
        "load_ratio": loading[0] / loading[1],
    }


async def over_a_socket(users: int, requests: int) -> dict[str, float]:
    """Messages per processor second of a service with these users, of positions and of requests."""
    engine = engine_of("hilbert", Settings(square=Square(x=0, y=0, side=SIDE), ks=(K,), seed=0))
    service, end = Service(engine, clock=lambda: MORNING), asyncio.Event()
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    places = enumerate(commuters(users, SIDE, seed=0).places(0).tolist())
    moves = [{"type": "position", "user": str(user), "x": x, "y": y} for user, (x, y) in places]
    asks = [{"type": "request", "user": str(each * 7919 % users)} for each in range(requests)]
    with tempfile.TemporaryDirectory() as folder:
        address = Address(path=Path(folder) / "socket")
        task = asyncio.create_task(listen(service, address, on_ready=ready.set_result, until=end))
        reader, writer = await asyncio.open_unix_connection(await ready)
        rates = {}
        for name, messages in (("positions", moves), ("requests", asks)):
            begin = time.process_time()
            lines = [json.dumps(each).encode() + b"\n" for each in (*messages, {"type": "counts"})]
            writer.write(b"".join(lines))
            while b'"counts"' not in await reader.readline():
                pass
            rates[name] = len(messages) / (time.process_time() - begin)
        assert service.counts()["cloaked"] == requests
        writer.close()
        end.set()
        await task
    return rates


def main() -> None:
    """Print a table, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--algorithms", nargs="+", default=["hilbert", "partition", "quadtree", "casper"])
    arguments = parser.parse_args()
    loads = [os.getloadavg()[0]]
    found = []
    print("| algorithm | users | updates/s | to a bare count | cloaks/s | to a bare look |")
    print("|---|--:|--:|--:|--:|--:|")
    for users in arguments.users:
        for algorithm in arguments.algorithms:
            facts = measured(algorithm, users, arguments.rounds)
            loads.append(os.getloadavg()[0])
            found.append(facts)
            print(
                f"| {algorithm} | {users:,} | {facts['updates_per_second']:,.0f} | "
                f"{facts['update_ratio']:.1f} | {facts['cloaks_per_second']:,.0f} | "
                f"{facts['cloak_ratio']:.0f} |",
                flush=True,
            )
    rates = asyncio.run(over_a_socket(arguments.users[0], 20_000))
    loads.append(os.getloadavg()[0])
    print(f"over a socket: {rates['positions']:,.0f} positions/s, {rates['requests']:,.0f} requests/s")
    print(f"load {min(loads):.1f} to {max(loads):.1f}")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "cloak.json").write_text(
        json.dumps({"load": loads, "runs": found, "socket": rates}, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
