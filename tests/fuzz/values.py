"""Pools of values that have broken table tools: numerals, dates, texts.

A pool is a function from a random generator to a list of distinct cells of one kind; tables draw from it.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

Pool = Callable[[random.Random], tuple[str, list[Any]]]

CANARY = "Zq7x"
"""No word of Shoal has it: a message that does quotes a cell."""

TEXTS = [
    "a", "b", "A", " a", "a ", "", "NA", "nan", "NULL", "None", "missing", "*", "**", "a*", "{*}",
    "[1, 2]", "[1,2]", "{a, b}", "{a}", '"', '""', "'", "a,b", "a;b", "a|b", "a\tb", "line\nbreak", "\r",
    "a\r\nb", "\ufeffa", "\x01", "é", "e\u0301", "😀", "\u202eabc", "\u200b", "ß", "\ufb01", "-", "--",
    "< 20", ">= 80", "2020-2029", "0213*", "\\", "\\n", "%s", "{0}", "true", "False", "[1, 2) or missing",
    "1 or missing", "=1+1", "-1", "1e400", "0x1F", "\uff11", "1_000", "+5", ".5", "5.", "01", "\u0661",
]  # fmt: skip
NUMERALS = [
    "0", "-0", "0.0", "1", "1.0", "1.00", "01", "+1", "1e0", "10", "1e1", "1E+1", "-1", "-1.5", "0.1",
    "0.10", "0.10000000000000001", "0.1000000000000000055511151231257827", "0.30000000000000004",
    "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994",
    "18446744073709551615", "18446744073709551616", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "1e22", "1e23", "1e-7", "1e-300", "1e300", "123456789.123456789",
    "1.00000000000000001", "1.00000000000000002", "4.35", "100", "99.99999999999999", "2.5", "5e-324",
    "1.7976931348623157e308",
]  # fmt: skip
DATES = [
    "2024-02-29", "2023-12-31", "2024-01-01", "1970-01-01", "1969-12-31", "1900-01-01", "0001-01-01",
    "9999-12-31", "2000-02-29", "1582-10-10", "2024-03-31", "2024-10-27",
]  # fmt: skip
STAMPS = [
    "2024-02-29 00:00:00", "2024-02-29 00:00:00.000001", "2024-02-29 23:59:59.999999",
    "1970-01-01 00:00:00", "1969-12-31 23:59:59", "2024-03-31 02:30:00", "2024-10-27 02:30:00",
    "2000-01-01 12:00:00.5", "2024-02-29 00:00:00.000002",
]  # fmt: skip
FINE_STAMPS = [
    "2024-02-29 00:00:00.000000001",
    "2024-02-29 00:00:00.000000002",
    "2024-02-29 00:00:00.999999999",
]
FLOATS = [
    0.0, -0.0, 0.1, 0.1 + 0.2, 0.3, 1.0, 1e22, 1e16, 2.0**53, 2.0**53 + 2, 1 / 3, 5e-324,
    1.7976931348623157e308, -1.5, 2.5, 1e-7, 123456789.123, 100.0,
]  # fmt: skip
INTEGERS = [0, 1, -1, 2, 3, 10, 99, 100, 2**31, 2**53, 2**53 + 1, 2**53 - 1, 2**63 - 1, -(2**63), 10**15, 7]
DECIMALS = [
    Decimal(text)
    for text in ("0.01", "1.10", "1.11", "99999999999999.99", "-0.01", "5.00", "12345678901234.56")
]


def drawn(generator: random.Random, pool: list[Any], most: int = 7) -> list[Any]:
    """Some distinct values of a list."""
    return generator.sample(pool, min(len(pool), generator.randint(1, most)))


def small_integers(generator: random.Random) -> tuple[str, list[Any]]:
    start, step = generator.choice([0, 20, -3, 1990]), generator.choice([1, 1, 2, 7])
    return "int", [start + step * place for place in range(generator.randint(1, 7))]


def hostile_integers(generator: random.Random) -> tuple[str, list[Any]]:
    return "int", drawn(generator, INTEGERS)


def floats(generator: random.Random) -> tuple[str, list[Any]]:
    return "float", drawn(generator, FLOATS)


def decimals(generator: random.Random) -> tuple[str, list[Any]]:
    return "decimal", drawn(generator, DECIMALS)


def numerals(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, NUMERALS)


def long_numerals(generator: random.Random) -> tuple[str, list[Any]]:
    """Neighbours that differ in their last digit alone."""
    whole = str(generator.choice([0, 1, -7, 10**15, 10**17]))
    digits = "".join(generator.choice("0123456789") for _ in range(generator.randint(10, 22)))
    return "text", [
        f"{whole}.{digits}{last}" for last in generator.sample("123456789", generator.randint(2, 5))
    ]


def letters(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, list("abcdefgh"), 6)


def words(generator: random.Random) -> tuple[str, list[Any]]:
    """Texts that no message may quote."""
    return "text", [f"{CANARY}{generator.randrange(10**6):06}" for _ in range(generator.randint(1, 6))]


def codes(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", [f"0{generator.randrange(2100, 2140)}" for _ in range(generator.randint(1, 6))]


def hostile_texts(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, TEXTS)


def mixed_texts(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, TEXTS, 4) + drawn(generator, NUMERALS, 3)


def categories(generator: random.Random) -> tuple[str, list[Any]]:
    return "category", drawn(generator, ["a", "b", "c", "*", "é", f"{CANARY}1", f"{CANARY}2", "1", "z z"])


def truths(_: random.Random) -> tuple[str, list[Any]]:
    return "bool", [False, True]


def dates(generator: random.Random) -> tuple[str, list[Any]]:
    return "date", [datetime.date.fromisoformat(each) for each in drawn(generator, DATES)]


def dates_in_text(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, DATES)


def stamps(generator: random.Random) -> tuple[str, list[Any]]:
    return "timestamp", [datetime.datetime.fromisoformat(each) for each in drawn(generator, STAMPS)]


def stamps_in_text(generator: random.Random) -> tuple[str, list[Any]]:
    return "text", drawn(generator, STAMPS + DATES[:4] + (FINE_STAMPS if generator.random() < 0.2 else []))


POOLS: list[tuple[Pool, int]] = [
    (small_integers, 10), (hostile_integers, 3), (floats, 3), (decimals, 2), (numerals, 3),
    (long_numerals, 2), (letters, 10), (words, 6), (codes, 3), (hostile_texts, 5), (mixed_texts, 2),
    (categories, 3), (truths, 2), (dates, 3), (dates_in_text, 3), (stamps, 2), (stamps_in_text, 2),
]  # fmt: skip
TAME: list[tuple[Pool, int]] = [(small_integers, 5), (letters, 5), (words, 2), (codes, 1)]


def pool(generator: random.Random, pools: list[tuple[Pool, int]]) -> tuple[str, list[Any]]:
    """The kind and the distinct values of a column."""
    choice = generator.choices([each for each, _ in pools], [weight for _, weight in pools])[0]
    kind, values = choice(generator)
    return kind, list(dict.fromkeys(values))
