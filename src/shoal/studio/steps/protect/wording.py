"""The policy in plain English, what is doubtful about it, and what is wrong with it. No page code."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal import PolicyError, Role, privacy
from shoal.algorithms import RecodingModel
from shoal.cost import METRICS, CellMetric
from shoal.studio.descriptions import cost_words
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.parts import sentence
from shoal.studio.policy_key import policy_key
from shoal.studio.steps.protect.people_words import (
    counted,
    known_in_words,
    people_columns,
    people_problems,
    several_rows,
)
from shoal.studio.steps.protect.remark import Remark, short
from shoal.studio.steps.protect.treated import treated_columns
from shoal.studio.workspace import Opened

MOST_NAMED = 8
"""Columns that a sentence names one by one."""

MANY = 12
"""Quasi-identifiers from which on a release will keep little detail."""

_POPULATIONS = {"population": "the population table", "survey_weight": "the survey weight"}


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c; of many only how many."""
    if len(names) > MOST_NAMED:
        first = ", ".join(short(name) for name in names[: MOST_NAMED - 1])
        return f"{first} and {len(names) - MOST_NAMED + 1} more"
    if len(names) < 2:
        return "".join(short(name) for name in names)
    return f"{', '.join(short(name) for name in names[:-1])} and {short(names[-1])}"


def most_suppressed(stated: Any, rows: int) -> int | None:
    """Rows that a limit allows to be suppressed, `None` for any number; `PolicyError` if it is no limit."""
    if stated == "unlimited":
        return None
    if stated is None:
        return 0
    if isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0:
        return stated
    matched = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", str(stated))
    if matched is None or Fraction(matched[1]) > 100:
        raise PolicyError("use a share from 0% to 100%, a whole number of rows, or unlimited")
    return math.floor(Fraction(matched[1]) * rows / 100)


def k_in_words(draft: Draft) -> str:
    """What k means for somebody who looks for a person."""
    k = draft.stated["privacy"].get("k", 1)
    if not isinstance(k, int) or k < 2:
        return "With k = 1 nobody hides: each person may be alone in the release."
    columns = len(draft.columns(Role.QUASI_IDENTIFIER))
    knows = f"the {columns} quasi-identifiers" if columns > 1 else "the quasi-identifiers"
    return (
        f"An attacker who knows {knows} of {known_in_words(draft)} finds at least {k:,} {counted(draft)} "
        f"that look the same: the right one is picked with a chance of 1 in {k:,} at most."
    )


def paragraph(draft: Draft, table: Opened) -> str:
    """The policy in one paragraph."""
    sentences = []
    dropped = draft.columns(Role.IDENTIFIER)
    known = draft.columns(Role.QUASI_IDENTIFIER)
    if dropped:
        sentences.append(f"{_columns(dropped)} dropped.")
    if known:
        k, who = draft.stated["privacy"].get("k", 1), counted(draft)
        sets = draft.stated["privacy"].get("sets")
        apart = f" on each of {len(sets)} sets of columns" if sets else ""
        sentences.append(
            f"{_columns(known)} made coarser until everybody hides among at least {k:,} {who}{apart}."
        )
    sentences.extend(_demands(draft))
    treated = treated_columns(draft)
    if treated:
        done = [f"{short(name)} ({title.lower()})" for name, title in treated.items()]
        more = f" and {len(done) - MOST_NAMED} more" if len(done) > MOST_NAMED else ""
        sentences.append(f"Treated: {', '.join(done[:MOST_NAMED])}{more}.")
    people = people_columns(draft)
    sentences.extend(people.values())
    named = {*dropped, *known, *treated}
    kept = len(table.inspected.columns) - len(named) - sum(name not in named for name in people)
    if kept:
        sentences.append("One column stays unchanged." if kept == 1 else f"{kept} columns stay unchanged.")
    sentences.append(_loss(draft, table.inspected.rows))
    return " ".join(sentences)


def _columns(names: Sequence[str]) -> str:
    return f"The column {listed(names)} is" if len(names) == 1 else f"The columns {listed(names)} are"


