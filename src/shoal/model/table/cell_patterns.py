"""Patterns of cells that Safe Harbor removes. A pattern judges one text."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple

from shoal.model.hierarchy.number_label import Span, spans
from shoal.model.table.number_text import number_of

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}(?![\w-])", re.ASCII)
_URL = re.compile(r"\b(https?|ftp)://[^\s/$.?#].[^\s]*|\bwww\.[\w-]+\.[\w.-]+", re.IGNORECASE)
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])", re.ASCII)
_PHONE = re.compile(
    r"(\+\d{1,3}[ .-]?|1[ .-])?(\(\d{2,5}\) ?|\d{2,5}[ ./-])\d{3,4}[ .-]?\d{3,6}([ .-]?\d{1,4})?"
    r"(?: ?(?:x|ext\.?) ?\d{1,6})?",
    re.ASCII,
)
_WHOLE_PHONE = re.compile(r"\+\d{9,15}", re.ASCII)
_MONTHS = (
    r"jan(uary?)?|feb(ruary?)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|o[ck]t(ober)?|"
    r"nov(ember)?|dec(ember)?"
)
_CLOCK = r"([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?( ?(Z|[+-]\d{2}(:?\d{2})?))?)?"
_DAY, _MONTH, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"(0?[1-9]|1[0-2])", r"(1[89]|20)\d{2}"
_DATES = tuple(
    re.compile(shape + _CLOCK, re.ASCII | re.IGNORECASE)
    for shape in (
        rf"{_YEAR}([-/.]){_MONTH}\2{_DAY}",
        rf"{_DAY}([-/.]){_MONTH}\2{_YEAR}",
        rf"{_MONTH}([-/.]){_DAY}\2{_YEAR}",
        rf"{_DAY}[ .-]*({_MONTHS})[ .,-]*{_YEAR}",
        rf"({_MONTHS})[ .]*{_DAY},? *{_YEAR}",
        rf"{_YEAR}[-/]{_MONTH}|{_MONTH}/{_YEAR}",
        rf"({_MONTHS})[ .,-]*{_YEAR}",
        rf"({_DAY}([-/.]){_MONTH}|{_MONTH}([-/.]){_DAY})[-/.]\d\d",
        rf"({_MONTHS})[ .]*{_DAY}|{_DAY}[ .-]*({_MONTHS})",
        rf"{_YEAR}[- ]?Q[1-4]|{_YEAR}-W\d\d",
    )
)
_PACKED_DATE = re.compile(r"(1[89]|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(\d{2,6})?", re.ASCII)
_EPOCH = re.compile(r"1\d{9}(\d{3})?", re.ASCII)
_COORDINATES = re.compile(r"\(?-?\d{1,2}\.\d+[,; ] ?-?\d{1,3}\.\d+\)?", re.ASCII)
_LETTERED_ZIP = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d", re.IGNORECASE)
_YEARS_OLD = re.compile(r"(\d{2,3})(?: ?(?:-|to) ?\d{2,3})? ?(?:years?|yrs?|y|yo)?(?: old)?", re.ASCII)
_ZIP_PLUS_FOUR = re.compile(r"\d{5}-\d{4}", re.ASCII)
_FINE_ZIP = re.compile(r"\d{4}", re.ASCII)
_PARTS = re.compile(r"[,;]|\.\.| to ")
_MAC = re.compile(r"[0-9A-F]{2}([:-])([0-9A-F]{2}\1){4}[0-9A-F]{2}", re.IGNORECASE)
_UUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", re.IGNORECASE)
_VIN = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}( ?[A-Z0-9]){11,30}")
_CARD = re.compile(r"\d{4}([ -]?)\d{4}\1\d{4}\1\d{1,7}|3[47]\d{13}", re.ASCII)
_PHONE_DIGITS = range(9, 16)
OLDEST = 89


class Pattern(NamedTuple):
    """What cells of an identifier look like.

    Parameters
    ----------
    identifier
        One of Safe Harbor's.
    what
        What to call such cells in a message.
    matches
        Whether a cell matches.
    named
        Whether a match counts only in a column whose name mentions the identifier.
    share
        The least share of cells that must match: a single one may match by chance.
    """

    identifier: str
    what: str
    matches: Callable[[str], bool]
    named: bool = False
    share: float = 0.0


def is_email(text: str) -> bool:
    return _EMAIL.search(text) is not None


def is_url(text: str) -> bool:
    return _URL.search(text) is not None


def is_ssn(text: str) -> bool:
    return _SSN.search(text) is not None


def is_phone(text: str) -> bool:
    if _WHOLE_PHONE.fullmatch(text):
        return True
    if number_of(text) is not None or is_date(text) or is_ssn(text):
        return False
    if _CARD.fullmatch(text) or _ZIP_PLUS_FOUR.fullmatch(text):
        return False
    return _PHONE.fullmatch(text) is not None and sum(map(str.isdigit, text)) in _PHONE_DIGITS


def is_ip(text: str) -> bool:
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_date(text: str) -> bool:
    """Whether it shows a day, week, month or quarter, or an interval or set of them; a year is optional."""
    parts = (part.strip(' "') for part in _PARTS.split(text.strip("[](){}")))
    return any(each.fullmatch(part) for part in (text, *parts) for each in _DATES)


def is_packed_date(text: str) -> bool:
    """Whether it is a date or a moment in one number, which in another column could be any number."""
    return any(each.fullmatch(text) for each in (_PACKED_DATE, _EPOCH))


def is_coordinates(text: str) -> bool:
    return _COORDINATES.fullmatch(text) is not None


def is_zip_plus_four(text: str) -> bool:
    return _ZIP_PLUS_FOUR.fullmatch(text) is not None


def is_fine_zip(text: str) -> bool:
    """Whether it shows more than three digits of a code, also in an interval or a set."""
    return _FINE_ZIP.search(text) is not None or _LETTERED_ZIP.fullmatch(text) is not None


def is_old_age(text: str) -> bool:
    """Whether it shows ages above 89 in more detail than "90 or older"."""
    if years := _YEARS_OLD.fullmatch(text):
        return int(years[1]) > OLDEST
    number = number_of(text)
    ages = spans(text) if number is None else (Span(number, number),)
    return any(
        span.high is not None and span.low is not None and span.high > OLDEST and span.low > OLDEST
        for span in ages
    )


def is_device(text: str) -> bool:
    return _MAC.fullmatch(text) is not None


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def is_vin(text: str) -> bool:
    return _VIN.fullmatch(text) is not None


def is_account(text: str) -> bool:
    """Whether it is an IBAN or the number of a card whose check digits are right."""
    if _IBAN.fullmatch(text):
        plain = text.replace(" ", "")
        digits = "".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])
        return int(digits) % 97 == 1
    return _CARD.fullmatch(text) is not None and _luhn([int(sign) for sign in text if sign.isdigit()])


def _luhn(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


PATTERNS: tuple[Pattern, ...] = (
    Pattern("electronic mail addresses", "e-mail addresses", is_email),
    Pattern("web addresses (URLs)", "URLs", is_url),
    Pattern("Social Security numbers", "Social Security numbers", is_ssn),
    Pattern("telephone numbers", "telephone numbers", is_phone),
    Pattern("Internet Protocol (IP) addresses", "IP addresses", is_ip),
    Pattern("dates more exact than the year", "dates more exact than a year", is_date),
    Pattern("dates more exact than the year", "dates in one number", is_packed_date, named=True),
    Pattern("places smaller than a state", "coordinates", is_coordinates),
    Pattern("places smaller than a state", "ZIP codes of nine digits", is_zip_plus_four),
    Pattern("places smaller than a state", "ZIP codes of more than three digits", is_fine_zip, named=True),
    Pattern("ages over 89", "ages above 89", is_old_age, named=True),
    Pattern("device identifiers and serial numbers", "network addresses of devices", is_device),
    Pattern("vehicle identifiers", "vehicle identification numbers", is_vin, share=0.5),
    Pattern("account numbers", "account or card numbers with right check digits", is_account, share=0.5),
    Pattern("any other unique number or code", "universally unique identifiers", is_uuid),
)
