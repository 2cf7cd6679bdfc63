"""Social insurance and tax numbers of some countries, recognized by their shape and their check digits.

`LETTERED` are checks of shapes that hardly anything else has. `PLAIN` are checks of plain digits: about one
number in ten passes by chance, so nearly all cells of a column must pass one and the same check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_GERMAN_PENSION = re.compile(r"(\d{8})([A-Z])(\d{2})(\d)", re.ASCII)
_GERMAN_HEALTH = re.compile(r"([A-Z])(\d{8})(\d)", re.ASCII)
_SPANISH = re.compile(r"([XYZ]?)(\d{7,8})-?([A-Z])", re.ASCII)
_ITALIAN = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", re.ASCII)
_BRITISH = re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", re.ASCII)
_SWISS = re.compile(r"756\.?\d{4}\.?\d{4}\.?\d{2}", re.ASCII)
_FRENCH = re.compile(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{8}", re.ASCII)
_SWEDISH = re.compile(
    r"(?:\d{2})?(\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01]|[6-8]\d|9[01]))([-+]?)(\d{4})", re.ASCII
)
_FINNISH = re.compile(r"(\d{6})[-+A-FU-Y](\d{3})([0-9A-Y])", re.ASCII)
_CZECH = re.compile(r"(\d{2}[0-8]\d[0-3]\d)/(\d{4})", re.ASCII)
_DANISH = re.compile(r"([0-2]\d|3[01])(0\d|1[0-2])\d{2}-\d{4}", re.ASCII)
_BRAZILIAN = re.compile(r"\d{3}\.\d{3}\.\d{3}-\d{2}", re.ASCII)
_BELGIAN = re.compile(r"(\d{2})\.?(\d{2})\.?(\d{2})[-.]?(\d{3})\.?(\d{2})", re.ASCII)
_NINE, _ELEVEN = re.compile(r"\d{9}", re.ASCII), re.compile(r"\d{11}", re.ASCII)
_DAY_FIRST = re.compile(r"(?:[0-2]\d|[3-7]\d)(?:0\d|1[0-2]|[2-9]\d)\d{7}", re.ASCII)
_YEAR_FIRST = re.compile(r"\d{2}(?:[02468][1-9]|[13579][0-2])(?:[0-2]\d|3[01])\d{5}", re.ASCII)
_BRITISH_HEALTH = re.compile(r"\d{3}[ -]?\d{3}[ -]?\d{4}", re.ASCII)
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_FINNISH_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdigit()]


def _weighed(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def _folded(digits: str, weights: str) -> int:
    """The sum of the digits of products."""
    return sum(
        sum(map(int, str(int(digit) * int(weight)))) for digit, weight in zip(digits, weights, strict=True)
    )


def _italian(text: str) -> bool:
    return _ITALIAN.fullmatch(text.upper()) is not None


def _british(text: str) -> bool:
    return _BRITISH.fullmatch(text.upper()) is not None


def _german_pension(text: str) -> bool:
    match = _GERMAN_PENSION.fullmatch(text.upper())
    if match is None:
        return False
    digits = f"{match[1]}{ord(match[2]) - 64:02d}{match[3]}"
    return _folded(digits, "212571212121") % 10 == int(match[4])


def _german_health(text: str) -> bool:
    match = _GERMAN_HEALTH.fullmatch(text.upper())
    if match is None:
        return False
    return _folded(f"{ord(match[1]) - 64:02d}{match[2]}", "1212121212") % 10 == int(match[3])


def _spanish(text: str) -> bool:
    match = _SPANISH.fullmatch(text.upper())
    if match is None or len(match[1]) + len(match[2]) != 8:
        return False
    number = int(str("XYZ".index(match[1]) if match[1] else "") + match[2])
    return _SPANISH_LETTERS[number % 23] == match[3]


def _swiss(text: str) -> bool:
    if _SWISS.fullmatch(text) is None:
        return False
    digits = _digits(text)
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def _french(text: str) -> bool:
    plain = text.upper().replace(" ", "")
    if _FRENCH.fullmatch(plain) is None:
        return False
    number = int(plain[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(plain[13:])


def _swedish(text: str) -> bool:
    """A personal number by Luhn's sum; without the sign between its parts it is a plain number."""
    match = _SWEDISH.fullmatch(text)
    if match is None:
        return False
    digits = _digits(match[1] + match[3])
    doubled = [sum(divmod(digit * (2 - place % 2), 10)) for place, digit in enumerate(digits)]
    return sum(doubled) % 10 == 0


def _swedish_with_sign(text: str) -> bool:
    return ("-" in text or "+" in text) and _swedish(text)


def _finnish(text: str) -> bool:
    match = _FINNISH.fullmatch(text.upper())
    return match is not None and _FINNISH_LETTERS[int(match[1] + match[2]) % 31] == match[3]


def _czech(text: str) -> bool:
    match = _CZECH.fullmatch(text)
    return match is not None and int(match[1] + match[2]) % 11 == 0


def _danish(text: str) -> bool:
    """By its shape: numbers given out since 2007 have no check digit."""
    return _DANISH.fullmatch(text) is not None


def _brazilian(text: str) -> bool:
    if _BRAZILIAN.fullmatch(text) is None:
        return False
    digits = _digits(text)
    return all(
        _weighed(digits[:length], range(length + 1, 1, -1)) * 10 % 11 % 10 == digits[length]
        for length in (9, 10)
    )


def _belgian(text: str) -> bool:
    match = _BELGIAN.fullmatch(text)
    if match is None or int(match[2]) > 12 or int(match[3]) > 31:
        return False
    number, check = int("".join(match.groups()[:4])), int(match[5])
    return check in (97 - number % 97, 97 - (2_000_000_000 + number) % 97)


def _dutch(text: str) -> bool:
    if _NINE.fullmatch(text) is None or text == "000000000":
        return False
    *first, last = map(int, text)
    return (_weighed(first, range(9, 1, -1)) - last) % 11 == 0


def _portuguese(text: str) -> bool:
    if _NINE.fullmatch(text) is None or text[0] not in "1235689":
        return False
    *first, last = map(int, text)
    rest = _weighed(first, range(9, 1, -1)) % 11
    return last == (0 if rest < 2 else 11 - rest)


def _british_health(text: str) -> bool:
    if _BRITISH_HEALTH.fullmatch(text) is None:
        return False
    *first, last = _digits(text)
    return (11 - _weighed(first, range(10, 1, -1)) % 11) % 11 == last


def _norwegian(text: str) -> bool:
    if _DAY_FIRST.fullmatch(text) is None:
        return False
    digits = _digits(text)
    one = _weighed(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    two = _weighed(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11
    return one == two == 0


def _polish(text: str) -> bool:
    if _YEAR_FIRST.fullmatch(text) is None:
        return False
    return _weighed(_digits(text), (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _german_tax(text: str) -> bool:
    if _ELEVEN.fullmatch(text) is None or text[0] == "0":
        return False
    product = 10
    *first, last = map(int, text)
    for digit in first:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == last


LETTERED: tuple[Callable[[str], bool], ...] = (
    *(_german_pension, _german_health, _spanish, _italian, _british, _swiss, _french),
    *(_swedish_with_sign, _finnish, _czech, _danish, _brazilian),
)
PLAIN: tuple[Callable[[str], bool], ...] = (
    *(_dutch, _portuguese, _british_health, _swedish, _norwegian, _polish, _german_tax, _belgian),
)