def _demands(draft: Draft) -> list[str]:
    demands = []
    for stated in draft.stated["privacy"].get("models", []):
        try:
            demand = privacy.model_of(stated).demand
            name = str(stated.get("attribute", ""))
            demands.append(demand.replace(repr(name), short(name)))
        except (PolicyError, TypeError):
            continue  # shown as a problem
    return [f"Also demanded: {'; '.join(demands)}."] if demands else []


def _loss(draft: Draft, rows: int) -> str:
    objective = draft.stated["objective"]
    cost = cost_words(objective.get("cost"))
    aim = f"keeps {cost.title.lower()} least" if cost else "loses least"
    try:
        limit = most_suppressed(objective.get("suppression"), rows)
    except PolicyError:
        limit = None
    allowed = "any number of rows" if limit is None else f"at most {limit:,} of {rows:,} rows"
    model = objective.get("recoding_model")
    known = [each.description.title for each in RecodingModel if each.value == model]
    how = f" The recoding is of the kind “{known[0].lower()}”." if known else ""
    return f"Shoal looks for the release that {aim} and leaves out {allowed}.{how}"


def doubts(draft: Draft, table: Opened, leaks: Sequence[Remark] = ()) -> list[Remark]:
    """What is allowed, but probably not meant.

    Parameters
    ----------
    draft, table
        The policy, and what it is about.
    leaks
        The detector's warnings about columns that would be released unchanged; one about a column is shown in
        place of a guess about it.
    """
    remarks: list[Remark] = list(leaks)
    leaking = {leak.column for leak in leaks}
    people = people_columns(draft)
    privacy_ = draft.stated["privacy"]
    protected = {stated.get("attribute") for stated in privacy_.get("models", [])}
    for column in table.inspected.columns:
        role = draft.role(column.name)
        name = short(column.name)
        if role is Role.SENSITIVE and column.name not in protected:
            remarks.append(
                Remark(
                    f"{name} is sensitive, and no model protects it: a group may have one value alone.",
                    column.name,
                )
            )
        if role not in (Role.OTHER, Role.CLASS) or column.name in leaking or column.name in people:
            continue
        if column.likely_role is Role.IDENTIFIER:
            remarks.append(
                Remark(f"{name} looks like an identifier and would stay in the release.", column.name)
            )
        elif column.likely_role is Role.SENSITIVE:
            remarks.append(Remark(f"{name} looks sensitive but is kept without protection.", column.name))
        elif column.likely_role is Role.QUASI_IDENTIFIER:
            remarks.append(
                Remark(f"{name} looks like something others know, and stays unchanged.", column.name)
            )
        elif _singles_out(column.distinct, table.inspected.rows, privacy_.get("k")):
            remarks.append(
                Remark(
                    f"{name} stays unchanged, and few rows share a value of it: anybody who knows one may "
                    "find the person. Drop it as an identifier, or make it a quasi-identifier.",
                    column.name,
                )
            )
    remarks.extend(_out_of_reach(draft, table))
    remarks.extend(each for each in several_rows(draft, table) if each.column not in leaking)
    if len(draft.columns(Role.QUASI_IDENTIFIER)) > MANY:
        remarks.append(Remark(f"More than {MANY} quasi-identifiers leave little detail in each of them."))
    if privacy_.get("k") == 1:
        remarks.append(Remark("k = 1 protects nobody by itself."))
    return remarks


def _singles_out(distinct: int, rows: int, k: Any) -> bool:
    """Whether fewer rows than k share a value of a column, on average."""
    return isinstance(k, int) and rows > 0 and distinct > 1 and rows < k * distinct


def gathered(remarks: Sequence[Remark]) -> list[str]:
    """Remarks as sentences, one for all columns with the same remark."""
    alike: dict[str, list[Remark]] = {}
    for remark in remarks:
        start = "" if remark.column is None else short(remark.column)
        same = remark.words.removeprefix(start) if start and remark.words.startswith(start) else remark.words
        alike.setdefault(same, []).append(remark)
    return [
        same_remarks[0].words
        if len(same_remarks) == 1
        else f"Each of {listed([str(each.column) for each in same_remarks])}{same}"
        for same, same_remarks in alike.items()
    ]


