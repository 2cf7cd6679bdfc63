"""What an audit of any table found: the verdict on what is demanded, and all other measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shoal.auditor.histories.linked_rows import LinkedRows
from shoal.auditor.manifest_check import ManifestCheck
from shoal.auditor.measure.audited_card import audited_card
from shoal.auditor.measure.measured_models import MeasuredModel
from shoal.auditor.measure.offending import K_ANONYMITY, Offending
from shoal.auditor.measure.suppressed_cells import SuppressedCells
from shoal.auditor.measure.verdict import Verdict
from shoal.auditor.original.comparison import Comparison
from shoal.model.result.coded_warning import CODES, CodedWarning
from shoal.model.table.group_sizes import GroupSizes

Level = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One demand, and its result.

    Parameters
    ----------
    key
        The demand's name.
    demand
        What is demanded, in words.
    holds
        Whether it is met.
    words
        Why not, if it is not.
    level
        Whether a demand that is not met is an error, or only a warning.
    """

    key: str
    demand: str
    holds: bool
    words: str = ""
    level: Level = "error"


@dataclass(frozen=True, kw_only=True)
class AtRisk:
    """Rows that hide among too few.

    Parameters
    ----------
    below
        The number of rows that they should hide among.
    rows, share
        How many they are, and of all rows that are not suppressed.
    """

    below: int
    rows: int
    share: float

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"below": self.below, "rows": self.rows, "share": self.share}


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What an audit of any table found. It reports columns and numbers, and never a cell.

    Parameters
    ----------
    verdict
        What was measured against what is demanded.
    demanded
        The k that is demanded; `None` if none is.
    suppressed_cells
        How `*` was read: as "value", "wildcard" or "conservative".
    sizes
        How large the groups are.
    at_risk
        Rows that hide among too few, for several sizes.
    measured
        Every model's value, whether it is demanded or not.
    offending
        The groups that break a demand.
    manifest
        The check of the manifest next to the table; `None` if there is none.
    comparison
        The comparison with the original, if one was given.
    identifiers
        The columns that name a person by themselves, as the policy says: a release has none of them.
    linked
        What the rows of one person reveal together, if the table has the column of persons.
    leaks
        Warnings about columns that are kept as they are, by the detector that `anonymize` uses.
    """

    verdict: Verdict
    demanded: int | None = None
    suppressed_cells: SuppressedCells = "value"
    sizes: GroupSizes
    at_risk: tuple[AtRisk, ...] = ()
    measured: tuple[MeasuredModel, ...] = ()
    offending: Offending = field(default_factory=Offending)
    manifest: ManifestCheck | None = None
    comparison: Comparison | None = None
    identifiers: tuple[str, ...] = ()
    linked: LinkedRows | None = None
    leaks: tuple[CodedWarning, ...] = ()

    @property
    def unreadable_manifest(self) -> str | None:
        """The name of a file that should be the table's manifest but is not."""
        return None if self.manifest is None or self.manifest.fault is None else self.manifest.file

    @property
    def released_identifiers(self) -> tuple[str, ...]:
        """Columns of the table that name a person by themselves; ignoring the case of names."""
        named = {each.casefold() for each in self.identifiers}
        return tuple(each for each in self.verdict.columns if each.casefold() in named)

    @property
    def k(self) -> int | None:
        """The k that the table has: rows of its smallest group; `None` if it has no group."""
        return self.verdict.k

    @property
    def holds(self) -> bool:
        """Whether all that is demanded holds, with groups of rows that read alike."""
        return self.verdict.holds and self._is_genuine

    @property
    def meets(self) -> bool:
        """Whether the demands hold; with wildcards, where they are requested, they promise less."""
        return self.verdict.meets and self._is_genuine

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The models that are demanded and could not be measured in this table, by their keys."""
        return self.verdict.unmeasured

    @property
    def breaks(self) -> bool:
        """Whether something that was measured is not as demanded; what was not measured is ignored."""
        return self.verdict.breaks or not self._is_genuine

    @property
    def _is_genuine(self) -> bool:
        """Whether the table is the one that its manifest describes, is true of its original, and
        names nobody."""
        return not self._not_genuine

    @property
    def _untrue(self) -> tuple[str, ...]:
        """What is not true of the original, in words, unless the table's manifest says that it is means."""
        comparison, manifest = self.comparison, self.manifest
        if comparison is None or comparison.holds:
            return ()
        is_means = manifest is not None and manifest.holds and not manifest.truthful
        columns = {each.column for each in comparison.untrue}
        if is_means and columns <= {*self.verdict.quasi_identifiers} and comparison.are_cells_alone:
            return ()
        return comparison.failures

    @property
    def failures(self) -> list[str]:
        """What does not hold, in words; what only the stricter reading of `*` demands is left out."""
        return [*(() if self.verdict.meets else self.verdict.failures), *self._not_genuine.values()]

    @property
    def warnings(self) -> list[str]:
        """What else to check, in words."""
        return [each.words for each in self.findings if each.level == "warning" and not each.holds]

    @property
    def findings(self) -> list[Finding]:
        """Every demand and its result, for reports: errors first, then warnings."""
        verdict = self.verdict
        words: dict[str, list[str]] = {}
        for key, why in verdict.broken:
            words.setdefault(key, []).append(why)
        findings = []
        if self.demanded is not None:
            met = verdict.measured.groups_below == 0
            if verdict.wildcards is not None:
                met = verdict.wildcards.rows_below == 0
            why = "" if met else ". Also ".join(words.get(K_ANONYMITY, []))
            findings.append(Finding(key=K_ANONYMITY, demand=self._demanded_k, holds=met, words=why))
        for model in verdict.models:
            why = ". Also ".join(words.get(model.key, []))
            findings.append(Finding(key=model.key, demand=model.demand, holds=model.holds, words=why))
        broken = self._not_genuine
        for key, demand in self._genuine_demands.items():
            findings.append(
                Finding(key=key, demand=demand, holds=key not in broken, words=broken.get(key, ""))
            )
        return [*findings, *self._warned()]

    @property
    def _demanded_k(self) -> str:
        return {
            "value": f"at least {self.demanded} rows in each group",
            "wildcard": f"at least {self.demanded} rows like each row, suppressed cells read as wildcards",
            "conservative": f"at least {self.demanded} rows in each group, whatever suppressed cells were",
        }[self.suppressed_cells]

    @property
    def _genuine_demands(self) -> dict[str, str]:
        demands = {}
        if self.identifiers:
            demands["identifiers"] = "no column that names a person by itself"
        if self.manifest is not None:
            if self.manifest.fault is not None:
                demands["manifest"] = "a manifest that can be read and is about this table"
            if self.manifest.digest is not None:
                demands["release-digest"] = "the file that its manifest is about"
            if self.manifest.claimed:
                demands["manifest-claims"] = "what its manifest claims and can be measured"
            if self.manifest.untreated:
                demands["treatments"] = "columns that are treated as its manifest says"
        if self.comparison is not None:
            demands["truthful-cells"] = "cells that cover the original's"
        return demands

    @property
    def _not_genuine(self) -> dict[str, str]:
        failures = {} if self.manifest is None else dict(self.manifest.failures)
        if named := self.released_identifiers:
            columns = ", ".join(map(repr, named))
            failures["identifiers"] = (
                f"the table has columns that name a person, as the policy says: {columns}"
            )
        if untrue := self._untrue:
            failures["truthful-cells"] = "; ".join(untrue)
        return failures

    def _warned(self) -> list[Finding]:
        """What no policy demands, and everybody should check."""
        suppressed, k = self.verdict.measured.suppressed, self._least
        few = k is not None and 0 < suppressed < k
        findings = [
            Finding(
                key="suppressed-rows",
                demand="no suppressed rows, or at least k",
                holds=not few,
                words=f"{suppressed:,} suppressed row(s) are fewer than k = {k}: who knows that a person's "
                "row is suppressed finds it among them. Drop them from the table"
                if few
                else "",
                level="warning",
            )
        ]
        if self.manifest is not None and self.manifest.other_original:
            findings.append(
                Finding(
                    key="original",
                    demand="the original that its manifest names",
                    holds=False,
                    words=f"the original is not the file that the manifest {self.manifest.file} says the "
                    "release was made from, byte for byte; cells were checked against it anyway",
                    level="warning",
                )
            )
        return findings + [
            Finding(
                key=each.code,
                demand=f"none of this: {CODES[each.code]}",
                holds=False,
                words=each,
                level="warning",
            )
            for each in self._coded
        ]

    @property
    def _coded(self) -> tuple[CodedWarning, ...]:
        """What to check about columns."""
        linked = None if self.linked is None else self.linked.warning
        return self.leaks if linked is None else (linked, *self.leaks)

    @property
    def _least(self) -> int | None:
        """The k that suppressed rows are compared with: that demanded, or else that of the table."""
        return self.demanded if self.demanded is not None else self.verdict.k

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        verdict, measured = self.verdict.to_dict(), self.verdict.measured
        demanded: Mapping[str, object] = {each.key: each.to_dict() for each in self.verdict.models}
        few = not self._warned()[0].holds
        return {
            **verdict,
            "demanded": self.demanded,
            "holds": self.holds,
            "meets": self.meets,
            "quasi_identifiers": list(self.verdict.quasi_identifiers),
            "semantics": self.suppressed_cells,
            "suppressed_rows": {"rows": measured.suppressed, "fewer_than_k": few},
            "sizes": [list(pair) for pair in self.sizes.pairs],
            "at_risk": [each.to_dict() for each in self.at_risk],
            "models": {**{each.key: each.to_dict() for each in self.measured}, **demanded},
            "offending_groups": self.offending.groups,
            "offending_rows": self.offending.rows,
            "offending": [each.to_dict() for each in self.offending.described],
            "failures": self.failures if not self.meets else [],
            "warnings": self.warnings,
            "leaks": [each.to_dict() for each in self._coded],
            **({} if self.linked is None else {"linked": self.linked.to_dict()}),
            "identifiers": list(self.released_identifiers),
            **({} if self.manifest is None else {"manifest": self.manifest.to_dict()}),
            **({} if self.comparison is None else {"comparison": self.comparison.to_dict()}),
        }

    def _repr_html_(self) -> str:
        return audited_card(self).html()
