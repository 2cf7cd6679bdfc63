"""What a person should decide before the release is given away, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from shoal.model.policy.attribute import Role
from shoal.model.policy.first.plan import Plan, PlannedColumn

MANY = 12
"""More quasi-identifiers than this leave little detail in each."""
NEARLY_UNIQUE = 0.9
FEW_ROWS = 20


def decisions(plan: Plan) -> tuple[str, ...]:
    """The sentences, the most urgent first."""
    return tuple(sentence for each in _KINDS for sentence in each(plan))


def _nothing_known(plan: Plan) -> Iterator[str]:
    chosen = [each.name for each in plan.columns if each.chosen]
    if chosen:
        yield (
            f"No column looks like something that others know about a person, so {_listed(chosen)} "
            f"{_are(chosen)} recoded. Keep the role quasi-identifier for what others can know."
        )


def _persons(plan: Plan) -> Iterator[str]:
    if plan.entity is not None:
        yield (
            f"{plan.entity.name!r} has {plan.entity.distinct:,} values in {plan.rows:,} rows: some persons "
            "seem to have several rows, so k counts persons (entity), and the column is dropped. Check that "
            "it numbers persons; if readers must follow a person through the rows, say linkable = true."
        )


def _kept_unique(plan: Plan) -> Iterator[str]:
    unique = [each.name for each in _open(plan) if _is_unique(each, plan.rows)]
    if unique:
        yield (
            f"{_listed(unique)} {_are(unique)} kept, and nearly every value is different: who knows one "
            "finds the row. Drop it (role identifier) or recode it (role quasi-identifier), unless nobody "
            "can know it."
        )


def _free_text(plan: Plan) -> Iterator[str]:
    texts = [each.name for each in plan.columns if each.is_text]
    if texts:
        yield (
            f"{_listed(texts)} {_are(texts)} free text and dropped, because it may name people. If it does "
            "not, keep it (role other)."
        )


def _together(plan: Plan) -> Iterator[str]:
    together = [
        each.name
        for each in _open(plan)
        if each.column.evidence == "together" and not _is_unique(each, plan.rows)
    ]
    if together:
        yield (
            f"{_listed(together)} {_are(together)} kept, and would make many more rows unique together with "
            "the quasi-identifiers. Recode what others can know about a person."
        )


def _few_values(plan: Plan) -> Iterator[str]:
    kept = [
        each.name
        for each in _open(plan)
        if each.column.evidence == "nothing" and each.column.distinct > 1 and not _is_unique(each, plan.rows)
    ]
    if kept:
        yield (
            f"{_listed(kept)} {_are(kept)} kept. If others can know such a value about a person, recode it "
            "(role quasi-identifier)."
        )


def _unique_alone(plan: Plan) -> Iterator[str]:
    dropped = [
        each.name
        for each in plan.with_role(Role.IDENTIFIER)
        if each.column.evidence == "uniqueness" and not each.is_text
    ]
    if dropped:
        yield (
            f"{_listed(dropped)} {_are(dropped)} dropped only because every value is different. If you need "
            "it and nobody can know it, keep it (role other)."
        )


def _births(plan: Plan) -> Iterator[str]:
    born = [
        each.name
        for each in plan.with_role(Role.QUASI_IDENTIFIER)
        if each.is_birth and each.column.kind in ("date", "category") and each.column.distinct > 50
    ]
    if born:
        yield (
            f"{_listed(born)} {_are(born)} about birth and recoded. If an age is enough, put an age into the "
            "table instead; it leaves more detail in the other columns."
        )


def _sensitive(plan: Plan) -> Iterator[str]:
    sensitive = [each.name for each in plan.with_role(Role.SENSITIVE) if each.column.distinct > 1]
    if sensitive:
        yield (
            f"{_listed(sensitive)} {_are(sensitive)} sensitive and kept. k alone lets all rows of a group "
            "share one value: see models under [privacy]."
        )


def _weights(plan: Plan) -> Iterator[str]:
    weights = [each.name for each in plan.columns if each.is_survey_weight]
    if weights:
        yield (
            f"{_listed(weights)} {_are(weights)} a survey weight and kept. Weights are often made from the "
            "quasi-identifiers, and then reveal them: round it, or drop it."
        )


def _many(plan: Plan) -> Iterator[str]:
    known = plan.with_role(Role.QUASI_IDENTIFIER)
    if len(known) > MANY:
        yield (
            f"{len(known)} columns are recoded, which leaves little detail in each. Drop those that nobody "
            "needs (role identifier)."
        )


def _readings(plan: Plan) -> Iterator[str]:
    """What could be read in several ways."""
    for each in plan.columns:
        reading = getattr(each.column, "reading", None)
        if reading is None:
            continue
        if getattr(reading, "ambiguous", ()):
            choices = " or ".join(f'"{form}"' for form in reading.ambiguous)
            yield (
                f"{each.name!r} can be read in several ways, and is read as text until you state one: format "
                f"= {choices}."
            )
        if getattr(reading, "mostly", None) is not None:
            yield (
                f"{each.name!r} is mostly {reading.mostly}s, but {reading.others:,} value(s) are not. If "
                "they mean that the value is missing, list them: missing = [...]."
            )
        for words in getattr(reading, "suggestions", ()):
            yield f"{each.name!r}: {words}."


def _hierarchies(plan: Plan) -> Iterator[str]:
    for each in plan.columns:
        if each.unfit is not None:
            yield (
                f"{each.unfit} is next to the table and does not fit {each.name!r}, so it is not used. "
                "`shoal hierarchy check` says why."
            )


_KINDS: tuple[Callable[[Plan], Iterator[str]], ...] = (
    *(_nothing_known, _persons, _readings, _kept_unique, _free_text, _together, _few_values),
    *(_sensitive, _births, _weights, _hierarchies, _unique_alone, _many),
)


def _open(plan: Plan) -> list[PlannedColumn]:
    """The columns that are kept without a sign of any role."""
    return [each for each in plan.with_role(Role.OTHER) if each.column.evidence != "name"]


def _is_unique(each: PlannedColumn, rows: int) -> bool:
    known = rows - each.column.missing
    return known >= FEW_ROWS and each.column.distinct >= NEARLY_UNIQUE * known


def _listed(names: Sequence[str]) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} and {last}" if first else last


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
