"""The writing site's last hop: a joined table of own cells and stand-ins takes the ordinary road.

It is counted, recoded as both sites agreed, written to a staged file, audited on the written bytes, and only
then named. Nothing here writes a file by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._base import Algorithm
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import InternalError, PolicyError
from shoal.joint.two_party.shuffle import secret_order
from shoal.joint.two_party.site import Site
from shoal.model.policy.policy import Policy
from shoal.model.table.new_cells import NewCells
from shoal.pipeline.draft import Draft, draft
from shoal.pipeline.plan import plan
from shoal.pipeline.publish import publish
from shoal.pipeline.release import Release
from shoal.pipeline.source import inputs_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Joined:
    """What the writing site publishes.

    Parameters
    ----------
    new
        Cells of the joined table in place of own ones, or in addition, by row of the site's file.
    order
        Per released row the row of the site's file.
    algorithm
        Returns the recoding that was agreed on.
    domains
        Per quasi-identifier the number of values that the joined table must have, and their kind; none where
        the hierarchy alone decides what is printed.
    remarks
        For the manifest: what the sites learned.
    """

    new: Mapping[str, NewCells]
    order: NDArray[np.int64]
    algorithm: Algorithm
    domains: Mapping[str, tuple[int, str]]
    remarks: tuple[str, ...]


def place_of(policy: Policy) -> Path:
    """The file to write; `PolicyError` if the policy names none."""
    if not isinstance(policy.release, Path):
        raise PolicyError("say which file the first site writes: --output FILE, or [release] path")
    return policy.release


def check_place(engine: SqlEngine, policy: Policy, source: Path) -> None:
    """Raise before any work if the release could not be written."""
    engine.staging(place_of(policy), inputs_of(policy, source))


def published(engine: SqlEngine, table: Any, site: Site, source: Path, joined: Joined) -> Release:
    """Write, audit and name the release of the joined table.

    Parameters
    ----------
    engine, table, source
        The writing site's table, as the engine opened it, and its file.
    site
        The same, as it was read.
    joined
        What to publish.
    """
    policy = site.policy
    staged = engine.staging(place_of(policy), inputs_of(policy, source))
    together = engine.treated(table, joined.new, joined.order)
    made = draft(engine, together, plan(policy, joined.algorithm))
    _check_domains(made, joined.domains)
    # Of what this site read: a digest of the other's columns would let their cells be tried.
    made = replace(made, source_digest=site.digest, remarks=joined.remarks)
    return publish(engine, together, made, staged, None)


def row_order(rows: int, *, shuffled: bool) -> NDArray[np.int64]:
    """The order of released rows: as in the file, or a secret random one."""
    return secret_order(rows) if shuffled else np.arange(rows, dtype=np.int64)


def _check_domains(made: Draft, expected: Mapping[str, tuple[int, str]]) -> None:
    """Raise if a column of the joined table was read differently from what its site read."""
    for domain in made.problem.table.domains:
        size, kind = expected.get(domain.name, (len(domain), domain.kind))
        if domain.kind != kind:
            raise PolicyError(
                f"column {domain.name!r}: its site reads it as {kind}, the first site as {domain.kind}; "
                "state its type in the policy"
            )
        if len(domain) != size:
            raise InternalError(f"column {domain.name!r} of the joined table has other values than agreed")