def _out_of_reach(draft: Draft, table: Opened) -> list[Remark]:
    """Models that demand more different values than a column has."""
    values = {column.name: column.distinct + bool(column.missing) for column in table.inspected.columns}
    remarks = []
    for at, stated in enumerate(draft.stated["privacy"].get("models", [])):
        name, least = stated.get("attribute"), stated.get("l", stated.get("p"))
        if name in values and isinstance(least, int | float) and least > values[name]:
            words = f"{short(name)} has about {values[name]:,} different values: no group has {least:g}."
            remarks.append(Remark(words, name, at))
    return remarks


def problems(draft: Draft, table: Opened) -> list[Remark]:
    """What prevents a search, as far as known without one."""
    remarks: list[Remark] = []
    if not draft.columns(Role.QUASI_IDENTIFIER):
        remarks.append(Remark("No quasi-identifier yet: give at least one column that role."))
    k = draft.stated["privacy"].get("k")
    if isinstance(k, int) and k > table.inspected.rows:
        remarks.append(
            Remark(
                f"k = {k:,} is more than the rows of the table, {table.inspected.rows:,}: choose a smaller k."
            )
        )
    for at, stated in enumerate(draft.stated["privacy"].get("models", [])):
        remarks.extend(Remark(words, stated.get("attribute"), at) for words in _wrong(draft, stated))
    remarks.extend(_idle_population(draft))
    remarks.extend(people_problems(draft))
    objective = draft.stated["objective"]
    cost = objective.get("cost", policy_key("objective", "cost").default)
    if cost in METRICS and METRICS[cost].needs_class and not draft.columns(Role.CLASS):
        remarks.append(Remark(f"The cost {cost} needs a column with the role class."))
    weighted = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
    if cost not in weighted:
        remarks.extend(
            Remark(
                f"{short(name)} has a weight; only {', '.join(weighted)} know weights.",
                name,
            )
            for name in draft.columns(Role.QUASI_IDENTIFIER)
            if draft.attributes[name].get("weight", 1) != 1
        )
    return remarks


def _idle_population(draft: Draft) -> list[Remark]:
    """A population, or weights in place of one, which no model uses."""
    demands = draft.stated["privacy"]
    populations = [words for key, words in _POPULATIONS.items() if demands.get(key)]
    needing = [name for name, model in privacy.MODELS.items() if model.needs_population]
    stated = {model.get("name") for model in demands.get("models", [])}
    if not populations or stated & {*needing}:
        return []
    names = " and ".join(needing)
    return [Remark(f"Only {names} use {populations[0]}: add one of them, or leave it out.")]


def _wrong(draft: Draft, stated: dict[str, Any]) -> list[str]:
    try:
        model = privacy.model_of(stated)
    except (PolicyError, TypeError) as error:
        return [sentence(error)]
    remarks = [
        f"{short(name)} must be sensitive for {model.name}; its role is {draft.role(name)}."
        for name in model.columns
        if getattr(model, "attribute", None) == name and draft.role(name) is not Role.SENSITIVE
    ]
    of_column = draft.attributes.get(stated.get("attribute", ""), {})
    if stated.get("ground") == "hierarchical" and "hierarchy" not in of_column:
        remarks.append(
            f"{model.name} by hierarchy needs one of its column: give it in the column's settings."
        )
    demands = draft.stated["privacy"]
    if model.needs_population and not (demands.get("population") or demands.get("survey_weight")):
        remarks.append(f"{model.name} needs a table of the population, or a column of survey weights.")
    if model.forbids_suppression and draft.stated["objective"].get("suppression") not in (0, "0%"):
        remarks.append(f"{model.name} with a lower bound allows no suppressed rows: set the limit to 0.")
    return remarks


def checked(draft: Draft, folders: Folders, source: dict[str, str]) -> str | None:
    """Shoal's own objection to a policy, as a sentence; `None` if it accepts it. Reads and writes "
    "files."""
    with tempfile.TemporaryDirectory(dir=folders.private, prefix="check-") as folder:
        try:
            draft.checked(Path(folder), source)
        except PolicyError as error:
            return sentence(PolicyError(str(error).removeprefix("policy.toml: ")))
    return None


def names(words: str, column: str) -> bool:
    """Whether an error of Shoal speaks of a column."""
    return f"ttribute {column!r}" in words
