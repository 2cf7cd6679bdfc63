"""Re-measures a release from what was written.

This package never imports the algorithms, the core or a recoding: the auditor must not share their mistakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.auditor.histories import audit_histories
from shoal.auditor.histories.linked_models import linked_verdicts
from shoal.auditor.measure.any_table import AuditRequest, audit_table, check_columns
from shoal.auditor.measure.audited import Audited
from shoal.auditor.measure.measures import Examines, Measures
from shoal.auditor.measure.models import ModelVerdict, model_verdicts
from shoal.auditor.measure.recoding_model import model_failure
from shoal.auditor.measure.verdict import Expected, Verdict, weakest
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.privacy import PrivacyModel


def audit(
    engine: Examines,
    source: Any,
    quasi_identifiers: Sequence[str],
    k: int,
    *,
    models: Sequence[PrivacyModel] = (),
    evidence: Evidence | None = None,
    known: Any = None,
    wildcards: bool = False,
    dropped: Sequence[str] = (),
    promise: Promise | None = None,
) -> Verdict:
    """Measure any table, and compare it with k and the other demands.

    Parameters
    ----------
    engine
        Where to measure.
    source
        The table as it was written.
    quasi_identifiers
        The columns that make the groups.
    k
        Least size of a group.
    models
        Further demands.
    evidence
        The columns that the models examine.
    known
        What the engine knows about a release in addition to its cells: the source's distributions, dropped
        columns, the population. Without it the distributions are the table's own.
    wildcards
        Whether k is demanded with suppressed cells read as wildcards; groups are measured
        anyway.
    dropped
        The columns that the release does not have; the engine still knows whose rows are written.
    promise
        What is promised about linkable rows: models then look at persons who cannot be distinguished.
    """
    examined = Evidence() if evidence is None else evidence
    columns = engine.columns(source)
    check_columns(columns, quasi_identifiers)
    measured = engine.measure(source, quasi_identifiers, k)
    verdicts: tuple[ModelVerdict, ...] = ()
    if models:
        groups = engine.measure_people(source, quasi_identifiers, examined, known)
        if known is None:
            for model in models:
                model.check(groups.people)
        verdicts = tuple(
            replace(verdict, where=_BY_DROPPED) if {*model.columns} & {*dropped} else verdict
            for model, verdict in zip(models, model_verdicts(models, groups), strict=True)
        )
        if promise is not None:
            verdicts = linked_verdicts(
                engine, source, quasi_identifiers, promise, models, verdicts, groups.people, examined
            )
    return Verdict(
        quasi_identifiers=tuple(quasi_identifiers),
        columns=columns,
        demanded=k,
        measured=measured,
        models=verdicts,
        wildcards=engine.measure_wildcards(source, quasi_identifiers, k) if wildcards else None,
    )


_BY_DROPPED = "persons counted by the column that was dropped, row by row as written"

__all__ = [
    "AuditRequest",
    "Audited",
    "Expected",
    "Measures",
    "ModelVerdict",
    "Verdict",
    "audit",
    "audit_histories",
    "audit_table",
    "model_failure",
    "weakest",
]
