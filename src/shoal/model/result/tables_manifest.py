"""The facts of a release of several tables that outlive the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal.model.result.manifest import laid_out
from shoal.model.result.manifest_facts import ManifestError, json_object


@dataclass(frozen=True, kw_only=True)
class TablesManifest:
    """What was released in each table, what is promised across them, and what the audit measured.

    Parameters
    ----------
    shoal
        The version that made the release.
    k, promise
        How many persons share the same rows in all tables, and what that means, as in a `Manifest`.
    persons, released_persons
        Persons in the source, and those with at least one released row.
    rows, suppressed
        Rows of all tables together, and how many are not released.
    algorithm, cost_metric, cost, bound, gap, status, seconds, nodes, seed
        The search: the cost is the mean over the cells of all tables.
    policy_digest, release_digest
        SHA-256 of the policy, and of the names and bytes of the written files; `None` for data frames.
    tables
        Table -> its `file`, `rows`, `suppressed` rows, `cost`, `key`, `parent`, `parent_key`, further columns
        that it `repeats` keys in, the roles of its `columns`, `treatments`, and `source_digest`.
    recoding
        Table -> what a `Manifest` says of its recoding.
    audit
        What was measured in what was written: `holds`, the fewest `persons-sharing` their rows in all tables,
        `persons-alone`, `groups`, `keys-hold`, and for each table by itself the fewest persons `per-table`.
    notes
        How to read the release, in sentences.
    warnings
        What the user should check, as in a `Manifest`.
    phases
        What each phase of the run took, as in a `Manifest`.
    """

    shoal: str
    k: int
    promise: Mapping[str, object]
    persons: int
    released_persons: int
    rows: int
    suppressed: int
    algorithm: str
    cost_metric: str
    cost: float
    bound: float | None
    gap: float | None
    status: str
    seconds: float
    nodes: int
    seed: int
    policy_digest: str
    release_digest: str | None
    tables: Mapping[str, Mapping[str, Any]]
    recoding: Mapping[str, Mapping[str, Any]]
    audit: Mapping[str, object]
    notes: tuple[str, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> str:
        """The manifest as written to a file, with a final line end."""
        return laid_out(asdict(self)) + "\n"


def tables_facts(text: str) -> dict[str, Any] | None:
    """The facts of a manifest of several tables; `None` if a text is none."""
    try:
        facts = json_object(text)
    except ManifestError:
        return None
    named = isinstance(facts.get("tables"), dict) and isinstance(facts.get("promise"), dict)
    return facts if named and {"shoal", "k", "policy_digest", "recoding", "audit"} <= facts.keys() else None
