"""The manifest of a release: the facts that outlive the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.algorithms.searched_kind import searched_kind
from shoal.model.history.promise_given import promise_given
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.listed_sets import listed_sets
from shoal.model.result.manifest import Manifest, shortened
from shoal.model.result.result import Cost
from shoal.model.version import version
from shoal.pipeline.column_codings import column_codings
from shoal.pipeline.draft import Draft


def manifest_of(
    draft: Draft,
    *,
    groups: int,
    audit: Mapping[str, object],
    release_digest: str | None,
    warnings: Sequence[CodedWarning],
    phases: Mapping[str, float] | None = None,
) -> Manifest:
    """The facts of a release.

    Parameters
    ----------
    draft
        What is released.
    groups, audit
        What the audit measured in it.
    release_digest
        The SHA-256 of the written file; `None` for a data frame or a table.
    warnings
        What the user should look at.
    phases
        What each phase of the run took, in seconds.
    """
    policy, result, table = draft.policy, draft.solution.result, draft.problem.table
    recoding, described, columns = draft.recoding, draft.described, column_codings(draft)
    promise = promise_given(policy)
    return Manifest(
        shoal=version(),
        algorithm=result.algorithm,
        cost_metric=policy.cost,
        model=None if policy.recoding_model is None else policy.recoding_model.value,
        k=policy.k,
        rows=table.rows,
        suppressed=result.suppressed,
        groups=groups,
        cost=_plain(result.cost),
        bound=_plain(result.bound),
        gap=result.gap,
        status=result.status.value,
        seconds=round(result.seconds, 3),
        nodes=result.nodes,
        seed=policy.seed,
        policy_digest=policy.digest,
        source_digest=draft.source_digest,
        release_digest=release_digest,
        recoding=described,
        audit=audit,
        truthful=recoding.truthful and (draft.treated is None or draft.treated.truthful),
        notes=(*_promised(promise), *draft.notes, *_short_labels(described, columns)),
        trace=shortened((*result.trace, result.end)),
        orders={each.name: each.arrangement.words for each in table.domains if each.arrangement is not None},
        columns=columns,
        warnings=tuple(each.to_dict() for each in warnings),
        choice=None if result.choice is None else result.choice.to_dict(),
        reading={
            **({} if draft.reading is None else {"file": draft.reading.to_dict()}),
            "columns": {name: each.published(policy.k) for name, each in draft.readings.items()},
        },
        kind=searched_kind(result.algorithm, recoding=described),
        treatments=draft.treatment_facts,
        order=policy.order,
        truthful_recoding=recoding.truthful,
        promise=promise,
        phases={phase: round(each, 3) for phase, each in (phases or {}).items()},
    )


def _promised(promise: Mapping[str, object] | None) -> tuple[str, ...]:
    """The promise about people as a note."""
    return () if promise is None else (str(promise["sentence"]),)


def _short_labels(described: Mapping[str, object], columns: Mapping[str, object]) -> tuple[str, ...]:
    """How to read short labels, if there are any."""
    names = list(listed_sets({"recoding": described, "columns": columns}))
    if not names:
        return ()
    where = "columns" if all(isinstance(described[name], Mapping) for name in names) else "recoding"
    return (
        f"In {', '.join(map(repr, names))} large sets have short labels: two values, how many there are, and "
        f"the number of the set. `{where}` lists the values.",
    )


def _plain(cost: Cost | None) -> int | float | None:
    return cost if cost is None or isinstance(cost, int) else float(cost)
