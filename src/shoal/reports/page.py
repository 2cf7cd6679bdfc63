"""The report as a page: one file without scripts, which loads nothing from any network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.formatting.attack_words import attack_words, success_words, verdict_words
from shoal.formatting.risk_words import THRESHOLD_NOTE, highest_words, risk_rows
from shoal.privacy import MODELS
from shoal.reports.drawn import drawn
from shoal.reports.numbers import number, odds, seconds, share
from shoal.reports.pdf import write_pdf
from shoal.reports.proof import cost_words
from shoal.reports.standards import thresholds_of
from shoal.reports.texts import css_text, cut, visible
from shoal.reports.verdict import PERSONS, PERSONS_AT_RISK

ATTACK = "attack: "
"""How entries of what was not measured begin that are attacks."""
UNKNOWN = "\N{EN DASH}"
HEIGHT = 820
"""Of the page in a notebook, in pixels."""

_SECTIONS = {
    "released": "What was released",
    "policy": "Policy and thresholds",
    "proof": "Is the loss the least possible?",
    "people": "What is promised about people",
    "groups": "Groups and privacy models",
    "risk": "Risk of re-identification",
    "variables": "Technique per variable",
    "attacks": "Attacks that were tried",
    "utility": "What the release is good for",
    "explain": "Why this far",
    "missing": "What was not measured",
    "standards": "Regulators and standards",
    "versions": "Versions and digests",
    "words": "Words",
    "signature": "Signature",
}


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report on a release, for people and for programs.

    Parameters
    ----------
    facts
        Everything that it shows: plain numbers, texts and lists.
    html
        The whole page.
    """

    facts: Mapping[str, Any] = field(repr=False)
    html: str = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether nothing that was demanded is broken."""
        return self.facts["verdict"]["holds"] is not False

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return dict(self.facts)

    def to_json(self) -> str:
        """The facts as they are written, with a final line end."""
        return json.dumps(self.facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> Path:
        """Write the page (.html), the facts (.json) or pages for paper (.pdf, by Chromium)."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind in (".html", ".htm"):
            write_text(path, self.html)
        elif kind == ".json":
            write_text(path, self.to_json())
        elif kind == ".pdf":
            write_pdf(self.html, path)
        else:
            raise PolicyError(f"a report is an .html, .json or .pdf file, not {path.name!r}")
        return path

    def _repr_html_(self) -> str:
        # In a separate frame: neither the notebook's styles nor those of the page reach the other.
        return (
            f'<iframe title="report" sandbox="" style="width:100%;height:{HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )


def report_page(facts: Mapping[str, Any]) -> Report:
    """The page of a report.

    Parameters
    ----------
    facts
        What `facts_of` returns.
    """
    style = _style(facts)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    names = [name for name in _SECTIONS if name != "explain" or facts["explain"]]
    sections = {name: {"number": place, "title": _SECTIONS[name]} for place, name in enumerate(names, 1)}
    risk = facts["risk"]
    measured = risk["before"] or risk["after"] or {}
    untried = [part for part in facts["not_measured"] if part["what"].startswith(ATTACK)]
    unmeasured = [part["what"] for part in facts["not_measured"] if part not in untried]
    page = (
        _environment()
        .get_template("report.html")
        .render(
            f=facts,
            style=Markup(style),
            style_digest=digest,
            sections=sections,
            charts=drawn(facts),
            cost_words=cost_words,
            rows_counted=PERSONS in facts["unmeasured_demands"],
            rows_at_risk={PERSONS, PERSONS_AT_RISK} & {part["what"] for part in facts["not_measured"]},
            judged=[attack for attack in facts["attacks"] if attack["judged"]],
            risk_rows=_risk_rows(risk["before"], risk["after"]),
            thresholds=thresholds_of(facts),
            threshold_note=THRESHOLD_NOTE,
            highest_words=highest_words,
            attack_words=attack_words,
            success_words=success_words,
            attack_verdict=verdict_words,
            subsets=_most_distinguishing(measured.get("subsets") or ()),
            pairs=_changed((facts["utility"] or {}).get("association")),
            loss_metric=loss_metric(facts),
            not_demanded=[_explained(model) for model in facts["audit"]["models"] if not model["demanded"]],
            others=[
                column
                for column in (facts["utility"] or {}).get("columns", ())
                if column["name"] not in facts["policy"]["quasi_identifiers"]
            ],
            at_risk=[each for each in facts["audit"]["at_risk"] or () if each["rows"]],
            missing={part["what"]: part["why"] for part in facts["not_measured"]},
            untried=untried,
            unmeasured=[*unmeasured, *([f"{len(untried)} attacks"] if untried else [])],
        )
    )
    return Report(facts=facts, html=page)


def loss_metric(facts: Mapping[str, Any]) -> str | None:
    """The measure by which losses of columns are shown: one that is a share."""
    for metric in ("general-loss", "ncp", "precision"):
        if any(variable["losses"].get(metric) is not None for variable in facts["variables"]):
            return metric
    return None


def _style(facts: Mapping[str, Any]) -> str:
    digest = facts["release"]["digest"]
    printed = f"SHA-256 {digest}" if digest else "no digest: not a single file"
    boxes = {
        "top-left": css_text(cut(visible(facts["title"]))),
        "top-right": css_text(cut(visible(facts["release"]["name"]), 48)),
        "bottom-left": css_text(printed),
        "bottom-right": '"Page " counter(page) " of " counter(pages)',
    }
    font = 'font: 7.5pt system-ui, "Helvetica Neue", Arial, sans-serif; color: #4a585d'
    rules = " ".join(f"@{place} {{ content: {words}; {font} }}" for place, words in boxes.items())
    sheet = (files("shoal.reports") / "templates" / "style.css").read_text(encoding="utf-8")
    return f"{sheet}@page {{ size: A4; margin: 19mm 16mm 18mm; {rules} }}\n"


def _risk_rows(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """The questions about risk, as the studio has them, with their answers as texts."""
    if after is None:
        return []
    return [
        {
            "name": row.name,
            "words": row.words,
            "before": _printed_share(row.before),
            "after": _printed_share(row.after),
        }
        for row in risk_rows(before, after)
    ]


def _most_distinguishing(subsets: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Single columns first, then the sets that distinguish most rows."""
    single = [subset for subset in subsets if len(subset["columns"]) == 1]
    others = [subset for subset in subsets if len(subset["columns"]) > 1]
    return [
        *sorted(single, key=lambda each: -(each["separation"] or 0)),
        *sorted(others, key=lambda each: -(each["separation"] or 0)),
    ]


def _changed(association: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    known = [
        pair
        for pair in (association or {}).get("pairs") or ()
        if pair.get("before") is not None and pair.get("after") is not None
    ]
    return sorted(known, key=lambda each: -abs(each["after"] - each["before"]))[:8]


def _explained(model: Mapping[str, Any]) -> dict[str, Any]:
    """A model with its column and its explanation as separate entries."""
    name, _, column = str(model["name"]).partition("(")
    known = name.partition(" ")[0]  # what it depends on may follow, as in "t-closeness ordered"
    words = MODELS[known].measures if known in MODELS else ""
    return {**model, "model": name, "column": column.removesuffix(")"), "words": words}


def _printed(value: object) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, bool) or not isinstance(value, int | float):
        return visible(value)
    return number(value)


def _printed_share(value: float | None) -> str:
    return UNKNOWN if value is None else share(value)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("shoal.reports", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A part without a value counts as not measured: no page fails because a part grew or shrank.
    filters: dict[str, Callable[[Any], str]] = {
        "number": number,
        "share": share,
        "odds": odds,
        "seconds": seconds,
        "printed": _printed,
        "printed_share": _printed_share,
    }
    filters |= {"one": _rounded(1), "two": _rounded(2), "three": _rounded(3)}
    for name, function in filters.items():
        environment.filters[name] = _known(function)
    environment.filters |= {"clean": visible, "cut": cut}
    return environment


def _rounded(digits: int) -> Callable[[Any], str]:
    return lambda value: UNKNOWN if value is None else f"{value:.{digits}f}"


def _known(function: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: function(None if isinstance(value, jinja2.Undefined) else value)
