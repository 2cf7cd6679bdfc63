"""Social insurance and tax numbers of some countries, recognized by their shape and their check digits.

`is_lettered` checks shapes that hardly anything else has. `is_plain` checks plain digits: about one number in
ten passes by chance, so nearly all cells of a column must pass.
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
    """Whether it is a German, Spanish, Italian, British, Swiss or French insurance or tax number."""
    plain = text.upper()
    if _ITALIAN.fullmatch(plain) or _BRITISH.fullmatch(plain):
        return True
    return any(check(plain) for check in (_german_pension, _german_health, _spanish, _swiss, _french))


def is_plain(text: str) -> bool:
    """Whether it is a Dutch citizen service number or a British NHS number, by its check digit."""
    return _dutch(text) or _british_health(text)


def _folded(digits: str, weights: str) -> int:
    """The sum of the digits of products."""
    return sum(
        sum(map(int, str(int(digit) * int(weight)))) for digit, weight in zip(digits, weights, strict=True)
    )


def _german_pension(text: str) -> bool:
    match = _GERMAN_PENSION.fullmatch(text)
    if match is None:
        return False
    digits = f"{match[1]}{ord(match[2]) - 64:02d}{match[3]}"
    return _folded(digits, "212571212121") % 10 == int(match[4])


def _german_health(text: str) -> bool:
    match = _GERMAN_HEALTH.fullmatch(text)
    if match is None:
        return False
    return _folded(f"{ord(match[1]) - 64:02d}{match[2]}", "1212121212") % 10 == int(match[3])


def _spanish(text: str) -> bool:
    match = _SPANISH.fullmatch(text)
    if match is None or len(match[1]) + len(match[2]) != 8:
        return False
    number = int(str("XYZ".index(match[1]) if match[1] else "") + match[2])
    return _SPANISH_LETTERS[number % 23] == match[3]


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
