"""Identifiers that HIPAA's Safe Harbor removes, found by the names of columns and the look of their cells.

The eighteen of 45 CFR 164.514(b)(2)(i). A finding is a reason to look, and no finding is no proof: free text,
names in other languages and custom codes are not recognized.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.model.table.cell_patterns import PATTERNS
from shoal.model.table.sampled_cells import SampledCells

FEW_ROWS = 10
"""With fewer rows it means nothing that all values differ."""

_PLACES, _DATES, _AGES = "places smaller than a state", "dates more exact than the year", "ages over 89"
_OTHER = "any other unique number or code"

_NUMBER = r"(no|nr|num|number)"
_PERSON = r"(patient|pat|pt|subject|subj|usubj|person|participant|client|case|employee|emp|student|user|p)"

# The identifier -> a shape of the words of a column's name. The first that fits is reported.
_NAMES: dict[str, str] = {
    "fax numbers": r"fax|telefax",
    "electronic mail addresses": r"e ?mails?|mail",
    "telephone numbers": rf"(tele)?phones?|mobile|cell ?phone|tel|(phone|cell|contact) ?{_NUMBER}",
    "Social Security numbers": rf"ssn|(social|soc) ?(security|sec)( {_NUMBER})?|sin",
    "medical record numbers": rf"mrn|med(ical)? ?rec(ord)?s?|record {_NUMBER}|chart {_NUMBER}|"
    rf"hosp(ital)? {_NUMBER}",
    "health plan beneficiary numbers": r"beneficiary|subscriber|hicn|mbi|"
    rf"(member(ship)?|policy|insurance|medicare|medicaid|nhs) (id|{_NUMBER})",
    "certificate and license numbers": rf"licen[cs]e|certificate|passport|dea {_NUMBER}|dl {_NUMBER}|npi",
    "vehicle identifiers": rf"vin|licen[cs]e plate|plate|vehicle (id|{_NUMBER})",
    "device identifiers and serial numbers": rf"device (id|sn|{_NUMBER})|serial|imei|udi|mac address",
    "web addresses (URLs)": r"url|website|homepage|web ?site",
    "Internet Protocol (IP) addresses": r"ip( ?address)?|ipv [46]",
    "biometric identifiers": r"biometric|finger ?print|voice ?print|retina|iris scan|dna|genome",
    "full-face photographs": r"photo|photograph|picture|portrait|face image|selfie",
    "account numbers": rf"account|acct|iban|card {_NUMBER}|credit card",
    _PLACES: r"zip|zip ?code|zcta|postal|p(ost)? ?code|plz|street|addr(ess)?|city|town|county|precinct|"
    r"parish|village|latitude|longitude|lat|lon|lng|gps|fips|geocode|census tract|neighbou?rhood|district",
    _DATES: r"dates?|dt|dob|dod|dos|born|birth|birth ?date|birthday|admission|discharge|death|admit|admitted|"
    r"discharged|visit|time ?stamp|ts",
    _AGES: r"ages?|years old",
    "names": r"(first|last|middle|full|maiden|family|given|nick|user)? ?names?|[flm]names?|surname|"
    r"forename|initials",
    _OTHER: rf"id|ids|uuid|guid|identifier|pseudonym|{_PERSON} ?(id|{_NUMBER})",
}
_ALIASES = {name: re.compile(rf"(?:.* )?(?:{shape})(?: .*)?") for name, shape in _NAMES.items()}
_COARSE = {_DATES, _AGES}
"""A coarse form of these may be kept: a year, an age up to 89. The name alone proves nothing."""
_ZIP = re.compile(r"(?:.* )?(?:zip|zip ?code|zcta|postal|p(?:ost)? ?code|plz)(?: .*)?")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A column that Safe Harbor would not allow.

    Parameters
    ----------
    column
        The column.
    identifier
        Which of the eighteen.
    reason
        Why, with counts and without a cell.
    """

    column: str
    identifier: str
    reason: str

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"column": self.column, "identifier": self.identifier, "reason": self.reason}


def safe_harbor(columns: Sequence[SampledCells], rows: int) -> list[Finding]:
    """The findings, by column; a column can have several.

    Parameters
    ----------
    columns
        The columns of a table, with some cells of each.
    rows
        Rows of the table.
    """
    return [finding for each in columns for finding in _findings(each, rows)]


def _findings(cells: SampledCells, rows: int) -> list[Finding]:
    words = _words(cells.column)
    texts = [text.strip() for text in cells.informative]
    if not texts:
        return []  # dropped but for its name, or suppressed throughout
    named = _named(words)
    reasons = _reasons(texts, words)
    # A ZIP code of three digits may be released; the cells show whether it is one.
    by_cells = _COARSE | ({_PLACES} if _ZIP.fullmatch(words) else set())
    if named is not None and named not in by_cells:
        reasons.setdefault(named, []).insert(0, f"its name suggests {named}")
    if not reasons and rows >= FEW_ROWS and cells.distinct == rows:
        reasons[_OTHER] = ["every row has a value of its own"]
    return [
        Finding(column=cells.column, identifier=identifier, reason="; ".join(each))
        for identifier, each in reasons.items()
    ]


def _reasons(texts: Sequence[str], words: str) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for pattern in PATTERNS:
        if pattern.named and not _suggests(pattern.identifier, words):
            continue
        count = sum(map(pattern.matches, texts))
        if count and count >= pattern.share * len(texts) and pattern.identifier not in reasons:
            reasons[pattern.identifier] = [
                f"{count:,} of {len(texts):,} distinct cells look like {pattern.what}"
            ]
    return reasons


def _suggests(identifier: str, words: str) -> bool:
    shape = _ZIP if identifier == _PLACES else _ALIASES[identifier]
    return shape.fullmatch(words) is not None


def _named(words: str) -> str | None:
    return next((name for name, shape in _ALIASES.items() if shape.fullmatch(words)), None)


def _words(column: str) -> str:
    """The words of a name, in small letters: `PatientID`, `patient_id` and `patient-id` are the same.

    A number at the end is a word of its own: `zip5` suggests ZIP codes.
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Za-z])(?=\d)", r"\1\3 \2", column)
    return " ".join(re.findall(r"[^\W_]+", spaced.lower()))
