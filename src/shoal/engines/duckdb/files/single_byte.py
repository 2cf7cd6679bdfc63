"""Which encoding of one byte per character a text has, judged by its words.

Each of these encodings reads almost every byte, so the question is in which one the words look like words:
letters of European languages inside them, no symbols in their middle, no capital after a small letter. Equal
scores go to the more common encoding. It is a guess, and is stated as one.
"""

from __future__ import annotations

import itertools
import re

_CANDIDATES = (
    ("windows-1252", "cp1252"),
    ("iso-8859-15", "iso8859-15"),
    ("mac-roman", "mac_roman"),
    ("windows-1250", "cp1250"),
    ("iso-8859-2", "iso8859-2"),
    ("cp850", "cp850"),
)
"""The name for people and the codec, the more common first."""

_WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]*[\x80-\xff][A-Za-z0-9\x80-\xff]*")
_MOST_WORDS = 20_000
_LONGEST = 60
_ASCII = bytes(range(0x80))
_VERY_COMMON = set("äöüßéèàçåøæñóáíêôîâúùłąęśżčřě")
_COMMON = set("ëïûœšžýťďňůőűćńźÿãõðþìòÄÖÜÉÅØÆŠŽŁŚŻČŘÇÑÓÁÍÀÈÊŒ")
_APOSTROPHE = "\u2019"
_EDGES = set("€£°§²³½¼¾µ·©®™º")
_AROUND = set("«»“”„…²³\u2018\u2019\u201a\u2013\u2014\u00a0")
_NEARLY = 0.8


class Words:
    """Words of a text that have a byte beyond ASCII: some thousands of each part, and all such bytes."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.high: set[int] = set()

    def add(self, chunk: bytes) -> None:
        """Take in a part of the text."""
        self.high.update(chunk.translate(None, _ASCII))
        if len(self.seen) < _MOST_WORDS:
            words = itertools.islice(_WORD.finditer(chunk), _MOST_WORDS // 4)
            self.seen.update(word[0] for word in words if len(word[0]) < _LONGEST)


def best_single_byte(words: Words) -> tuple[str, str | None]:
    """The encoding in which the words look most like words, and another one that fits almost as well."""
    seen = sorted(words.seen)
    scores = [(_score(seen, codec), name, codec) for name, codec in _CANDIDATES]
    best_score, best, codec = max(scores, key=lambda entry: entry[0])
    text = [word.decode(codec, "replace") for word in seen]
    near = [
        name
        for score, name, other in sorted(scores, reverse=True)
        if name != best
        and score >= best_score - (1 - _NEARLY) * abs(best_score)
        and [word.decode(other, "replace") for word in seen] != text
    ]
    # The two differ in signs of 0x80 to 0x9F alone, which only Windows has.
    if best == "windows-1252" and not any(0x80 <= byte <= 0x9F for byte in words.high):
        best = "latin-1"
    return best, near[0] if near else None


def _score(words: list[bytes], codec: str) -> int:
    return sum(_of_word(word.decode(codec, "replace")) for word in words)


def _of_word(word: str) -> int:
    score = 0
    for place, sign in enumerate(word):
        if sign.isascii():
            continue
        before = word[place - 1] if place else ""
        after = word[place + 1] if place + 1 < len(word) else ""
        score += _of_sign(sign, before, after)
    return score


def _of_sign(sign: str, before: str, after: str) -> int:
    if sign.isalpha() and sign not in "ªº":
        if sign.isupper() and (before.islower() or (before.isalpha() and after.islower())):
            return -3
        if sign.islower() and before.isupper() and after.isupper():
            return -2
        return 3 if sign in _VERY_COMMON else 2 if sign in _COMMON else 0
    if before.isalpha() and after.isalpha():
        return 1 if sign == _APOSTROPHE else -4
    if before.isalpha() or after.isalpha():
        return 1 if sign in _AROUND else -3
    if sign in _EDGES or sign in _AROUND:
        return 1
    return -3 if sign.isprintable() else -10
