"""The charts of a report: which facts each one shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from shoal.reports import charts
from shoal.reports.texts import visible

Facts = Mapping[str, Any]

MOST_COLUMNS = 24


def drawn(facts: Facts) -> dict[str, Any]:
    """Chart -> SVG to insert into the page unescaped; `None` where there is nothing to show.

    Parameters
    ----------
    facts
        What `facts_of` returns.
    """
    return {
        "sizes": _sizes(facts),
        "risk": _risk(facts),
        "rates": _rates(facts["attacks"]),
        "loss": _loss(facts["variables"]),
        "progress": _progress(facts["proof"].get("trace") or ()),
        "columns": _columns(facts),
        "maps": [
            {"name": each["column"], **each, "chart": Markup(charts.cell_map(each["cells"], each["column"]))}
            for each in facts["maps"]
            if each["cells"]
        ],
    }


def _sizes(facts: Facts) -> Markup | None:
    before = (facts["risk"]["before"] or {}).get("sizes")
    after = facts["audit"]["sizes"] or (facts["risk"]["after"] or {}).get("sizes")
    return Markup(charts.group_sizes(after, before, facts["policy"]["k"])) if after else None


def _risk(facts: Facts) -> Markup | None:
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    if after is None:
        return None
    measures = []
    for part, key, name in (
        ("prosecutor", "highest", "Highest, prosecutor"),
        ("prosecutor", "average", "Average, prosecutor"),
        ("journalist", "highest", "Highest, journalist"),
        ("marketer", "average", "Marketer"),
    ):
        value = (after.get(part) or {}).get(key)
        if value is not None:
            old = None if before is None else (before.get(part) or {}).get(key)
            measures.append((name, old, float(value)))
    if after.get("sample_uniqueness") is not None:
        old = None if before is None else before.get("sample_uniqueness")
        measures.append(("Unique rows", old, float(after["sample_uniqueness"])))
    return Markup(charts.risk(measures, after.get("threshold"))) if measures else None


def _rates(attacks: Sequence[Facts]) -> Markup | None:
    tried = [attack for attack in attacks if attack["tried"]]
    if not tried:
        return None
    return Markup(
        charts.rates(
            [
                (attack["name"], min(1.0, attack["rate"]), attack["threshold"], attack["holds"])
                for attack in tried
            ]
        )
    )


def _loss(variables: Sequence[Facts]) -> Markup | None:
    for metric in ("general-loss", "ncp", "precision"):
        losses = [
            (visible(variable["name"]), float(variable["losses"][metric]))
            for variable in variables
            if variable["losses"].get(metric) is not None
        ]
        if losses:
            return Markup(charts.loss(sorted(losses, key=lambda each: -each[1])[:MOST_COLUMNS]))
    return None


def _progress(trace: Sequence[Facts]) -> Markup | None:
    known = [moment for moment in trace if moment.get("cost") is not None or moment.get("bound") is not None]
    return Markup(charts.progress(known)) if len(known) > 1 else None


def _columns(facts: Facts) -> list[dict[str, Any]]:
    """Each quasi-identifier by its labels; with the original, both tables. Other columns are as they were."""
    named = facts["policy"]["quasi_identifiers"]
    if facts["utility"]:
        columns = [
            (column["name"], column["after"], column["before"], column.get("distance"), column["more"])
            for column in facts["utility"]["columns"]
            if column["after"] and column["name"] in named
        ]
    else:
        labels = facts["labels"].items()
        columns = [(name, each["shown"], (), None, each["more"]) for name, each in labels if each["shown"]]
    return [
        {
            "name": name,
            "distance": distance,
            "chart": Markup(charts.distribution(visible(name), _seen(after), _seen(before), more)),
        }
        for name, after, before, distance, more in columns[:MOST_COLUMNS]
    ]


def _seen(labels: Sequence[Facts]) -> list[dict[str, Any]]:
    return [
        {"label": "missing" if label["label"] is None else visible(label["label"]), "share": label["share"]}
        for label in labels
    ]
