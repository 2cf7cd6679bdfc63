"""`shoal.anonymize`: release a table by a policy."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any, Unpack

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api._policy_arguments import stated_policy, with_policy_arguments
from shoal.api._progress import shown
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import LeakWarning, PolicyError, ShoalWarning
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.keys import POLICY_ARGUMENTS
from shoal.model.policy.policy import Policy
from shoal.model.policy.typed_arguments import PolicyArguments
from shoal.model.result.coded_warning import LEAK_CODES
from shoal.model.table.table_source import release_place
from shoal.pipeline.certificate.request import CertificateRequest
from shoal.pipeline.release import Release
from shoal.pipeline.run import run
from shoal.pipeline.source import source_of


@door
@alongside_policy(
    *(
        "path",
        "ledger",
        "extend",
        "require_optimal",
        "strict",
        "progress",
        "on_progress",
        "engine",
        "order",
        "key_file",
    ),
    *("certificate", "check", "replace"),
)
@with_policy_arguments(POLICY_ARGUMENTS)
def anonymize(
    source: Any = None,
    policy: Policy | str | Path | None = None,
    *,
    table: str | None = None,
    require_optimal: bool = False,
    progress: bool | None = None,
    on_progress: ProgressCallback | None = None,
    engine: SqlEngine | None = None,
    key_file: str | Path | None = None,
    certificate: str | Path | None = None,
    check: bool | str | Path = False,
    replace: bool = False,
    **values: Unpack[PolicyArguments],
) -> Release:
    """Release a table so that every row hides among at least k - 1 others, at the least loss of detail.

    Nothing is published unless the audit of what was written holds. Ctrl-C ends the search, not the call: the
    best recoding so far is released, and `release.result.interrupted` is set.

    Parameters
    ----------
    source
        A file, a pattern like `stays-*.csv`, a `FileSource` or a folder of Parquet files; a pandas, polars,
        pyarrow or Ibis table, a relation of DuckDB, a data frame of Spark; with `table` the URL of a database
        or an open connection to it; the policy's own source when absent.
    table
        The table behind a connection, with its schema if it needs one.
    policy
        A whole policy, or its file, in place of the arguments below. Only `path`, `ledger`, `extend`,
        `strict`, `order` and the arguments above may be given with it.
    require_optimal
        Raise `NotProvedError` unless the release is proved optimal.
    progress
        Whether to show a line with the progress of the search. By default it is shown on a terminal and in a
        notebook, unless `on_progress` is given.
    on_progress
        Called with a `Progress` now and then while the search runs.
    engine
        An engine with other limits than the default, as in `DuckDB(memory="4GB")`, for files and data frames.
    key_file
        A file with a secret key of at least 16 bytes, for pseudonyms, noise and the order of rows: the same
        key, policy and data give the same release. Without it, the key is that of the environment variable
        SHOAL_KEY, or else a fresh one that nobody has.
    certificate
        A file for the certificate: the proof of the release's bound, for `shoal.check`. It tells of the
        private table and is readable by its owner alone. Packed if its name ends with .gz.
    check
        Let the independent checker verify the certificate and the written release before the release gets its
        name. It reads the policy's file: the one that `policy` names, or this one.
    replace
        Replace a file at `path` that is not a release of Shoal. An earlier release, with its manifest next to
        it, is replaced in any case; a folder or a table that is no release never is.

    Examples
    --------
    >>> release = shoal.anonymize(
    ...     "stays.csv",
    ...     quasi_identifiers=["age", "sex", "zip", "quarter"],
    ...     identifiers=["patient"],
    ...     sensitive=["diagnosis"],
    ...     k=5,
    ...     path="release.csv",
    ... )
    >>> print(release)  # in a notebook, `release` alone shows a card

    A data frame gives a data frame, `release.data`; a policy file states everything at once:

    >>> release = shoal.anonymize(policy="stays.toml")
    """
    request = _request(certificate, check, policy)
    policy = stated_policy(policy, values, POLICY_ARGUMENTS)
    source = source_of(source, table, policy, described=True)
    path, ledger, extend = values.get("path"), values.get("ledger"), values.get("extend")
    if path is not None:
        policy = dataclasses.replace(policy, release=release_place(path, source))
    if ledger is not None:
        policy = dataclasses.replace(policy, ledger=Path(ledger))
    if extend is not None:
        policy = dataclasses.replace(policy, extend=Path(extend))
    if values.get("strict"):
        policy = dataclasses.replace(policy, strict=True)
    if values.get("order") is not None:
        policy = dataclasses.replace(policy, order=values["order"])
    with (
        using(engine, source, threads=policy.threads) as opened,
        shown(progress, on_progress, policy.cost) as watch,
    ):
        released = run(
            source,
            policy,
            engine=opened,
            require_optimal=require_optimal,
            on_progress=watch,
            key_file=key_file,
            certificate=request,
            replace=replace,
        )
    for warning in released.warnings:
        category = LeakWarning if warning.code in LEAK_CODES else ShoalWarning
        warnings.warn(warning, category, stacklevel=4)  # past the decorators
    return released


def _request(
    certificate: str | Path | None, check: bool | str | Path, policy: Policy | str | Path | None
) -> CertificateRequest | None:
    if certificate is None:
        if check:
            raise PolicyError("check looks at a certificate; say where to write it: certificate=FILE")
        return None
    if check is False:
        return CertificateRequest(path=Path(certificate))
    named = policy if check is True else check
    if not isinstance(named, str | Path):
        raise PolicyError("the checker reads the policy's file; write the policy to a file, and name it")
    return CertificateRequest(path=Path(certificate), policy_file=Path(named))
