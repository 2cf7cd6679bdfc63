"""What was opened becomes a release in the ordinary way: staged, audited as written, named with its manifest.

The manifest says by whom the rows were collected, and what each party has learned.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.files.private_folder import PrivateFolder
from shoal.joint.collect.terms import Terms

if TYPE_CHECKING:
    from shoal.pipeline.release import Release


def published(
    terms: Terms, rows: Sequence[Sequence[str]], path: Path, notes: Sequence[str], *, replace: bool = False
) -> Release:
    """Release collected rows.

    Parameters
    ----------
    terms
        The collection.
    rows
        The rows that were opened.
    path
        The file to write.
    notes
        What the manifest says of how they came.
    replace
        Whether a file that is no release of Shoal may be replaced.
    """
    # Imported here: customers, helpers and the relay need no DuckDB.
    from shoal.engines.duckdb.engine import DuckDB
    from shoal.model.policy.attribute import Attribute, Role
    from shoal.model.policy.policy import Policy
    from shoal.pipeline.run import run

    attributes = [
        *(
            Attribute(name=each, role=Role.QUASI_IDENTIFIER, type="category", order="sorted", missing=())
            for each in terms.quasi_identifiers
        ),
        *(Attribute(name=each, role=Role.SENSITIVE) for each in terms.others),
    ]
    policy = Policy(
        attributes=tuple(attributes),
        k=terms.k,
        algorithm="suppress-rows",
        cost="suppressed-rows",
        release=path,
    )
    with PrivateFolder(None) as folder, DuckDB() as engine:
        source = folder.path / "collected.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(terms.columns)
            writer.writerows(rows)
        return run(source, policy, engine=engine, replace=replace, notes=tuple(notes))
