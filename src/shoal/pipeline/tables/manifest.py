"""The manifest of a release of several tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.auditor.tables.measured import MeasuredTables
from shoal.model.history.promise_given import ALL
from shoal.model.result.listed_sets import listed_sets
from shoal.model.result.tables_manifest import TablesManifest
from shoal.model.version import version

if TYPE_CHECKING:
    from shoal.pipeline.tables.publish import TablesDraft


def manifest_of(
    draft: TablesDraft, measured: MeasuredTables, digest: str | None, files: Mapping[str, str]
) -> TablesManifest:
    """The facts of a release.

    Parameters
    ----------
    draft
        What is released.
    measured
        What the audit measured in it.
    digest
        The SHA-256 of the written files; `None` for data frames.
    files
        The name of each table's file.
    """
    policy, found = draft.policy, draft.found
    cost, bound = float(found.cost), None if found.bound is None else float(found.bound)
    histories = found.recoded.histories
    tables: dict[str, dict[str, Any]] = {}
    recoding: dict[str, dict[str, Any]] = {}
    for number, (each, made) in enumerate(zip(draft.prepared.tables, found.recoded.tables, strict=True)):
        name = each.linked.name
        direct = (each.linked.key, policy.parent_key(each.linked))
        linking = policy.linking(each.linked, each.treated.original.columns)
        recoding[name] = made.recoding.describe(made.table.domains, made.released_codes)
        tables[name] = {
            **({"file": files[name]} if name in files else {}),
            "rows": made.table.rows,
            "suppressed": found.recoded.suppressed_of(number),
            "cost": float(made.cost(found.problem.costs[number])),
            "key": each.linked.key,
            "parent": each.linked.parent,
            "parent_key": policy.parent_key(each.linked),
            "repeats": {column: owner for column, owner in linking.items() if column not in direct},
            "columns": {
                column: {"role": "key" if column in linking else each.policy.role_of(column).value}
                for column in each.treated.original.columns
                if column not in each.policy.identifiers
            },
            "treatments": {
                column: {key: value for key, value in facts.items() if key != "changed"}
                for column, facts in each.treated.facts.items()
            },
            "source_digest": each.source_digest,
        }
    return TablesManifest(
        shoal=version(),
        k=policy.k,
        promise={
            "unit": "person",
            "column": policy.promise.column,
            "known_events": ALL,
            "order": "multiset",
            "rows_linkable": True,
            "k": policy.k,
            "sentence": promise_words(policy.k),
        },
        persons=histories.persons,
        released_persons=measured.persons,
        rows=histories.rows,
        suppressed=found.recoded.suppressed,
        algorithm=found.result.algorithm,
        cost_metric=policy.cost,
        cost=cost,
        bound=bound,
        gap=None if bound is None else 0.0 if cost <= bound else (cost - bound) / cost,
        status=found.result.status.value,
        seconds=round(found.result.seconds, 3),
        nodes=found.result.nodes,
        seed=policy.seed,
        policy_digest=policy.digest,
        release_digest=digest,
        tables=tables,
        recoding=recoding,
        audit={
            "holds": not measured.failures(policy.k),
            "persons-sharing": measured.smallest,
            "persons-alone": measured.alone,
            "groups": measured.groups,
            "keys-hold": not measured.faults,
            "per-table": dict(measured.per_table),
        },
        notes=_notes(draft, recoding),
        warnings=tuple(each.to_dict() for each in draft.prepared.warnings),
        phases={phase: round(each, 3) for phase, each in draft.phases.seconds.items()},
    )


def promise_words(k: int) -> str:
    """What holds across the tables, in a sentence."""
    return (
        f"Every released person shares their quasi-identifiers in all tables with at least {k - 1:,} others: "
        "the same rows, as many of them, and the same rows below each. Somebody who joins the tables, and "
        "knows all of that about a person, still finds as many."
    )


def _notes(draft: TablesDraft, recoding: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    notes = [
        promise_words(draft.policy.k),
        "Keys are pseudonyms of this release alone, the same in all tables; rows are in a random order, "
        "those of one parent together."
        if not any(each.treated.key_given for each in draft.prepared.tables)
        else "Keys are pseudonyms by a secret key, the same in all tables; rows are in a random order, those "
        "of one parent together.",
    ]
    for each, made in zip(draft.prepared.tables, draft.found.recoded.tables, strict=True):
        name = each.linked.name
        notes += [f"{name}: {words}" for words in made.recoding.notes(made.table.domains)]
        short = listed_sets({"recoding": recoding[name], "columns": {}})
        if short:
            notes.append(
                f"{name}: in {', '.join(map(repr, short))} large sets have short labels; `recoding` lists "
                "the values."
            )
    return tuple(notes)
