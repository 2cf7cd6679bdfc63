"""Many tries in several processes, counted; the first finding of a kind is shrunk and printed."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

import shoal
from tests.fuzz.attempt import Attempt, attempt
from tests.fuzz.instance import Instance
from tests.fuzz.judge import Finding
from tests.fuzz.people import is_of_people
from tests.fuzz.policies import instance
from tests.fuzz.printed import as_test
from tests.fuzz.shrink import shrunk

CHUNK = 40
Tried = list[tuple[int, Attempt]]


class Campaign:
    """Many tries in several processes, counted."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.begun = time.monotonic()
        self.tries = self.searches = 0
        self.ended: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.printed = 0

    def run(self) -> int:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.asked.jobs, mp_context=context) as pool:
            chunks, running = self._chunks(), set[Future[Tried]]()
            while True:
                while (
                    len(running) < self.asked.jobs
                    and not self._over()
                    and (chunk := next(chunks, None)) is not None
                ):
                    running.add(pool.submit(tried, chunk))
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    self._take(each.result())
        print(
            f"{self._line()}\nended: {dict(self.ended.most_common())}\nfindings: {dict(self.codes)}",
            flush=True,
        )
        return int(any(code not in self.asked.ignore for code in self.codes))

    def _chunks(self) -> Iterator[list[int]]:
        start, end = self.asked.seed, None if self.asked.count is None else self.asked.seed + self.asked.count
        while end is None or start < end:
            stop = start + CHUNK if end is None else min(end, start + CHUNK)
            yield [seed for seed in range(start, stop) if is_of_people(seed) or not self.asked.people]
            start = stop

    def _over(self) -> bool:
        late = self.asked.minutes is not None and time.monotonic() - self.begun > 60 * self.asked.minutes
        return late or self.printed >= self.asked.findings

    def _take(self, found: Tried) -> None:
        for seed, one in found:
            self.tries += 1
            self.searches += one.searches
            self.ended[one.ended] += 1
            for code in {finding.code: finding for finding in one.findings}.values():
                self._tell(seed, code)
        print(self._line(), end="\r" if sys.stdout.isatty() else "\n", flush=True)

    def _tell(self, seed: int, finding: Finding) -> None:
        self.codes[finding.code] += 1
        if self.codes[finding.code] == 1 and finding.code not in self.asked.ignore:
            self.printed += 1
            show(instance(seed), finding, seed, shrink=not self.asked.no_shrink)

    def _line(self) -> str:
        seconds = time.monotonic() - self.begun
        return (
            f"{self.tries:,} tries, {self.searches:,} searches, {self.tries / seconds:.1f} tries/s, "
            f"{sum(self.codes.values())} findings of {len(self.codes)} kinds"
        )


_engine: shoal.DuckDB | None = None


def tried(seeds: list[int]) -> Tried:
    """The tries of some seeds, in a process of the pool; its engine serves them all."""
    global _engine
    _engine = _engine or shoal.DuckDB(threads=1)
    return [(seed, attempt(instance(seed), _engine)) for seed in seeds]


def show(found: Instance, finding: Finding, seed: int, *, shrink: bool) -> None:
    """Print a finding as a test, as small as it gets."""
    with shoal.DuckDB(threads=1) as engine:

        def fails(smaller: Instance) -> bool:
            return any(each.code == finding.code for each in attempt(smaller, engine).findings)

        if shrink:
            found = shrunk(found, fails)
        words = next((each for each in attempt(found, engine).findings if each.code == finding.code), finding)
    print(f"\n# {finding.code}, seed {seed}: {words.words}\n{as_test(found, words, seed)}", flush=True)
