"""Has the auditor check the treated columns of a release in the making, or of one with a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.auditor.original.paired_rows import PairedRows
from shoal.auditor.original.pairing import NOBODY
from shoal.auditor.original.row_pairs import row_pairs
from shoal.auditor.treated.check import failures_alone, failures_next_to_original
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import AuditError
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.policy import Policy
from shoal.model.policy.stated_treatment import DROP
from shoal.pipeline.treating import treatment_hierarchies

if TYPE_CHECKING:
    from shoal.pipeline.draft import Draft


def check_treatments(engine: SqlEngine, written: Any, draft: Draft) -> None:
    """Raise `AuditError` unless the written columns are what the manifest will say that they are.

    Parameters
    ----------
    engine, written
        What was written.
    draft
        What it should be.
    """
    treated, facts = draft.treated, draft.treatment_facts
    if treated is None:
        failures = failures_alone(engine, written, facts)
    else:
        masks = draft.policy.suppressed == "mask"
        kept = engine.kept_rows(treated.table, draft.counted, draft.application)
        failures = failures_next_to_original(
            engine,
            written,
            treated.original_rows(engine),
            treated.order if masks else treated.order[kept],
            facts,
            ~kept if masks else None,
            treatment_hierarchies(draft.policy),
            _attributes(draft.policy),
        )
    if failures:
        raise AuditError(
            f"the audit refused the release: {'. Also '.join(failures.values())}. Nothing was published"
        )


def untreated_columns(
    engine: SqlEngine,
    release: Any,
    other: SqlEngine,
    original: Any,
    paired: PairedRows,
    treatments: Mapping[str, Mapping[str, Any]],
    policy: Policy,
) -> dict[str, str]:
    """What is wrong with the treated columns of a release, next to its original: column -> words.

    Parameters
    ----------
    engine, release, other, original
        Both tables, each in its engine.
    paired
        Which row is which.
    treatments
        What the manifest says about each column.
    policy
        The policy; it has the hierarchies.
    """
    columns = other.columns(original)
    shown = {name: each for name, each in treatments.items() if each["name"] != DROP}
    needed = [*shown, *(str(each["by"]) for each in shown.values() if "by" in each)]
    if not shown or not paired.ordered or not {*needed} <= {*columns}:
        return failures_alone(engine, release, treatments)
    # A suppressed row is silent, and has no known cell that could be wrong; of a row that may be one of
    # several nothing is known.
    certain = row_pairs(paired).certain[paired.pairs] & (paired.pairs != NOBODY)
    rows = np.where(certain & ~paired.tables.silent, paired.pairs, NOBODY)
    return failures_next_to_original(
        engine,
        release,
        other.rows(original, list(dict.fromkeys(needed))),
        rows,
        treatments,
        hierarchies=treatment_hierarchies(policy),
        attributes=_attributes(policy),
    )


def _attributes(policy: Policy) -> dict[str, Attribute]:
    return {each.name: each for each in policy.attributes}
