"""The results of `longitudinal.py` as tables of Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORDS = {
    "a": "(a) rows unlinkable",
    "c1": "(c) 1 known event",
    "c2": "(c) 2 known events",
    "c3": "(c) 3 known events",
    "b": "(b) whole history",
}
ORDER = list(WORDS)
HEAD = (
    "| promise | search | loss | rows suppressed | persons left out | alone, before | alone, after "
    "| among fewer than 5, after | s | to (a) | peak memory |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)

Result = Mapping[str, Any]


def page(results: Mapping[str, Result]) -> str:
    """A table for each table and number of persons."""
    tables = dict.fromkeys((each["table"], each["persons"]) for each in results.values())
    parts = []
    for name, persons in tables:
        rows = [each for each in results.values() if (each["table"], each["persons"]) == (name, persons)]
        rows.sort(key=lambda each: (ORDER.index(each["promise"]), each["search"] == "consistent"))
        known = [each for each in rows if "cost" in each]
        size = ""
        if known:
            size = f", {known[0]['before']['rows']:,} rows of {known[0]['before']['persons']:,}"
        base = {each["search"]: each["seconds"] for each in known if each["promise"] == "a"}
        parts.append("\n".join([f"### {name}{size}\n", HEAD, *(_line(each, base) for each in rows)]))
    known = [each for each in results.values() if "cost" in each]
    loads = [load for each in known for load in each["load"]]
    if loads:
        commits = ", ".join(dict.fromkeys(each["commit"] for each in known))
        parts.append(f"Commit {commits}; load of the machine {min(loads)} to {max(loads)}.")
    return "\n\n".join(parts)


def _line(each: Result, base: Mapping[str, float]) -> str:
    cells = [WORDS[each["promise"]], each["search"]]
    if "failed" in each:
        return f"| {' | '.join([*cells, str(each['failed'])])} |" + " |" * 8
    before, after = each["before"], each["after"]
    ratio = each["seconds"] / base[each["search"]] if base.get(each["search"]) else None
    cells += [
        f"{each['cost']:.4f}",
        f"{each['suppressed']:,} ({each['suppressed'] / before['rows']:.1%})",
        f"{before['persons'] - after['persons']:,}",
        f"{before['alone']:,}",
        f"{after['alone']:,}",
        f"{after['among_few']:,}",
        f"{each['seconds']:.1f}",
        "-" if ratio is None else f"{ratio:.1f}",
        f"{each['peak_mb']:,} MB",
    ]
    return f"| {' | '.join(cells)} |"
