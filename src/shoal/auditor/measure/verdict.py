"""The verdict: what was measured, against what was demanded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.auditor.measure.models import ModelVerdict
from shoal.auditor.measure.verdict_card import verdict_card
from shoal.errors import AuditError
from shoal.model.table.measurement import Measurement, WildcardMeasurement


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a release must show in addition to its k.

    Parameters
    ----------
    columns
        The columns that the written table must have, and no other.
    rows, suppressed, groups, smallest
        The numbers that it must show.
    verified
        Whether the demand must hold. A policy can accept that it does not, where the algorithm is known not
        to guarantee it.
    advice
        What to try if it does not hold.
    """

    columns: tuple[str, ...]
    rows: int
    suppressed: int
    groups: int
    smallest: int | None
    verified: bool = True
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What an audit found.

    Parameters
    ----------
    quasi_identifiers
        The columns that make the groups.
    columns
        The columns that the table has.
    demanded
        The k that is demanded.
    measured
        What was measured in the table.
    models
        What was measured for each further model that is demanded.
    wildcards
        What was measured with suppressed cells read as wildcards, where that is requested.
    """

    quasi_identifiers: tuple[str, ...]
    columns: tuple[str, ...]
    demanded: int
    measured: Measurement
    models: tuple[ModelVerdict, ...] = ()
    wildcards: WildcardMeasurement | None = None

    def with_models(self, models: Sequence[ModelVerdict]) -> Verdict:
        """The verdict with those of further models; one that it has already is not repeated."""
        known = {each.key for each in self.models}
        return replace(self, models=(*self.models, *(each for each in models if each.key not in known)))

    @property
    def k(self) -> int | None:
        """The k that the table has: rows of its smallest group; `None` if it has no group."""
        return self.measured.smallest

    @property
    def holds(self) -> bool:
        """Whether no group is smaller than demanded, and every model holds."""
        return self.measured.groups_below == 0 and all(model.holds for model in self.models)

    @property
    def meets(self) -> bool:
        """Whether the demands hold; with wildcards, where they are requested, they promise less."""
        if self.wildcards is None:
            return self.holds
        return self.wildcards.rows_below == 0 and all(model.holds for model in self.models)

    @property
    def failures(self) -> list[str]:
        """What does not hold, in words."""
        return [words for _, words in self.broken]

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The models that are demanded and could not be measured, by their keys."""
        return tuple(each.key for each in self.models if each.unmeasured is not None)

    @property
    def breaks(self) -> bool:
        """Whether something that was measured is not as demanded; what was not measured is ignored."""
        measured_only = replace(self, models=tuple(each for each in self.models if each.unmeasured is None))
        return not measured_only.meets

    @property
    def broken(self) -> list[tuple[str, str]]:
        """What does not hold: the model's key, and words."""
        measured, k = self.measured, "k-anonymity"
        broken = []
        if self.wildcards is not None and self.wildcards.rows_below:
            words = (
                f"{self.wildcards.rows_below:,} row(s) match fewer than k = {self.demanded} rows, even "
                f"with suppressed cells read as wildcards; one matches {self.wildcards.smallest}"
            )
            broken.append((k, words))
        if measured.groups_below:
            words = (
                f"{measured.groups_below:,} group(s) with {measured.rows_below:,} row(s) are smaller than "
                f"k = {self.demanded}; the smallest has {measured.smallest}"
            )
            broken.append((k, words))
        for model in self.models:
            if model.unmeasured is not None:
                words = f"{model.key} demands {model.demand}, and that was not measured: {model.unmeasured}"
                broken.append((model.key, words))
            elif not model.holds:
                value = "beyond measure" if model.measured is None else f"{model.measured:.4g}"
                words = (
                    f"{model.key} is broken by {model.broken_by}: demanded is {model.demand}, measured was "
                    f"{value}"
                )
                broken.append((model.key, words))
        return broken

    def check(self, expected: Expected) -> None:
        """Raise `AuditError` unless the table is as promised and, if it must, meets the demand."""
        measured = self.measured
        if expected.verified and not self.meets:
            raise AuditError(
                f"the audit refused the release: {'. Also '.join(self.failures)}. "
                f"Nothing was published{expected.advice}"
            )
        if self.columns != expected.columns:
            raise AuditError(
                "the audit refused the release: its columns are not the ones that it should have. "
                "Nothing was published"
            )
        measures = {"rows": "rows", "suppressed": "suppressed rows", "groups": "groups"}
        for name, words in {**measures, "smallest": "rows in the smallest group"}.items():
            promised, actual = getattr(expected, name), getattr(measured, name)
            if promised != actual:
                raise AuditError(
                    f"the audit refused the release: it should have {promised or 0:,} {words}, but "
                    f"{actual or 0:,} were measured in what was written. Nothing was published"
                )

    def to_dict(self) -> dict[str, object]:
        """The verdict for programs."""
        measured = self.measured
        return {
            "k-anonymity": self.k,
            **self._of_wildcards,
            "demanded": self.demanded,
            "holds": self.holds,
            "rows": measured.rows,
            "suppressed": measured.suppressed,
            "groups": measured.groups,
            "groups_below": measured.groups_below,
            "rows_below": measured.rows_below,
            **({"models": {each.key: each.to_dict() for each in self.models}} if self.models else {}),
        }

    @property
    def _of_wildcards(self) -> dict[str, object]:
        if self.wildcards is None:
            return {}
        return {"k-anonymity-wildcard": self.wildcards.smallest, "holds-wildcard": self.meets}

    @property
    def audit(self) -> dict[str, object]:
        """The manifest's form: model -> measured value, and `holds`."""
        return {
            "k-anonymity": self.k,
            **self._of_wildcards,
            **{each.key: each.measured for each in self.models},
            "holds": self.holds,
        }

    def _repr_html_(self) -> str:
        return verdict_card(self).html()


def weakest(verdicts: Sequence[Verdict]) -> Verdict:
    """Of verdicts on several quasi-identifiers the one to report: the smallest group, and of each model its
    least safe value.

    One that is smaller than demanded comes first, because a set can demand a k of its own; with wildcards one
    that fails even so, because the smallest group of another set can be larger.
    """

    def safety(each: Verdict) -> tuple[bool, bool, float]:
        saved = each.wildcards is None or each.wildcards.rows_below == 0
        large = each.measured.groups_below == 0
        return saved, large, math.inf if each.k is None else each.k

    least = min(verdicts, key=safety)
    by_model = zip(*(each.models for each in verdicts), strict=True)
    return replace(least, models=tuple(max(each, key=lambda model: model.risk) for each in by_model))
