"""No majority: in no group does a sensitive value have more than half of the rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.privacy import SLACK, CoreRule, Description, SensitiveColumn, SensitiveModel, ValueShares


@dataclass(frozen=True, kw_only=True)
class NoMajority(SensitiveModel):
    """Unions of admitted groups are admitted: a share in a union lies between the shares in its parts."""

    name = "no-majority"
    description = Description(
        title="No majority",
        short="No value has more than half of a group",
        meaning="In no group does a sensitive value have more than half of the rows.",
        when="When a bet on a value should never be better than the toss of a coin.",
        limits="It does not know which values are similar.",
        example="A group with flu, flu, asthma is refused; flu, asthma is released.",
    )
    measures = "the largest share that one sensitive value has in a group"
    unit = "share"
    lower_is_safer = True

    @property
    def demand(self) -> str:
        return f"no value of {self.attribute!r} on more than half of the rows of a group"

    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        return max(histogram.values()) / sum(histogram.values())

    def accepts(self, value: float) -> bool:
        return value <= 0.5 + SLACK

    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        return 0.5

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:
        assert column is not None
        values = len(column.counts)
        return CoreRule(kind="shares", floors=[0.0] * values, caps=[0.5 + SLACK] * values)

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:
        return {None: values.greatest(values.shares)}
