"""The facts of a release that outlive the run. Other programs read them; the fields are a contract."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from shoal.model.policy.budget import Progress
from shoal.model.result.manifest_card import manifest_card
from shoal.model.result.manifest_facts import ManifestError, json_object
from shoal.model.result.searched_kind import UNKNOWN

SUFFIX = ".manifest.json"
MOST_MOMENTS = 200
_DEEPEST = 2
"""The depth of what a recoding says of a column: a list has a line for each released value, a level none."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What was done, what it cost, what was proved, and what the audit measured.

    Parameters
    ----------
    shoal
        The version that made the release.
    algorithm, cost_metric, k, seed
        The settings of the search, with "auto" resolved.
    rows, suppressed, groups
        Rows of the source, how many of them are suppressed, and the groups of the others.
    cost, bound, gap, status, seconds, nodes
        The answer of the search.
    policy_digest, source_digest, release_digest
        SHA-256 of the policy, of the source and of the bytes that were written; the last shows whether a file
        is the one that this manifest describes. It is `None` for a data frame.
    recoding
        Attribute -> its released values in order, each with the label and the values it represents; or its
        level.
    audit
        Model -> measured value, and `holds`.
    model
        The recoding model of the taxonomy that the policy requires and the audit confirmed.
    truthful
        Whether every cell is true of its own row; false where values are replaced by those of a group, or by
        a treatment such as noise.
    notes
        How to read the release, in sentences, where its cells do not explain themselves.
    trace
        How the search went: moments at which the best cost or the bound changed, each with `seconds`, `cost`,
        `bound` and `nodes`. For a long search, the last one and others at even distances.
    orders
        Attribute -> where the order of its categories comes from, in words; only attributes of categories.
    warnings
        What the user should check, each with `code`, `columns` and `message`; no cell is quoted.
    choice
        What `auto` chose and why: the `kind` of release, the `reason`, and the searches that were `tried`,
        each with `algorithm`, `status`, `cost` and `bound`. `None` where the policy names the algorithm.
    columns
        Released column -> how to read it: its `role` and, for a quasi-identifier, the `type` of its values
        and what else `shoal.read` needs.
    treatments
        Column that is not a quasi-identifier -> what was done to it: `name`, its options, `truthful`, how
        many cells `changed`, and whether a secret `key` was "fresh" or "given". No key is among it.
    order
        "keep" if rows are in the order of the source, "shuffle" if in a secret random one.
    truthful_recoding
        Whether every quasi-identifier is true of its own row.
    reading
        How the source was read. Under `file`, if it is one, what was stated or found about it; under
        `columns`, for each quasi-identifier: its `type`, the `format` of its
        numbers or dates, `missing` markers with their rows, and how that was `decided`.
    phases
        What each phase of the run took, in seconds: "count", "search", "write" and "audit".
    promise
        What is promised about people: `unit`, `column`, `known_events`, `order`, `rows_linkable`, `k`, and
        the promise as a `sentence`. `None` where every row is a person of its own.
    certificate
        The certificate that was written with the release: its `digest`, its `kind`, the `nodes` of its proof,
        and whether an independent checker `verified` it before the release got its name.
    versions
        Of a release that can be extended: its `version`, the column that is its `row_key`, the digest of its
        `register`; and of one that extends another: what it `extends`, and how many rows `stay`, `joined`,
        `left`, are `waiting` and were `withdrawn`, and what the `audit` of all versions together measured.
        `None` for any other.
    joint
        Of a release of several holders: the `run`, the `holders`, `desk` and `recipient`, whether `insider`
        was demanded, what each party `learns`, what is `assumed`, and the digests of the `transcripts`.
        `None` for any other.
    kind
        The kind of recodings that `optimal`, `bound` and `gap` refer to, as text. It is not written.
    """

    shoal: str
    algorithm: str
    cost_metric: str
    k: int
    rows: int
    suppressed: int
    groups: int
    cost: int | float | None
    bound: int | float | None
    gap: float | None
    status: str
    seconds: float
    nodes: int
    seed: int
    policy_digest: str
    source_digest: str
    release_digest: str | None
    recoding: Mapping[str, Any]
    audit: Mapping[str, object]
    model: str | None = None
    truthful: bool = True
    notes: tuple[str, ...] = ()
    trace: tuple[Mapping[str, object], ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    orders: Mapping[str, str] = field(default_factory=dict)
    choice: Mapping[str, object] | None = None
    columns: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    treatments: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    order: str = "keep"
    truthful_recoding: bool = True
    reading: Mapping[str, object] = field(default_factory=dict)
    promise: Mapping[str, object] | None = None
    certificate: Mapping[str, object] | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, object] | None = None
    joint: Mapping[str, object] | None = None

    kind: str = UNKNOWN

    def to_json(self) -> str:
        """The manifest as written to a file, with a final line end."""
        facts = asdict(self)
        del facts["kind"]  # a reader looks it up by the name of the algorithm
        return laid_out(facts) + "\n"

    def _repr_html_(self) -> str:
        return manifest_card(self).html()


def laid_out(value: object, depth: int = 0) -> str:
    """JSON with a line for each field, released value, moment and warning.

    What is within these is not divided: with a line for each value a manifest would be several times as large
    as its source.
    """
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        opened, closed = "{", "}"
        lines = [f"{_in_line(name)}: {laid_out(each, depth + 1)}" for name, each in value.items()]
    elif isinstance(value, list | tuple) and value:
        opened, closed = "[", "]"
        lines = [_in_line(each) for each in value]
    else:
        return _in_line(value)
    indent = "  " * (depth + 1)
    return f"{opened}\n{indent}" + f",\n{indent}".join(lines) + f"\n{'  ' * depth}{closed}"


def _in_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def shortened(trace: Sequence[Progress]) -> tuple[Mapping[str, object], ...]:
    """A trace in the form that a manifest has."""
    step = max(1, -(-len(trace) // MOST_MOMENTS))
    kept = sorted({*range(0, len(trace), step), *range(len(trace))[-1:]})
    return tuple(
        {
            "seconds": round(trace[each].seconds, 3),
            "cost": _finite(trace[each].cost),
            "bound": _finite(trace[each].bound),
            "nodes": trace[each].nodes,
        }
        for each in kept
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def is_manifest(text: str | None) -> bool:
    """Whether a text is a manifest: the file next to it is then a release, and another may replace it."""
    try:
        facts = json_object(text or "")
    except ManifestError:
        return False
    return {"shoal", "policy_digest", "recoding", "audit"} <= facts.keys()


def manifest_path(release: Path) -> Path:
    """The path of a release's manifest."""
    return release.parent / f"{release.name}{SUFFIX}"
