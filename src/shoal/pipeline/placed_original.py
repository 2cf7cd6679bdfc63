"""An original whose points are cells already, for what compares it with its release."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.engines.connection import engine_for
from shoal.engines.sql.table import FrameTable
from shoal.files.private_folder import PrivateFolder
from shoal.model.policy.policy import Policy
from shoal.pipeline.placing import placed


@contextmanager
def placed_original(original: Any, policy: Policy | None) -> Iterator[tuple[Any, Policy | None]]:
    """The original and the policy, as they are for as long as the `with` statement lasts.

    A table with points or times becomes a frame, or a private file that is removed at the end, with one
    column of finest cells or slots for each; the policy gets their hierarchies. Others stay as they are.

    Parameters
    ----------
    original
        The original, if it is given.
    policy
        The policy, if there is one.
    """
    if original is None or policy is None or not policy.unmade:
        yield original, policy
        return
    with PrivateFolder(None) as folder, engine_for(original) as engine:
        table, made = placed(engine, original, policy)
        if isinstance(table, FrameTable):
            yield table.frame.native, made
            return
        named = isinstance(original, str | os.PathLike)
        target = folder.path / f"{Path(original).stem if named else 'original'}.parquet"
        engine.store(table, target)
        yield target, made
