"""What collecting rows costs in processor time: per customer, per helper, per group, per pair of rows.

Arithmetic and encryption only, in one process, without connections: those depend on the network. Run:
python benchmarks/collect.py [CUSTOMERS]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from shoal.joint.collect.blinding import blinded, evaluated, new_scalar, unblinded
from shoal.joint.collect.cells.encryption import (
    combination,
    differences,
    differs,
    encrypted,
    halves,
    key_share,
    pairs_of,
)
from shoal.joint.collect.message import Message, Polynomial, message_bytes
from shoal.joint.collect.opening import opened
from shoal.joint.collect.row_text import joined, padded
from shoal.joint.collect.sealing import OVERHEAD, SealingKey, sealed

T = TypeVar("T")
ROW_BYTES = 128
HELPERS = 2
DIGEST = "0" * 64


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """A result, and the processor seconds that it took."""
    started = time.process_time()
    return work(), time.process_time() - started


def rows_costs(customers: int, k: int) -> None:
    """The method rows, in groups of exactly k."""
    scalars = [new_scalar() for _ in range(HELPERS)]
    rows = [(str(number // k), "07028", str(number)) for number in range(customers)]
    found = [DIGEST.encode() + joined(row[:2]) for row in rows]
    blinds = [new_scalar() for _ in rows]
    requests, asking = timed(lambda: [blinded(*each) for each in zip(found, blinds, strict=True)])
    answers, answering = timed(lambda: [[evaluated(z, each) for z in scalars] for each in requests])
    with TemporaryDirectory() as folder:
        key = SealingKey.create(Path(folder) / "key")

        def closing() -> list[bytes]:
            made = []
            for row, value, blind, answer in zip(rows, found, blinds, answers, strict=True):
                polynomial = Polynomial.of(value, unblinded(answer, blind), k)
                message = Message.closing(padded(row, ROW_BYTES), polynomial)
                made.append(sealed(message.to_bytes(), key.public, DIGEST))
            return made

        messages, sealing = timed(closing)
        unsealed, unsealing = timed(
            lambda: [Message.from_bytes(key.unsealed(each, DIGEST) or b"") for each in messages]
        )
    result, opening = timed(lambda: opened(unsealed, k, 3, 2))
    assert len(result.rows) == customers
    groups = customers // k
    print(
        f"| {k} | {1000 * (asking + sealing) / customers:.2f} | "
        f"{1000 * answering / customers / HELPERS:.2f} | "
        f"{1000 * unsealing / customers:.2f} | {1000 * opening / groups:.2f} | "
        f"{1e3 * (asking + sealing + answering + unsealing + opening) / customers:.2f} |"
    )


def cells_costs(rows: int, columns: int) -> None:
    """The method cells: per pair of rows and column, and per row and column for the stars."""
    first, second = new_scalar(), new_scalar()
    shares = [key_share(first), key_share(second)]
    names = [str(column) for column in range(columns)]
    made, encrypting = timed(
        lambda: [encrypted(DIGEST, names, [str(row % 3)] * columns, shares) for row in range(rows)]
    )
    cells = [pairs_of(each) for each in made]
    pairs = [(one, two) for one in range(rows) for two in range(one)]
    hidden, hiding = timed(lambda: [differences(cells[one], cells[two], first) for one, two in pairs])
    _, counting = timed(lambda: [[differs(half, second) for half in halves(each)] for each in hidden])
    _, combining = timed(lambda: [combination(cells, column, first) for column in range(columns)])
    unit = len(pairs) * columns
    print(
        f"| {1000 * encrypting / rows / columns:.2f} | {1000 * hiding / unit:.2f} | "
        f"{1000 * counting / unit:.2f} | {1000 * combining / rows / columns:.2f} | "
        f"{(hiding + counting) / unit * 8 * 1000 * 999 / 2 / 60:.0f} |"
    )


def main() -> None:
    """Print both tables as Markdown."""
    customers = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {customers:,} customers, {HELPERS} helpers"
    )
    print(f"message: {message_bytes(ROW_BYTES) + OVERHEAD - ROW_BYTES} bytes and the padded row\n")
    print("| k | customer, ms | each helper, ms | collector per row, ms | per group, ms | in all, ms |")
    print("|--:|--:|--:|--:|--:|--:|")
    for k in (3, 10, 30, 100):
        rows_costs(customers - customers % k, k)
    print("\n| encrypt a cell, ms | first helper, ms | second helper, ms | star, ms | 1,000 x 8, minutes |")
    print("|--:|--:|--:|--:|--:|")
    cells_costs(30, 8)


if __name__ == "__main__":
    main()
