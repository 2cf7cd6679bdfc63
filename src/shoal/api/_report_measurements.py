"""Measures a release part by part for its report; what could not be measured is kept with the reason."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.api.attack import attack
from shoal.api.risk import risk
from shoal.auditor import Audited
from shoal.auditor.measure.leaks import leaks
from shoal.auditor.original.comparison import comparison
from shoal.auditor.risk import RiskReport
from shoal.auditor.utility import utility
from shoal.engines.connection import engine_for
from shoal.engines.duckdb.file import file_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError, ShoalError
from shoal.ledger import Ledger
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.table_source import TableSource
from shoal.model.version import version
from shoal.pipeline.audit import audit_by_policy
from shoal.privacy import model_of
from shoal.reports.facts import Gathered
from shoal.reports.page import ATTACK
from shoal.reports.verdict import MODELS, PERSONS, PERSONS_AT_RISK


@dataclass(frozen=True, kw_only=True, eq=False)
class Companions:
    """What is given besides a release: what it was made from, what an attacker may have, what is known.

    Parameters
    ----------
    original, external, match, key, earlier, threshold, population_size, explanation
        As in `report`.
    """

    original: Any = None
    external: Any = None
    match: Mapping[str, str] | None = None
    earlier: Sequence[Any] = ()
    key: str | None = None
    threshold: float | None = None
    population_size: int | None = None
    explanation: Any = None

    def risk(self, source: Any, policy: Policy, engine: SqlEngine) -> RiskReport:
        """The risk in the release, or in the original."""
        if self.population_size is not None:  # who says how many people there are needs no weights for it
            policy = replace(policy, survey_weight=None)
        known = {"threshold": self.threshold, "population_size": self.population_size}
        return risk(source, policy=policy, engine=engine, **known)  # type: ignore[arg-type]


class Measuring:
    """Measures a release part by part, and keeps what could not be measured and why."""

    def __init__(
        self, policy: Policy, manifest: Mapping[str, Any] | None, *, demanded: bool, held: bool = True
    ) -> None:
        self._policy = policy
        self._manifest = manifest
        self._demanded = demanded
        self._held = held
        self._missing: dict[str, str] = {}

    def gathered(self, engine: SqlEngine, source: Any, beside: Companions) -> Gathered:
        """Everything that can be measured of a release, with an original or without."""
        explanation = beside.explanation
        columns = engine.columns(source)
        policy = self._measurable(columns)
        audited = self._audited(engine, source, policy, beside)
        names = [each.name for each in policy.quasi_identifiers]
        before = None if beside.original is None else self._original(engine, source, policy, beside)
        if before is not None:  # which kept columns tell what was recoded, only the original shows
            audited = replace(audited, leaks=before.pop("leaks"))
        if before is None:
            self._missing |= _WITHOUT_ORIGINAL
        ledger = None if self._policy.ledger is None else _ledger(self._policy.ledger)
        if ledger is None:
            self._missing["ledger"] = (
                "No policy names a ledger, so it is not known what was released of these people before."
            )
        return Gathered(
            shoal=version(),
            title="",
            date="",
            policy=self._policy,
            demanded=self._demanded,
            release=_table(engine, source, audited.verdict.measured.rows, names),
            manifest=self._manifest,
            audit=audited.to_dict(),
            risk_after=beside.risk(source, policy, engine).to_dict(),
            attacks=self._attacks(engine, source, policy, beside),
            explain=None if explanation is None else explanation.to_dict(),
            ledger=ledger,
            missing=self._missing,
            unmeasured_demands=tuple(name for name in (PERSONS, MODELS) if name in self._missing),
            **(before or {}),
        )

    def _audited(self, engine: SqlEngine, source: Any, policy: Policy, beside: Companions) -> Audited:
        """The audit; with the persons whose column was dropped, if the original tells them."""
        asked = {"k": policy.k if self._demanded else None, "lenient": True, "manifest": self._held}
        if PERSONS in self._missing:
            known = self._policy.source if beside.original is None else beside.original
            counted = replace(policy, entity=self._policy.entity, source=known)
            found = audit_by_policy(engine, source, counted, **asked)  # type: ignore[arg-type]
            if not found.verdict.unmeasured:
                del self._missing[PERSONS]
                self._missing[PERSONS_AT_RISK] = (
                    "The column that tells persons apart is not in the release, so risks and attacks are of "
                    "rows. k of persons was counted in the original, whose rows were paired with these."
                )
                return found
        return audit_by_policy(engine, source, policy, **asked)  # type: ignore[arg-type]

    def _measurable(self, columns: Sequence[str]) -> Policy:
        """The policy as far as a release tells of it; what it does not is said to be missing."""
        policy = self._policy
        lost = [
            each.name
            for each in policy.attributes
            if each.role is Role.SENSITIVE and each.name not in columns
        ]
        if lost:
            kept = tuple(each for each in policy.attributes if each.name not in lost)
            policy = replace(policy, attributes=kept)
            self._missing["sensitive columns"] = f"Not in the release: {', '.join(lost)}."
        stated = [model_of(each) for each in policy.models]
        weight = policy.survey_weight if policy.survey_weight in columns else None
        told = [
            each
            for each in stated
            if (weight is not None or not each.needs_population) and {*each.columns} <= {*columns}
        ]
        if len(told) < len(stated):
            self._missing[MODELS] = (
                "What they look at is not in the release: the population, or a column that was dropped. The "
                "manifest has what was measured when the release was made."
            )
        entity = policy.entity if policy.entity in columns else None
        if entity != policy.entity:
            self._missing[PERSONS] = (
                "The column that tells persons apart is not in the release, so k counts rows here. The "
                "manifest has what was measured when the release was made."
            )
        return replace(policy, models=tuple(told), entity=entity, population=None, survey_weight=weight)

    def _original(self, engine: SqlEngine, source: Any, policy: Policy, beside: Companions) -> dict[str, Any]:
        """What the original tells: initial risk, truth, losses and utility."""
        given = beside.original
        original = os.fspath(given) if isinstance(given, os.PathLike) else given
        found: dict[str, Any] = {}
        trained = policy
        if policy.class_attribute is not None and importlib.util.find_spec("sklearn") is None:
            kept = tuple(each for each in policy.attributes if each.role is not Role.CLASS)
            trained = replace(policy, attributes=kept)
            self._missing["classifier"] = "scikit-learn is not installed: pip install 'shoal[utility]'."
        with engine_for(original) as opened:
            initial = beside.risk(original, policy, opened)
            found["risk_before"] = initial.to_dict()
            found["original"] = _table(opened, original, initial.rows)
            found["leaks"] = leaks(opened, original, self._policy, released=engine.columns(source))
            for name, what, measured, asked in (
                ("comparison", "truth of the cells", comparison, policy),
                ("utility", "utility", utility, trained),
            ):
                try:
                    found[name] = measured(
                        engine, source, original, asked, key=beside.key, original_engine=opened
                    ).to_dict()
                except PolicyError as error:
                    self._missing[what] = f"It could not be measured: {error}."
        return found

    def _attacks(
        self, engine: SqlEngine, source: Any, policy: Policy, beside: Companions
    ) -> Mapping[str, Any]:
        besides: dict[str, Any] = {"original": beside.original, "external": beside.external}
        besides |= {"match": beside.match, "earlier": beside.earlier, "engine": engine}
        try:
            tried = attack(source, policy=policy, ledger=policy.ledger, **besides)
        except ShoalError as error:
            if policy.ledger is None:
                raise
            # A ledger that is broken or gone stops no other attack; what it would have told is missing.
            self._missing["earlier releases"] = f"They could not be read by the ledger: {error}."
            tried = attack(source, policy=policy, **besides)
        self._missing |= {
            f"{ATTACK}{name}": f"{why[:1].upper()}{why[1:]}." for name, why in tried.skipped.items()
        }
        return {each.name: each.to_dict() for each in tried.results}


_WITHOUT_ORIGINAL = {
    "initial risk": "The original was not given, so its risk is not known. Give it: --original FILE.",
    "truth of the cells": "The original was not given, so it is not known that cells are true of their rows.",
    "utility": "The original was not given, so there is nothing to compare the release with.",
}


def _ledger(path: Path) -> dict[str, Any]:
    """What the ledger holds, and whether its chain does."""
    try:
        entries = Ledger(path).releases
    except ShoalError as error:
        return {"holds": False, "words": f"{error}."}
    known = sum(each.counts for each in entries)
    return {
        "holds": True,
        "releases": known,
        "words": f"{known:,} release(s) are written down in {path.name}.",
    }


def named(source: Any) -> str:
    """What to call a table on a page; never where it lies."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    return source.name if isinstance(source, TableSource) else "data frame"


def _table(engine: SqlEngine, source: Any, rows: int, labelled: Sequence[str] = ()) -> dict[str, Any]:
    """Name, rows, columns with their distinct values, digest of a file; labels of a release's columns."""
    columns: dict[str, dict[str, Any]] = {}
    for name in engine.columns(source):
        if name not in labelled:
            columns[name] = {"distinct": engine.sample(source, name, 1).distinct}
            continue
        cells = engine.cells(source, [name])
        times = np.bincount(cells.column(name), cells.counts, len(cells.texts(name)))
        pairs = zip(cells.texts(name), times.tolist(), strict=True)
        found = [(text, count) for text, count in pairs if count]
        columns[name] = {
            "distinct": sum(text not in (SUPPRESSED, None, "") for text, _ in found),
            "labels": [{"label": text, "share": count / rows} for text, count in found],
            "suppressed": sum(count for text, count in found if text == SUPPRESSED) / rows,
        }
    is_file = isinstance(source, str | os.PathLike) and Path(source).is_file()
    return {
        "name": named(source),
        "rows": rows,
        "columns": columns,
        "digest": file_digest(Path(source)) if is_file else None,
    }
