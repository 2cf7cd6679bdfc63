"""Measures a release part by part for its report; what could not be measured is kept with the reason."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.api.attack import attack
from shoal.api.risk import risk
from shoal.auditor import Audited
from shoal.auditor.measure.leaks import leaks
from shoal.auditor.original.comparison import comparison
from shoal.auditor.risk import RiskReport
from shoal.auditor.risk.hidden_persons import hidden_by_rows
from shoal.auditor.utility import utility
from shoal.engines.connection import engine_for
from shoal.engines.duckdb.file import file_digest
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError, ShoalError
from shoal.ledger import Ledger
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.file_source import FileSource
from shoal.model.table.table_source import TableSource
from shoal.model.version import version
from shoal.pipeline.audit import audit_by_policy
from shoal.pipeline.cell_map import mapped, places_of
from shoal.pipeline.check_manifest import sets_of
from shoal.pipeline.extending.measured import why_not_compared
from shoal.pipeline.opened import refuse_subset
from shoal.privacy import model_of
from shoal.reports.facts import Gathered
from shoal.reports.page import ATTACK
from shoal.reports.verdict import MODELS, PERSONS, PERSONS_AT_RISK, VERSIONS

MOST_CELLS = 2000
"""Of a map in a report."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Companions:
    """The companions of a release: its original, tables that an attacker may have, and known facts.

    Parameters
    ----------
    original, external, match, key, earlier, threshold, population_size, explanation, raised
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
    raised: Sequence[str] = ()

    def risk(self, source: Any, policy: Policy, engine: SqlEngine) -> RiskReport:
        """The risk in the release, or in the original."""
        if self.population_size is not None:  # with the number of people, weights are not needed
            policy = replace(policy, survey_weight=None)
        known = {"threshold": self.threshold, "population_size": self.population_size}
        return risk(source, policy=policy, engine=engine, **known)  # type: ignore[arg-type]


class Measuring:
    """Measures a release part by part, and keeps what could not be measured and why."""

    def __init__(
        self,
        policy: Policy,
        manifest: Mapping[str, Any] | None,
        *,
        demanded: bool,
        check_manifest: bool = True,
    ) -> None:
        self._policy = policy
        self._manifest = manifest
        self._demanded = demanded
        self._check_manifest = check_manifest
        self._missing: dict[str, str] = {}

    def gathered(self, engine: SqlEngine, source: Any, companions: Companions) -> Gathered:
        """Everything that can be measured of a release, with an original or without."""
        explanation = companions.explanation
        columns = engine.columns(source)
        policy = self._with_versions(self._measurable(columns), source)
        audited = self._audited(engine, source, policy, companions)
        names = [quasi_identifier.name for quasi_identifier in policy.quasi_identifiers]
        before = None if companions.original is None else self._original(engine, source, policy, companions)
        if before is not None:  # only the original shows which kept columns reveal what was recoded
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
            risk_after=companions.risk(source, policy, engine).to_dict(),
            attacks=self._attacks(engine, source, policy, companions),
            maps=self._maps(engine, source),
            explain=None if explanation is None else explanation.to_dict(),
            ledger=ledger,
            raised=tuple(companions.raised),
            missing=self._missing,
            unmeasured_demands=tuple(name for name in (PERSONS, MODELS, VERSIONS) if name in self._missing),
            **(before or {}),
        )

    def _audited(self, engine: SqlEngine, source: Any, policy: Policy, companions: Companions) -> Audited:
        """The audit; with the persons whose column was dropped, if the original has them."""
        demands = {
            "k": policy.k if self._demanded else None,
            "lenient": True,
            "manifest": self._check_manifest,
        }
        if PERSONS in self._missing and self._policy.entity is not None:
            known = self._policy.source if companions.original is None else companions.original
            counted = replace(policy, entity=self._policy.entity, source=known)
            audited = audit_by_policy(engine, source, counted, **demands)  # type: ignore[arg-type]
            if not audited.verdict.unmeasured:
                del self._missing[PERSONS]
                self._missing[PERSONS_AT_RISK] = (
                    "The column that identifies persons is not in the release, so risks and attacks are of "
                    "rows. k of persons was counted in the original, whose rows were paired with these."
                )
                return audited
        return audit_by_policy(engine, source, policy, **demands)  # type: ignore[arg-type]

    def _measurable(self, columns: Sequence[str]) -> Policy:
        """The part of the policy that a release can be measured by; the rest is listed as not measured."""
        policy = self._policy
        lost = [
            attribute.name
            for attribute in policy.attributes
            if attribute.role is Role.SENSITIVE and attribute.name not in columns
        ]
        if lost:
            kept = tuple(attribute for attribute in policy.attributes if attribute.name not in lost)
            policy = replace(policy, attributes=kept)
            self._missing["sensitive columns"] = f"Not in the release: {', '.join(lost)}."
        stated = [model_of(model) for model in policy.models]
        weight = policy.survey_weight if policy.survey_weight in columns else None
        measurable = [
            model
            for model in stated
            if (weight is not None or not model.needs_population) and {*model.columns} <= {*columns}
        ]
        if len(measurable) < len(stated):
            self._missing[MODELS] = (
                "What they look at is not in the release: the population, or a column that was dropped. The "
                "manifest has what was measured when the release was made."
            )
        policy = replace(policy, models=tuple(measurable), population=None, survey_weight=weight)
        return self._with_people(policy, columns)

    def _with_versions(self, policy: Policy, source: Any) -> Policy:
        """The policy, without the release that it extends if the two cannot be compared here."""
        extended = ((self._manifest or {}).get("versions") or {}).get("extends")
        if policy.extend is None and extended is not None:
            self._missing[VERSIONS] = (
                f"The release extends {extended['release']}; a policy that names it (extend), or shoal audit "
                "--against, measures what both reveal together."
            )
        if policy.extend is None:
            return policy
        why = why_not_compared(source, policy.extend)
        if why is None:
            return policy
        self._missing[VERSIONS] = f"{why[:1].upper()}{why[1:]}."
        return replace(policy, extend=None)

    def _with_people(self, policy: Policy, columns: Sequence[str]) -> Policy:
        """The policy as it counts what the release has: persons, households, or only rows."""
        column = policy.entity if policy.household is None else policy.household
        if column is None or column in columns:
            return policy
        who = "persons" if policy.household is None else "households"
        self._missing[PERSONS] = (
            f"The column that identifies {who} is not in the release, so k counts rows here. The manifest "
            "has what was measured when the release was made."
        )
        return replace(policy, entity=None, linkable=False, known_events="all", household=None)

    def _original(
        self, engine: SqlEngine, source: Any, policy: Policy, companions: Companions
    ) -> dict[str, Any]:
        """What the original shows: initial risk, truth, losses and utility."""
        refuse_subset(self._policy, "a comparison with the original")
        place = companions.original
        plain = isinstance(place, os.PathLike) and not isinstance(place, FileSource)
        original = os.fspath(place) if plain else place
        measurements: dict[str, Any] = {}
        trained = policy
        if policy.class_attribute is not None and importlib.util.find_spec("sklearn") is None:
            kept = tuple(attribute for attribute in policy.attributes if attribute.role is not Role.CLASS)
            trained = replace(policy, attributes=kept)
            self._missing["classifier"] = "scikit-learn is not installed: pip install 'shoal[utility]'."
        with engine_for(original) as opened:
            initial = companions.risk(original, policy, opened)
            measurements["risk_before"] = initial.to_dict()
            measurements["original"] = _table(opened, original, initial.rows)
            measurements["persons_before"] = self._persons_before(opened, original, policy)
            facts = self._manifest or {}
            treated = facts.get("treatments", policy.treatments)
            shuffled = facts.get("order", policy.order) == "shuffle"
            untouched = [name for name in engine.columns(source) if name not in treated]
            measurements["leaks"] = leaks(opened, original, self._policy, released=untouched)
            for name, what, measured, judged in (
                ("comparison", "truth of the cells", partial(comparison, treated=treated), policy),
                ("utility", "utility", utility, trained),
            ):
                try:
                    measurements[name] = measured(
                        engine,
                        source,
                        original,
                        judged,
                        key=companions.key,
                        original_engine=opened,
                        sets=sets_of(engine, source),
                        shuffled=shuffled,
                    ).to_dict()
                except PolicyError as error:
                    self._missing[what] = f"It could not be measured: {error}."
        return measurements

    def _maps(self, engine: SqlEngine, source: Any) -> list[dict[str, Any]]:
        """The cells of each column that was a point; of very many, those with the most rows."""
        maps = []
        for name, place in places_of(self._manifest or {}).items():
            cells = engine.cells(source, [name])
            times = np.bincount(cells.column(name), cells.counts, len(cells.texts(name))).astype(int).tolist()
            try:
                found = mapped(name, place, dict(zip(cells.texts(name), times, strict=True))).to_dict()
            except PolicyError as error:
                self._missing["map"] = f"It could not be drawn: {error}."
                continue
            most = sorted(found["cells"], key=lambda each: -each["rows"])[:MOST_CELLS]
            maps.append({**found, "cells": most, "more": len(found["cells"]) - len(most)})
        return maps

    def _persons_before(self, engine: SqlEngine, original: Any, policy: Policy) -> dict[str, Any] | None:
        """How persons are hidden in the original, where the release does not have their column."""
        entity, rows = self._policy.entity, engine.written(original)
        if entity is None or policy.entity is not None or entity not in rows.columns:
            return None
        names = [each.name for each in policy.quasi_identifiers]
        return hidden_by_rows(engine, rows, names, entity, 0).to_dict()

    def _attacks(
        self, engine: SqlEngine, source: Any, policy: Policy, companions: Companions
    ) -> Mapping[str, Any]:
        external = companions.external
        if external is None and len(policy.sets) < 2:
            # The original is at hand, and no attacker can have more than it. Of columns that are known apart
            # nobody is promised to hide from one who knows all of them.
            external = companions.original
        known: dict[str, Any] = {"original": companions.original, "external": external}
        known |= {"match": companions.match, "earlier": companions.earlier, "engine": engine}
        try:
            tried = attack(source, policy=policy, ledger=policy.ledger, **known)
        except ShoalError as error:
            if policy.ledger is None:
                raise
            # A broken or absent ledger stops no other attack; only its releases are missing.
            self._missing["earlier releases"] = f"They could not be read by the ledger: {error}."
            tried = attack(source, policy=policy, **known)
        self._missing |= {
            f"{ATTACK}{name}": f"{why[:1].upper()}{why[1:]}." for name, why in tried.skipped.items()
        }
        return {result.name: result.to_dict() for result in tried.results}


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
    known = sum(entry.counts for entry in entries)
    return {
        "holds": True,
        "releases": known,
        "words": f"{known:,} release(s) are written down in {path.name}.",
    }


def named(source: Any) -> str:
    """What to call a table on a page; never its path."""
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
        counts = [(text, count) for text, count in pairs if count]
        columns[name] = {
            "distinct": sum(text not in (SUPPRESSED, None, "") for text, _ in counts),
            "labels": [{"label": text, "share": count / rows} for text, count in counts],
            "suppressed": sum(count for text, count in counts if text == SUPPRESSED) / rows,
        }
    is_file = isinstance(source, str | os.PathLike) and Path(source).is_file()
    return {
        "name": named(source),
        "rows": rows,
        "columns": columns,
        "digest": file_digest(Path(source)) if is_file else None,
    }
