"""Reads labels back: which values of a domain a released cell may represent.

The reader knows the domain and its hierarchy, but no recoding, so an auditor can use it.
"""

from __future__ import annotations

import json
from fractions import Fraction

from shoal.model.table.domain import MISSING, SUPPRESSED, Domain

Codes = tuple[int, ...]

_OR_MISSING = f" or {MISSING}"


class LabelReader:
    """The labels of one domain.

    Parameters
    ----------
    domain
        The domain, with its hierarchy if it has one.
    """

    def __init__(self, domain: Domain) -> None:
        size = len(domain) - domain.has_missing
        self._domain = domain
        self._missing = size if domain.has_missing else None
        self._values = {domain.text(code): code for code in range(size)}
        self._nodes: dict[str, Codes] = {}
        if domain.tree is not None:
            tree = domain.tree
            for code, label in enumerate(tree.labels[0][:size]):
                if label is not None:
                    self._values.setdefault(label, code)
            for level in range(1, tree.height + 1):
                for label, codes in zip(tree.labels[level], tree.members(level), strict=True):
                    if label is not None:
                        self._nodes.setdefault(label, codes)
        self._ends = self._bin_ends() if domain.bin is not None else {}

    def codes(self, label: str | None) -> Codes | None:
        """The codes that a label represents: all for `*`; `None` if it is not a label of the domain."""
        if label is None:
            # A CSV file prints an empty text like a missing value.
            code = self._values.get("") if self._missing is None else self._missing
            return None if code is None else (code,)
        if label == SUPPRESSED:
            return tuple(range(len(self._domain)))
        if label in self._values and self._domain.bin is None:
            return (self._values[label],)
        if label in self._nodes:
            return self._nodes[label]
        if label.endswith(_OR_MISSING) and self._missing is not None:
            before = self.codes(label.removesuffix(_OR_MISSING))
            return None if before is None else (*before, self._missing)
        if self._domain.kind == "category":
            return self._set(label)
        return self._interval(label)

    def _interval(self, label: str) -> Codes | None:
        if label in self._ends:
            low, high = self._ends[label], self._ends[label]
        else:
            first, _, last = label[1:-1].partition(", ")
            if label[:1] != "[" or label[-1:] not in ("]", ")") or first not in self._values:
                return None
            low = self._values[first]
            high = self._ends.get(f", {last}{label[-1]}", -1) if self._ends else self._values.get(last, -1)
        return tuple(range(low, high + 1)) if high >= low else None

    def _bin_ends(self) -> dict[str, int]:
        """Labels of single bins, and the texts that an interval of bins ends with, each with its code."""
        domain, ends = self._domain, {}
        for code in range(len(domain) - domain.has_missing):
            text = domain.label(code, code)
            assert text is not None
            ends[text] = code
            if text.startswith("["):
                ends[text[text.index(", ") :]] = code
            else:
                ends[f", {Fraction(text)}]"] = code  # a bin of one whole number ends with itself
        return ends

    def _set(self, label: str) -> Codes | None:
        if not (label.startswith("{") and label.endswith("}")):
            return None
        codes, rest = set(), label[1:-1]
        while rest:
            if rest.startswith('"'):
                try:
                    member, end = json.JSONDecoder().raw_decode(rest)
                except json.JSONDecodeError:
                    return None
                code, rest = self._values.get(member), rest[end:]
            else:
                member, comma, rest = rest.partition(", ")
                rest = comma + rest
                code = self._missing if member == MISSING else self._values.get(member)
            if code is None or (rest and not rest.startswith(", ")):
                return None
            codes.add(code)
            rest = rest[2:]
        return tuple(sorted(codes)) or None
