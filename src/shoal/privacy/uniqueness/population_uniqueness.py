"""How many people of the population are unique: three models of it, and a rule that chooses one.

Rule: Dankar, El Emam, Neisa and Roffey, Estimating the re-identification risk of clinical data sets, BMC
Medical Informatics and Decision Making 12:66, 2012. With at most a tenth of the population in the table
Pitman's model is taken, and Zayatz's where that has no answer; with more, the smaller of Zayatz's and the
slide negative binomial.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.estimate import Estimate
from shoal.privacy.uniqueness.pitman import pitman
from shoal.privacy.uniqueness.snb import snb
from shoal.privacy.uniqueness.zayatz import zayatz

SMALL_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness:
    """Estimated shares of unique people.

    Parameters
    ----------
    size
        People of the population.
    pitman, zayatz, snb
        The estimate of each model.
    chosen
        The model that the rule chooses: "pitman", "zayatz", "snb"; "table" if the table is the population;
        `None` if no model has an answer.
    share
        The estimate of the chosen model.
    measured
        The share of the table's rows whose group has one person of the population, where a table of the
        population shows it.
    """

    size: int
    pitman: Estimate
    zayatz: Estimate
    snb: Estimate
    chosen: str | None
    share: float | None
    measured: float | None = None

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        models = {"pitman": self.pitman, "zayatz": self.zayatz, "snb": self.snb}
        return {
            "size": self.size,
            **{name: model.share for name, model in models.items()},
            "dankar": self.share,
            "chosen": self.chosen,
            "measured": self.measured,
            "reasons": {name: model.reason for name, model in models.items() if model.reason is not None},
        }


def population_uniqueness(
    sizes: GroupSizes, population: int, measured: float | None = None
) -> PopulationUniqueness:
    """The estimates for a population of at least as many people as the table has rows in groups."""
    if sizes.rows == 0:
        none = Estimate(reason="the table has no group")
        return PopulationUniqueness(
            size=population, pitman=none, zayatz=none, snb=none, chosen=None, share=None, measured=measured
        )
    if sizes.rows == population:
        known = Estimate(reason="the table is the whole population: nothing needs to be estimated")
        share = sizes.of_size(1) / sizes.rows
        return PopulationUniqueness(
            size=population,
            pitman=known,
            zayatz=known,
            snb=known,
            chosen="table",
            share=share,
            measured=measured,
        )
    by_pitman, by_zayatz, by_snb = (model(sizes, population) for model in (pitman, zayatz, snb))
    if sizes.rows <= SMALL_SHARE * population:
        ranked = [("pitman", by_pitman), ("zayatz", by_zayatz)]
    else:
        lower = by_snb.share is not None and by_zayatz.share is not None and by_snb.share <= by_zayatz.share
        ranked = (
            [("snb", by_snb), ("zayatz", by_zayatz)] if lower else [("zayatz", by_zayatz), ("snb", by_snb)]
        )
    answers = [(name, each.share) for name, each in ranked if each.share is not None]
    return PopulationUniqueness(
        size=population,
        pitman=by_pitman,
        zayatz=by_zayatz,
        snb=by_snb,
        chosen=answers[0][0] if answers else None,
        share=answers[0][1] if answers else None,
        measured=measured,
    )
