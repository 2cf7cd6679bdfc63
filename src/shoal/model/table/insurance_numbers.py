"""Numbers of social insurance and taxes in some countries, told by their shape and their check digits.

`is_lettered` has shapes that hardly anything else has. `is_plain` has digits alone: one number in ten or so
passes by chance, so a column must be nearly full of them.
"""

from __future__ import annotations

import re

_GERMAN_PENSION = re.compile(r"(\d{8})([A-Z])(\d{2})(\d)", re.ASCII)
_GERMAN_HEALTH = re.compile(r"([A-Z])(\d{8})(\d)", re.ASCII)
_SPANISH = re.compile(r"([XYZ]?)(\d{7,8})-?([A-Z])", re.ASCII)
_ITALIAN = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", re.ASCII)
_BRITISH = re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", re.ASCII)
_SWISS = re.compile(r"756\.?\d{4}\.?\d{4}\.?\d{2}", re.ASCII)
_FRENCH = re.compile(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{8}", re.ASCII)
_DUTCH = re.compile(r"\d{9}", re.ASCII)
_BRITISH_HEALTH = re.compile(r"\d{3}[ -]?\d{3}[ -]?\d{4}", re.ASCII)
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def is_lettered(text: str) -> bool:
    """Whether it is a number of the German, Spanish, Italian, British, Swiss or French insurance or taxes."""
    plain = text.upper()
    if _ITALIAN.fullmatch(plain) or _BRITISH.fullmatch(plain):
        return True
    return any(check(plain) for check in (_german_pension, _german_health, _spanish, _swiss, _french))


def is_plain(text: str) -> bool:
    """Whether it is digits with the check digit of the Dutch citizens' or the British health service."""
    return _dutch(text) or _british_health(text)


def _folded(digits: str, weights: str) -> int:
    """The sum of the digits of products."""
    return sum(
        sum(map(int, str(int(digit) * int(weight)))) for digit, weight in zip(digits, weights, strict=True)
    )


def _german_pension(text: str) -> bool:
    found = _GERMAN_PENSION.fullmatch(text)
    if found is None:
        return False
    digits = f"{found[1]}{ord(found[2]) - 64:02d}{found[3]}"
    return _folded(digits, "212571212121") % 10 == int(found[4])


def _german_health(text: str) -> bool:
    found = _GERMAN_HEALTH.fullmatch(text)
    if found is None:
        return False
    return _folded(f"{ord(found[1]) - 64:02d}{found[2]}", "1212121212") % 10 == int(found[3])


def _spanish(text: str) -> bool:
    found = _SPANISH.fullmatch(text)
    if found is None or len(found[1]) + len(found[2]) != 8:
        return False
    number = int(str("XYZ".index(found[1]) if found[1] else "") + found[2])
    return _SPANISH_LETTERS[number % 23] == found[3]


def _swiss(text: str) -> bool:
    if _SWISS.fullmatch(text) is None:
        return False
    digits = [int(sign) for sign in text if sign != "."]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def _french(text: str) -> bool:
    plain = text.replace(" ", "")
    if _FRENCH.fullmatch(plain) is None:
        return False
    number = int(plain[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(plain[13:])


def _dutch(text: str) -> bool:
    if _DUTCH.fullmatch(text) is None or text == "000000000":
        return False
    *first, last = map(int, text)
    return (sum(digit * (9 - place) for place, digit in enumerate(first)) - last) % 11 == 0


def _british_health(text: str) -> bool:
    if _BRITISH_HEALTH.fullmatch(text) is None:
        return False
    *first, last = (int(sign) for sign in text if sign.isdigit())
    return (11 - sum(digit * (10 - place) for place, digit in enumerate(first)) % 11) % 11 == last
