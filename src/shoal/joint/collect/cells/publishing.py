"""Rows that came with stars become a release: staged, audited as written, named with their manifest.

There is no source to recode: the rows are released as the customers sent them. A row whose part has become
too small, because others of it did not answer, is left out.
"""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from shoal.errors import InfeasibleError
from shoal.formatting.numbers import counted
from shoal.joint.collect.row_text import STAR, joined
from shoal.joint.collect.terms import Terms
from shoal.model.result.manifest import Manifest
from shoal.model.version import version

Row = tuple[str, ...]


def published_cells(
    terms: Terms,
    rows: Sequence[Row],
    path: Path,
    notes: Sequence[str],
    *,
    bound: int | None,
    replace: bool = False,
) -> Manifest:
    """Release rows with stars.

    Parameters
    ----------
    terms
        The collection.
    rows
        The rows that came.
    path
        The file to write.
    notes
        What the manifest says of how they came.
    bound
        The fewest stars that any release of these rows has; `None` if some are missing.
    replace
        Whether a file that is no release of Shoal may be replaced.
    """
    # Imported here: customers, helpers and the relay need no DuckDB.
    from shoal.auditor import Expected, audit
    from shoal.engines.duckdb.engine import DuckDB

    names = terms.quasi_identifiers
    kept = _kept(terms, rows)
    sizes = Counter(row[: len(names)] for row in kept)
    only_stars = sizes.pop((STAR,) * len(names), 0)
    with DuckDB() as engine, engine.staging(path, {}, replace=replace) as staged:
        _write(staged.place, terms.columns, kept)
        digest = staged.settle()
        verdict = audit(engine, staged.place, names, terms.k)
        verdict.check(
            Expected(
                columns=terms.columns,
                rows=len(kept),
                suppressed=only_stars,
                groups=len(sizes),
                smallest=min(sizes.values(), default=None),
            )
        )
        manifest = _manifest(terms, rows, kept, notes, bound, digest, verdict.measured.groups, verdict.audit)
        staged.publish(manifest.to_json())
    return manifest


def _kept(terms: Terms, rows: Sequence[Row]) -> list[Row]:
    """The rows that have k like them, in the order of their values."""
    names = len(terms.quasi_identifiers)
    sizes = Counter(row[:names] for row in rows)
    kept = sorted(row for row in rows if sizes[row[:names]] >= terms.k)
    if all(cell == STAR for row in kept for cell in row[:names]):
        raise InfeasibleError(
            f"of {counted(len(rows), 'row')} nothing but stars could be released with k = {terms.k}. Nothing "
            "was written; collect with a smaller k, or ask for coarser values",
            k=terms.k,
            limit=0,
            suppressed=len(rows),
        )
    return kept


def _write(place: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _manifest(
    terms: Terms,
    rows: Sequence[Row],
    kept: Sequence[Row],
    notes: Sequence[str],
    bound: int | None,
    digest: str | None,
    groups: int,
    audit: dict[str, object],
) -> Manifest:
    names = terms.quasi_identifiers
    cost = sum(cell == STAR for row in kept for cell in row[: len(names)])
    labels = {name: sorted({row[place] for row in kept} - {STAR}) for place, name in enumerate(names)}
    starred = [name for place, name in enumerate(names) if any(row[place] == STAR for row in kept)]
    whole = bound if len(rows) == len(kept) else None
    return Manifest(
        shoal=version(),
        algorithm="meyerson-williams",
        cost_metric="suppressed-cells",
        k=terms.k,
        rows=len(rows),
        suppressed=len(rows) - len(kept),
        groups=groups,
        cost=cost,
        bound=whole,
        gap=None if whole is None else (cost - whole) / cost if cost else 0.0,
        status="optimal" if whole == cost else "feasible",
        seconds=0.0,
        nodes=0,
        seed=0,
        policy_digest=terms.digest,
        # Nobody has the rows without stars.
        source_digest=hashlib.sha256(b"".join(map(joined, sorted(rows)))).hexdigest(),
        release_digest=digest,
        recoding={
            name: [
                *({"label": each, "values": [each]} for each in labels[name]),
                *([{"label": STAR, "values": []}] if name in starred else []),
            ]
            for name in names
        },
        audit=audit,
        notes=(*notes, *_star_note(starred)),
        columns={
            **{name: {"role": "quasi-identifier", "type": "category"} for name in names},
            **{name: {"role": "sensitive"} for name in terms.others},
        },
    )


def _star_note(starred: Sequence[str]) -> list[str]:
    if not starred:
        return []
    listed = ", ".join(map(repr, starred))
    return [f"In {listed} the label `{STAR}` is a suppressed cell: it reveals nothing."]
