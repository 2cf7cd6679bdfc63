"""The plain reader: whether what a user is left with is what docs/promise.md promises.

Imports the standard library and the readers of cells, groups and losses beside it, and nothing of Shoal: it
must not share a mistake. Every fault has a code; the shrinker holds on to the code, not to the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.fuzz.additions import check_additions
from tests.fuzz.brute_force import check_optimum, judged
from tests.fuzz.cells import SHORT, is_true, same, text_of
from tests.fuzz.groups import check_models
from tests.fuzz.instance import ROW, Instance
from tests.fuzz.linked import check_linked
from tests.fuzz.seen import Seen, seen, suppression_limit
from tests.fuzz.treated import check_treatments
from tests.fuzz.values import CANARY

EXIT_CODES = {"PolicyError": 2, "InfeasibleError": 3, "NotProvedError": 4, "AuditError": 5, "EngineError": 6}


@dataclass(frozen=True)
class Finding:
    """A fault: a short code, and what was seen."""

    code: str
    words: str


def judge(instance: Instance, outcome: Any) -> list[Finding]:
    """All faults of an outcome."""
    if outcome.error is not None:
        return [*_refusal(instance, outcome), *_infeasible(instance, outcome), *_discreet(instance, outcome)]
    found = seen(instance, outcome)
    if isinstance(found, str):
        return [Finding("shape", found)]
    checks = [
        _suppressed,
        _truth,
        _labels,
        _others,
        _groups,
        _manifest,
        _told,
        _files,
        check_additions,
        check_treatments,
        check_models,
        check_linked,
        check_optimum,
    ]
    return [
        *(
            fault if isinstance(fault, Finding) else Finding(*fault)
            for check in checks
            for fault in check(found)
        ),
        *_discreet(instance, outcome),
    ]


def _refusal(instance: Instance, outcome: Any) -> Iterator[Finding]:
    """A refusal is a sentence with a documented exit code, and leaves nothing behind."""
    name = outcome.error
    if name.startswith("exit "):
        if outcome.exit_code not in EXIT_CODES.values():
            yield Finding(f"crash:exit {outcome.exit_code}", outcome.message[-600:])
    elif name not in EXIT_CODES:
        yield Finding(f"crash:{name}", outcome.message[-600:])
    elif outcome.exit_code != EXIT_CODES[name]:
        yield Finding("exit-code", f"{name} has the exit code {outcome.exit_code}")
    if "DuckDB failed" in outcome.message:
        yield Finding("engine-failed", outcome.message[-600:])
    if "Traceback" in outcome.message or "InternalError" in outcome.message:
        yield Finding("crash:traceback", outcome.message[-600:])
    if len(outcome.message.split()) < 3:
        yield Finding("no-sentence", repr(outcome.message))
    if outcome.exit_code == 5 and instance.request["algorithm"] != "mu-argus":
        yield Finding("audit-refused", outcome.message)
    left = {name for name in outcome.files if not name.startswith("people")}
    if left or (outcome.stood is False):
        yield Finding("left-behind", f"{sorted(left)}, target unchanged: {outcome.stood}")


def _infeasible(instance: Instance, outcome: Any) -> Iterator[Finding]:
    """Nothing that can be released is called infeasible."""
    request = instance.request
    if outcome.exit_code == 3 and request["algorithm"] != "auto":
        answer = {"status": "infeasible"}
        for fault in judged(instance, request["algorithm"], request.get("cost", "general-loss"), answer):
            yield Finding(*fault)


def _discreet(instance: Instance, outcome: Any) -> Iterator[Finding]:
    """No message quotes a cell, unless the policy names it, or the release or its manifest does."""
    published = [cell for row in outcome.rows or () for cell in row]
    listed = (outcome.manifest or {}).get("recoding", {})
    named = f"{dict(instance.request)} {published} {listed}"
    if f"{CANARY}secretkey" in outcome.message + outcome.said + outcome.written + outcome.besides:
        yield Finding("key-told", "the secret key is in a message or in the manifest")
    for word in set(re.findall(CANARY + r"\w+", outcome.message + outcome.said)):
        if word not in named:
            yield Finding("indiscreet", (outcome.message + outcome.said)[:600])
            return


def _suppressed(found: Seen) -> Iterator[tuple[str, str]]:
    """Suppressed rows are within the limit and carry nothing."""
    for row in found.masked:
        if any(row[place] is not None for place in found.kept_places) or any(
            row[place] != "*" for place in found.quasi_places
        ):
            yield "masked-row-tells", f"{row!r}"
    if found.suppressed > suppression_limit(found.instance):
        yield "too-many-suppressed", f"{found.suppressed} rows of at most {suppression_limit(found.instance)}"


def _truth(found: Seen) -> Iterator[tuple[str, str]]:
    """Every released quasi-identifier is true of its row."""
    if found.instance.request["algorithm"] == "microaggregate":
        return
    for row, source in found.pairs:
        for place, name in zip(found.quasi_places, found.quasi, strict=True):
            printed, value = row[place], source[name]
            listed = found.listed(name, printed)
            if listed is not None:
                known = None if value is None else text_of(value)
                if known not in listed and not any(
                    each is not None and known is not None and same(each, known) for each in listed
                ):
                    yield "untrue-cell", f"{name!r} of a row is {value!r}, which {printed!r} does not list"
                continue
            if not is_true(
                None if printed is None else text_of(printed),
                None if value is None else text_of(value),
                found.labels(name, value),
            ):
                yield "untrue-cell", f"{name!r} of a row is {value!r} and released as {printed!r}"


def _labels(found: Seen) -> Iterator[tuple[str, str]]:
    """Short labels count the values that the manifest lists, and no two of a column are the same."""
    for name, entries in found.manifest.get("recoding", {}).items():
        if not isinstance(entries, list):
            continue
        short = [entry for entry in entries if found.listed(name, entry["label"]) is not None]
        for entry in short:
            stated = SHORT.fullmatch(entry["label"])
            if stated is None or int(stated[1]) != len(entry["values"]) or len(entry["values"]) <= 5:
                yield "short-label", f"{entry['label']!r} of {name!r} has {len(entry['values'])} values"
        labels = [entry["label"] for entry in short]
        if len(set(labels)) < len(labels):
            yield "label-twice", f"two sets of {name!r} are printed alike"


def _others(found: Seen) -> Iterator[tuple[str, str]]:
    """Other columns are as they were, identifiers absent, the order of columns kept."""
    treatments = found.treatments
    dropped = {name for name, each in treatments.items() if each["name"] == "drop"} | found.identifiers
    expected = [
        name
        for column in found.instance.columns
        if column.name not in dropped
        for name in (column.name, *found.companions.get(column.name, ()))
    ]
    if found.columns != expected:
        yield "columns", f"{found.columns} in place of {expected}"
        return
    for row, source in found.pairs:
        for place in found.kept_places:
            name = found.columns[place]
            if name not in treatments and not _equal(row[place], source[name], exact=found.is_text):
                yield "changed-cell", f"{name!r} was {source[name]!r} and is {row[place]!r}"


def _equal(one: Any, two: Any, *, exact: bool) -> bool:
    if one is None or two is None:
        return one is two
    return text_of(one) == text_of(two) if exact else one == two or same(text_of(one), text_of(two))


def _groups(found: Seen) -> Iterator[tuple[str, str]]:
    """Every group has k rows, or k persons, on each set of quasi-identifiers."""
    if found.unverified:
        return
    for together, k in zip(found.sets, found.ks, strict=True):
        sizes = found.people_of_groups(together)
        if any(size < k for size in sizes):
            yield "k-broken", f"a group of {min(sizes)} on {together} where k is {k}"


def _manifest(found: Seen) -> Iterator[tuple[str, str]]:
    """The manifest's numbers are those of the table."""
    manifest, groups = found.manifest, Counter(found.keys)
    facts: dict[str, Any] = {
        "rows": len(found.sources),
        "k": found.k,
        "suppressed": found.suppressed,
        "seed": found.instance.request.get("seed", 0),
    }
    if len(found.sets) == 1:
        facts["groups"] = len(groups)
    for name, fact in facts.items():
        if manifest[name] != fact:
            yield f"manifest:{name}", f"{name} is {manifest[name]!r}, and {fact!r} was counted"
    sizes = [size for together in found.sets for size in Counter(found.on(together)).values()]
    smallest = min(sizes, default=None)
    if manifest["audit"]["k-anonymity"] != smallest:
        yield "manifest:k-anonymity", f"{manifest['audit']['k-anonymity']} claimed, {smallest} counted"
    if not manifest["audit"]["holds"] and not found.unverified:
        yield "manifest:holds", "a release was published whose audit does not hold"
    cost, bound = manifest["cost"], manifest["bound"]
    if bound is not None and Fraction(bound) > Fraction(cost) * (1 + Fraction(1, 10**12)):
        yield "bound-above-cost", f"bound {bound}, cost {cost}"
    if manifest["status"] == "optimal" and bound != cost:
        yield "optimal-with-gap", f"bound {bound}, cost {cost}"


def _told(found: Seen) -> Iterator[tuple[str, str]]:
    """Values that only suppressed rows have are told nowhere."""
    everything = found.everything()
    for name in found.quasi:
        if name in found.instance.request.get("bins", {}) or name in found.instance.request.get(
            "hierarchies", {}
        ):
            continue
        for value in found.only_suppressed(name):
            if len(value) >= 5 and value not in ("false", "missing") and value in everything:
                yield "suppressed-value-told", f"{value!r} of {name!r} is in suppressed rows alone"


def _files(found: Seen) -> Iterator[tuple[str, str]]:
    """A release leaves the release and its manifest, and nothing else."""
    allowed = {
        "release.csv",
        "release.parquet",
        "release.csv.manifest.json",
        "release.parquet.manifest.json",
        "people.db",
    }
    left = found.outcome.files - allowed
    if left:
        yield "files-left", str(sorted(left))


__all__ = ["ROW", "Finding", "judge"]
