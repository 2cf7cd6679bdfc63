"""Measures a release next to the one that it extends, from their files and registers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.auditor.measure.models import ModelVerdict
from shoal.auditor.versions.measured import alike_words, audit_versions
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.result.version_words import TOGETHER
from shoal.model.table.file_source import file_of
from shoal.pipeline.demands import models_of
from shoal.pipeline.extending.previous import Previous, previous_release
from shoal.pipeline.extending.request import stated_models
from shoal.privacy import model_of


def versions_measured(
    engine: SqlEngine, source: Any, against: Path, policy: Policy, k: int | None
) -> tuple[ModelVerdict, ...]:
    """What a release and the one that it extends reveal together.

    Parameters
    ----------
    engine, source
        The release.
    against
        The release that it extends.
    policy
        The models that are demanded, in addition to those of the release.
    k
        The k that is demanded; that of the release if it is `None`.
    """
    new, old = _both(source, against)
    demanded = models_of(policy)
    stated = stated_models(demanded)
    kept = [model_of(each) for each in new.register.models if each not in stated]
    return audit_versions(
        engine,
        new.path,
        old.path,
        register=new.register,
        previous=old.register,
        k=new.register.k if k is None else k,
        models=(*demanded, *kept),
    )


def why_not_compared(source: Any, against: Path) -> str | None:
    """Why a release and the one that it extends cannot be compared, in words; `None` if they can.

    Parameters
    ----------
    source, against
        The release, and the one that it extends.
    """
    try:
        _both(source, against)
    except (PolicyError, EngineError) as error:
        return str(error)
    return None


def _both(source: Any, against: Path) -> tuple[Previous, Previous]:
    path = file_of(source)
    if path is None:
        raise PolicyError("against compares a release's file with the one that it extends; name the file")
    return previous_release(path), previous_release(against)


def versions_unmeasured(k: int, why: str) -> tuple[ModelVerdict, ...]:
    """The verdict on versions that cannot be compared.

    Parameters
    ----------
    k
        The k that is demanded.
    why
        What is missing, and the way out.
    """
    return (
        ModelVerdict(
            key=TOGETHER,
            demand=alike_words(k),
            measured=None,
            holds=False,
            groups_failing=0,
            rows_failing=0,
            unmeasured=why,
        ),
    )
