"""What is done with a release, and beside it: other doors, which must agree with what was released.

Each check is named by the door that it goes through. What a door refuses with a sentence is no fault, unless
the door is for every table.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import shoal
from shoal.model.policy.policy_arguments import policy_of
from tests.fuzz.brute_force import CUTS, LEVELS, judged
from tests.fuzz.doors import FRAMES, Outcome, has_key, run
from tests.fuzz.instance import ROW, Instance
from tests.fuzz.judge import Finding
from tests.fuzz.read_back import codebook, read_back
from tests.fuzz.requests import arguments
from tests.fuzz.seen import Seen, is_text, seen, suppression_limit
from tests.fuzz.sources import arrow_table
from tests.unit.warehouses import multiset, selected

KINDS = {"cuts": CUTS, "levels": LEVELS, "cells": ("cells", "forest", "meyerson-williams", "matching")}
QUICK = (
    "exact", "k-optimize", "subtree", "tds", "bug", "lattice", "local", "local values=sets", "k-member",
    "microaggregate", "mondrian", "cells", "forest", "meyerson-williams", "matching", "incognito",
    "samarati", "mingen", "ola", "flash", "datafly", "levels-and-cells", "suppress-columns",
    "suppress-rows",
)  # fmt: skip
"""What the door `compare` runs: every search that ends by itself, and soon."""


def after(instance: Instance, outcome: Outcome, folder: Path, engine: shoal.DuckDB) -> list[Finding]:
    """Faults of the doors that an instance goes through after its release."""
    found = seen(instance, outcome)
    if isinstance(found, str):
        return []
    faults: list[Finding] = []
    for door in instance.then:
        try:
            faults += (Finding(f"{door}:{code}", words) for code, words in AFTER[door](found, folder, engine))
        except shoal.ShoalError as error:
            if door in ("audit", "risk", "report", "again", "read", "codebook"):
                faults.append(Finding(f"{door}:refused", str(error)))
        except Exception as error:
            if type(error).__name__ == "HangError":
                raise
            faults.append(Finding(f"{door}:crash:{type(error).__name__}", str(error)[-600:]))
    return faults


Faults = Iterator[tuple[str, str]]


def _again(found: Seen, _: Path, __: shoal.DuckDB) -> Faults:
    """The same request gives the same bytes, whatever the threads."""
    if not has_key(found.instance) and (found.treatments or "order" in found.instance.request):
        return
    with tempfile.TemporaryDirectory() as other, shoal.DuckDB(threads=2) as engine:
        twice = run(found.instance, Path(other), engine, threads=2)
    if twice.error is not None:
        yield "refused", f"{twice.error}: {twice.message}"
    elif twice.rows != found.outcome.rows:
        yield "rows-differ", "the same request gave other rows"
    elif _stable(twice.manifest) != _stable(found.manifest):
        one, two = _stable(twice.manifest), _stable(found.manifest)
        yield "manifest-differs", str([name for name in one if one[name] != two.get(name)])


def _stable(manifest: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in manifest.items()
        if name not in ("seconds", "trace", "phases", "policy_digest")
    }


def _table(found: Seen) -> Any:
    return found.outcome.data if found.outcome.path is None else found.outcome.path


def _audit(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """The audit of any table counts what the reader counts."""
    if _table(found) is None:
        return
    audited = shoal.audit(_table(found), quasi_identifiers=found.quasi, k=found.k, engine=engine)
    sizes = Counter(found.keys)
    smallest = min(sizes.values(), default=None)
    if audited.k != smallest:
        yield "k", f"{audited.k} measured, {smallest} counted"
    facts = audited.to_dict()
    if facts["groups"] != len(sizes):
        yield "groups", f"{facts['groups']} measured, {len(sizes)} counted"
    if audited.holds != all(size >= found.k for size in sizes.values()):
        yield "holds", f"holds is {audited.holds}: {audited.failures}"


def _audit_original(found: Seen, folder: Path, engine: shoal.DuckDB) -> Faults:
    """The audit beside the original finds every cell true."""
    if found.outcome.path is None or found.instance.request["algorithm"] == "microaggregate":
        return
    given = arguments(found.instance).get("hierarchies", {})
    audited = shoal.audit(
        found.outcome.path,
        quasi_identifiers=found.quasi,
        original=folder / f"people{found.outcome.path.suffix}",
        key=None if found.masked else ROW,
        hierarchies={name: each for name, each in given.items() if isinstance(each, shoal.Hierarchy)},
        engine=engine,
    )
    facts = audited.to_dict()["comparison"]
    if facts["untrue_cells"]:
        yield "untrue", f"{facts['untrue_cells']} cells are called untrue"


def _sql(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """The printed SQL selects what was released."""
    if is_text(found.instance) or found.instance.door in ("duckdb", "parquet"):
        return
    table = arrow_table(found.instance.columns)
    written = shoal.recoding_sql(
        table, policy_of(**arguments(found.instance)), dialect="duckdb", table="people", engine=engine
    )
    by_sql, released = selected(written, table), multiset(found.outcome.rows)
    if by_sql != released:
        more, fewer = (sorted(map(str, each))[:3] for each in (by_sql - released, released - by_sql))
        yield "differs", f"only the SQL has {more}, only the release {fewer}"


def _explain(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """An explanation is of the release that was made."""
    asked = {
        name: value
        for name, value in arguments(found.instance).items()
        if name not in ("suppressed", "nodes", "gap", "seed")
    }
    if "nodes" in found.instance.request:
        return  # an explanation has its own budget
    explained = shoal.explain(arrow_table(found.instance.columns), **asked, seconds=1, engine=engine)
    facts = json.loads(json.dumps(explained.to_dict()))
    str(explained)
    both_optimal = found.instance.door in FRAMES and facts["status"] == found.manifest["status"] == "optimal"
    if both_optimal and abs(facts["cost"] - found.manifest["cost"]) > 1e-9:
        yield "cost", f"{facts['cost']} explained, {found.manifest['cost']} released"


def _risk(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """The sizes of groups are those that the reader counts."""
    if _table(found) is None:
        return
    facts = shoal.risk(_table(found), quasi_identifiers=found.quasi, engine=engine).to_dict()
    sizes = sorted(Counter(Counter(found.keys).values()).items())
    if [tuple(pair) for pair in facts["sizes"]] != sizes:
        yield "sizes", f"{facts['sizes']} measured, {sizes} counted"


def _report(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """The report holds where the release does, and tells no value of suppressed rows alone."""
    if _table(found) is None:
        return
    made = shoal.report(_table(found), quasi_identifiers=found.quasi, k=found.k, engine=engine)
    if made.holds != all(size >= found.k for size in Counter(found.keys).values()):
        yield "holds", f"holds is {made.holds}"
    text = made.to_json() + made.html
    for name in found.quasi:
        for value in found.only_suppressed(name):
            if len(value) >= 7 and value in text:
                yield "suppressed-value-told", f"{value!r} of {name!r}"


def _front(found: Seen, _: Path, engine: shoal.DuckDB) -> Faults:
    """No point of a front is worse than another in every objective, and its release costs what it says."""
    asked = arguments(found.instance)
    kept = (
        "quasi_identifiers",
        "sensitive",
        "identifiers",
        "types",
        "bins",
        "orders",
        "hierarchies",
        "levels",
        "suppression",
        "models",
        "entity",
        "formats",
        "missing",
    )
    front = shoal.front(
        arrow_table(found.instance.columns),
        **{name: asked[name] for name in kept if name in asked},
        nodes=500,
        engine=engine,
    )
    values = [(point.k, float(point.values["general-loss"])) for point in front.points]
    for k, cost in values:
        if any(other >= k and lower < cost for other, lower in values):
            yield "dominated", f"{(k, cost)} of {values}"
    if front.points:
        point = front.points[-1]
        released = front.pick(point, engine=engine).manifest
        if (released.cost, released.suppressed) != (values[-1][1], point.suppressed):
            yield "released-otherwise", f"{released.cost}, {released.suppressed}: {point}"


AFTER: dict[str, Callable[[Seen, Path, shoal.DuckDB], Faults]] = {
    "again": _again,
    "audit": _audit,
    "audit-original": _audit_original,
    "sql": _sql,
    "explain": _explain,
    "risk": _risk,
    "report": _report,
    "front": _front,
    "read": read_back,
    "codebook": codebook,
}


def compared(instance: Instance, engine: shoal.DuckDB) -> tuple[int, tuple[Finding, ...]]:
    """Every search on one table: how many answered, and the faults of their answers."""
    asked = {
        name: value
        for name, value in arguments(instance).items()
        if name not in ("options", "accept_unverified")
    }
    try:
        runs = shoal.compare(
            arrow_table(instance.columns),
            policy_of(**{**asked, "threads": 1}),
            algorithms=QUICK,
            ks=_ks(instance),
            engine=engine,
        )
    except shoal.ShoalError as error:
        return 1, () if len(str(error).split()) > 2 else (Finding("no-sentence", repr(str(error))),)
    except Exception as error:
        if type(error).__name__ == "HangError":
            raise
        return 1, (Finding(f"compare:crash:{type(error).__name__}", str(error)[-600:]),)
    answered = [each for each in runs if each.status != "refused"]
    faults = [
        Finding(f"compare:{code}", words) for each in answered for code, words in _answer(instance, each)
    ]
    return len(answered), (
        *faults,
        *(Finding(f"compare:{code}", words) for code, words in _agreement(answered)),
    )


def _ks(instance: Instance) -> list[int]:
    return sorted({each for each in (2, 3, instance.request["k"]) if each <= instance.rows}) or [
        instance.request["k"]
    ]


def _answer(instance: Instance, answer: Any) -> Faults:
    """An answer keeps the limit and k, and is as good as it says."""
    if answer.suppressed is not None and answer.suppressed > suppression_limit(instance):
        yield "too-many-suppressed", f"{answer.algorithm}: {answer.suppressed} rows"
    if answer.smallest is not None and answer.smallest < answer.k and not instance.request.get("sets"):
        yield "k-broken", f"{answer.algorithm}: a group of {answer.smallest} where k is {answer.k}"
    if answer.status in ("optimal", "minimal", "feasible", "infeasible"):
        facts = {"status": answer.status, "cost": answer.cost, "bound": answer.bound}
        asking = instance.asking(k=answer.k, algorithm=answer.algorithm.split()[0])
        yield from judged(asking, answer.algorithm.split()[0], answer.minimized, facts)


def _agreement(answers: list[Any]) -> Faults:
    """Searches of one kind agree: no answer is below another's bound."""
    for kind, names in KINDS.items():
        alike = [each for each in answers if each.algorithm.split()[0] in names and each.cost is not None]
        for one in alike:
            for two in alike:
                if (one.k, one.minimized) != (two.k, two.minimized) or one.bound is None:
                    continue
                if two.cost < one.bound * (1 - 1e-9) - 1e-12:
                    told = f"{two.algorithm} has {two.cost}, {one.algorithm} the bound {one.bound}"
                    yield f"disagree:{kind}", f"{one.minimized}, k={one.k}: {told}"
