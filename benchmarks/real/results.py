"""Results of the benchmark: kept in a JSON file, printed as Markdown, and judged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from real.contenders import ARX, CANDIDATES, CONSISTENT, DEFAULT, OWN, PEERS, Run
from real.tables import TABLES

FACTOR = 1.1
"""The default may lose this many times what our best loses, and no more."""


NOT_RUN = "not run"


@dataclass(kw_only=True)
class Results:
    """Runs by table and contender.

    Parameters
    ----------
    path
        The file that keeps them.
    runs
        What was measured, also in earlier calls.
    """

    path: Path
    runs: dict[tuple[str, str], Run] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Results:
        """What a file has; nothing if there is none."""
        if not path.exists():
            return cls(path=path)
        runs = [Run(**_plain(each)) for each in json.loads(path.read_text())]
        return cls(path=path, runs={(each.table, each.contender): each for each in runs})

    def has(self, table: str, contender: str) -> bool:
        """Whether that was run."""
        return (table, contender) in self.runs

    def add(self, run: Run) -> None:
        """Keep one run, in the file, too."""
        self.runs[run.table, run.contender] = run
        self.path.parent.mkdir(exist_ok=True)
        facts = [each.to_dict() for each in self.runs.values()]
        self.path.write_text(json.dumps(facts, indent=1) + "\n")

    def of(self, table: str, contender: str) -> Run:
        """One run; an absent one failed."""
        absent = Run(table=table, contender=contender, failed=NOT_RUN)
        return self.runs.get((table, contender), absent)

    def best(self, table: str) -> Run | None:
        """The run of ours that lost least without losing rows."""
        ours = [self.of(table, name) for name in (*OWN, *CANDIDATES)]
        return min(
            (each for each in ours if each.loss is not None), key=lambda each: each.loss or 0, default=None
        )

    @property
    def tables(self) -> list[str]:
        """The tables that something ran on, those that nobody tuned on last."""
        names = [name for name in TABLES if any(table == name for table, _ in self.runs)]
        return sorted(names, key=lambda name: TABLES[name].unseen)


def _plain(facts: dict[str, object]) -> dict[str, object]:
    return {name: tuple(each) if isinstance(each, list) else each for name, each in facts.items()}


def failures(results: Results) -> list[str]:
    """The tables on which the default loses too much, or fails."""
    failed = []
    for name in results.tables:
        default, best = results.of(name, DEFAULT), results.best(name)
        if best is not None and (default.loss is None or default.loss > FACTOR * (best.loss or 0)):
            failed.append(name)
    return failed


def verdict(results: Results) -> str:
    """Whether the default holds what is asked of it, in a line."""
    failed = failures(results)
    told = f"no table where the default loses more than {FACTOR} times our best"
    unseen = sum(TABLES[name].unseen for name in results.tables)
    if not failed:
        return f"holds: {told} ({len(results.tables)} tables, {unseen} of them not tuned on)"
    return f"fails: {told}; it does on {', '.join(failed)}"


def pages(results: Results) -> str:
    """All tables as Markdown."""
    return "\n\n".join((losses(results), defaults(results), peers(results))) + "\n"


def losses(results: Results) -> str:
    """The loss of each kind of release."""
    lines = [
        "| table | rows | columns | k | default | our best | ratio | one recoding per column | ARX's search "
        "| best Python package |",
        "|---|--:|--:|--:|--:|---|--:|--:|--:|---|",
    ]
    for name in results.tables:
        table, best = TABLES[name], results.best(name)
        default = results.of(name, DEFAULT)
        theirs = [results.of(name, peer) for peer in PEERS]
        held = [each for each in theirs if each.loss is not None and (each.smallest or 0) >= table.k]
        peer = min(held, key=lambda each: each.loss or 0, default=None)
        rows = default.loss is not None and best is not None and best.loss
        lines.append(
            f"| {_named(name)} | {_rows(results, name)} | {len(table.quasi_identifiers)} | {table.k} "
            f"| **{_loss(default)}** | {_loss(best)}{f', {best.contender}' if best else ''} "
            f"| {(default.loss or 0) / rows if rows else 1:.2f} | {_loss(results.of(name, CONSISTENT))} "
            f"| {_loss(results.of(name, ARX))} | {_loss(peer)}{f', {peer.contender}' if peer else ''} |"
        )
    return "\n".join(lines)


def defaults(results: Results) -> str:
    """What else is to know of the default, and of ARX's search on the same table."""
    lines = [
        "| table | search | s | rows lost | flattened columns | the same, ARX's search | source | release "
        "| manifest |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in results.tables:
        run, arx = results.of(name, DEFAULT), results.of(name, ARX)
        if run.failed is not None:
            lines.append(f"| {_named(name)} | failed: {run.failed} | | | | | | | |")
            continue
        flattened = "-" if arx.failed else str(len(arx.flattened))
        lines.append(
            f"| {_named(name)} | `{run.algorithm}` | {run.seconds:.0f} | {run.lost:,} | {len(run.flattened)} "
            f"| {flattened} | {_bytes(run.source_bytes)} | {_bytes(run.release_bytes)} "
            f"| {_bytes(run.manifest_bytes)} |"
        )
    return "\n".join(lines)


def peers(results: Results) -> str:
    """The Python packages: loss, flattened columns, rows lost, seconds; or what went wrong."""
    lines = ["| table | " + " | ".join(PEERS) + " |", "|---|" + "---|" * len(PEERS)]
    for name in results.tables:
        cells = [_peer(results.of(name, peer), TABLES[name].k) for peer in PEERS]
        lines.append(f"| {_named(name)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _peer(run: Run, k: int) -> str:
    if run.loss is None:
        return (run.failed or "").replace("|", "/")
    told = [f"{run.loss:.3f} ({run.seconds:.0f} s)"]
    if run.flattened:
        told.append(f"{len(run.flattened)} flattened")
    if run.lost:
        told.append(f"{run.lost:,} rows lost")
    if (run.smallest or 0) < k:
        told.append(f"smallest group {run.smallest}")
    return ", ".join(told)


def _named(name: str) -> str:
    return f"{name} (unseen)" if TABLES[name].unseen else name


def _rows(results: Results, name: str) -> str:
    return next((f"{run.rows:,}" for run in (results.of(name, each) for each in OWN) if run.rows), "")


def _loss(run: Run | None) -> str:
    if run is None or run.failed == NOT_RUN:
        return "-"
    return "failed" if run.loss is None else f"{run.loss:.4f}"


def _bytes(number: int | None) -> str:
    if number is None:
        return "-"
    return f"{number / 1e6:.2f} MB" if number >= 1e5 else f"{number / 1e3:.0f} kB"
