"""How a release prints values: themselves, intervals, sets, labels of the hierarchy, or `*`.

Two values of a column are never printed alike: where one could be mistaken for another, it is quoted. A large
set gets a short label with a number, so all labels of a column are needed before any of them is printed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.model.table.marks import MISSING, SUPPRESSED
from shoal.model.table.number_text import number_text, plus
from shoal.model.table.short_labels import MORE, MOST_LISTED, is_short, numbered, short_label

if TYPE_CHECKING:
    from shoal.model.table.domain import Domain

Unnumbered = str | tuple[int, ...] | None
"""A label, or the codes of a large set, which still needs its number."""


def shown_codes(codes: Sequence[int], released: Collection[int] | None) -> Sequence[int]:
    """The codes that are released; of an interval all between the first and the last of them."""
    if not isinstance(codes, range):
        return [code for code in codes if released is None or code in released]
    first = next((code for code in codes if released is None or code in released), codes.stop)
    last = next((code for code in reversed(codes) if released is None or code in released), first - 1)
    return range(first, last + 1)


def member_text(text: str, *, quoted: bool = False) -> str:
    """A value within a set, quoted by JSON's rules where it could be mistaken."""
    special = (
        text in ("", SUPPRESSED, MISSING) or text.startswith(MORE) or any(sign in text for sign in '{},"')
    )
    return json.dumps(text, ensure_ascii=False) if quoted or special else text


class PrintedLabels:
    """The labels of one domain.

    Parameters
    ----------
    domain
        The domain, with its hierarchy if it has one.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def numbered(self, labels: Sequence[Unnumbered]) -> tuple[str | None, ...]:
        """All labels of a column, with short ones for its large sets.

        The sets are numbered in the order of their codes; a number that would make a label equal to another
        one of the column is left out.
        """
        taken = {label for label in labels if isinstance(label, str)}
        texts: dict[tuple[int, ...], str] = {}
        number = 0
        for codes in numbered(label for label in labels if isinstance(label, tuple)):
            first, second = (member_text(self._domain.text(code)) for code in codes[:2])
            number += 1
            while (text := short_label(first, second, len(codes), number)) in taken:
                number += 1
            texts[codes] = text
        return tuple(texts[label] if isinstance(label, tuple) else label for label in labels)

    def is_joined(self, released: Collection[int] | None = None) -> bool:
        """Whether a column with one label for all values is printed as `*`: it loses everything.

        Not so if released rows have only one of the values, which is then printed; nor where the user's
        hierarchy has further leaves, since a label without them reveals that no row has them; nor where its
        top is another word.
        """
        tree = self._domain.tree
        if len(self._domain) < 2 or (released is not None and len(released) == 1):
            return False
        if tree is not None and tree.labels[-1] != (SUPPRESSED,):
            return False
        return self._domain.span_loss(range(len(self._domain))) == 1

    def of_intervals(
        self, starts: Sequence[int], released: Collection[int] | None = None
    ) -> tuple[Unnumbered, ...]:
        """Labels of the intervals of a partition, as `Domain.labels`."""
        if len(starts) == 1 and self.is_joined(released):
            return (SUPPRESSED,)
        ends = [start - 1 for start in starts[1:]] + [len(self._domain) - 1]
        intervals = [
            ([code for code in range(first, last + 1) if released is None or code in released], (first, last))
            for first, last in zip(starts, ends, strict=True)
        ]

        def printed(*, quoted: bool) -> tuple[Unnumbered, ...]:
            return tuple(
                self._label(codes, whole, quoted=quoted) if codes else None for codes, whole in intervals
            )

        labels = printed(quoted=False)
        distinct = {label for label, (codes, _) in zip(labels, intervals, strict=True) if codes}
        ambiguous = len(distinct) < sum(bool(codes) for codes, _ in intervals)
        if ambiguous or self._set_reads_as_value(labels, [codes for codes, _ in intervals]):
            return printed(quoted=True)
        return labels

    def of_spans(
        self, spans: Sequence[Sequence[int]], released: Collection[int] | None = None
    ) -> tuple[Unnumbered, ...]:
        """Labels of intervals or sets, as `Domain.span_labels`."""
        shown = [shown_codes(codes, released) for codes in spans]

        def printed(*, quoted: bool) -> tuple[Unnumbered, ...]:
            return tuple(self._label(codes, None, quoted=quoted) if codes else None for codes in shown)

        labels = printed(quoted=False)
        distinct = {codes if isinstance(codes, range) else tuple(codes) for codes in shown if codes}
        texts = {label for label, codes in zip(labels, shown, strict=True) if codes}
        clear = len(texts) == len(distinct) and not self._set_reads_as_value(labels, shown)
        return labels if clear else printed(quoted=True)

    def of_level(self, level: int, released: Collection[int] | None = None) -> tuple[Unnumbered, ...]:
        """The labels of a level of the hierarchy, as `Domain.level_labels`."""
        tree = self._domain.hierarchy
        labels = tree.labels[level]
        if released is None or tree.given or level == 0:
            return labels
        shown = [[code for code in codes if code in released] for codes in tree.members(level)]
        spelled = [
            bool(codes) and label is not None and label == self.spelled(whole)
            for label, codes, whole in zip(labels, shown, tree.members(level), strict=True)
        ]

        def printed(*, quoted: bool) -> tuple[Unnumbered, ...]:
            return tuple(
                self._label(codes, None, quoted=quoted) if again else label
                for label, codes, again in zip(labels, shown, spelled, strict=True)
            )

        shown_labels = printed(quoted=False)
        parts = [label for label, codes in zip(shown_labels, shown, strict=True) if codes]
        # If only one value of a set is left, that value can read like the label of another set.
        clear = len(set(parts)) == len(parts) and not self._set_reads_as_value(shown_labels, shown)
        return shown_labels if clear else printed(quoted=True)

    @cached_property
    def _named(self) -> dict[tuple[int, int], str]:
        """The hierarchy's labels for intervals of codes: those that cover exactly these values."""
        domain = self._domain
        if domain.tree is None:
            return {}
        # A name that is also a value, or reads as a suppressed or missing cell, would be ambiguous. `*` is
        # true only of the whole domain: the cell reveals nothing.
        values = (domain.text(code) for code in range(len(domain) - domain.has_missing))
        reserved = {SUPPRESSED, MISSING, "", *values}
        named: dict[tuple[int, int], str] = {}
        for level in range(1, domain.tree.height + 1):
            members, labels, leaves = (
                domain.tree.members(level),
                domain.tree.labels[level],
                domain.tree.leaves[level],
            )
            for codes, label, below in zip(members, labels, leaves, strict=True):
                whole = len(codes) == below and codes[-1] - codes[0] == len(codes) - 1
                # Labels that spell out the values present are built again for each release, from its own
                # values.
                spelled = not domain.tree.given and label == self.spelled(codes)
                free = label not in reserved or (label == SUPPRESSED and len(codes) == len(domain))
                if whole and label is not None and free and not spelled:
                    named.setdefault((codes[0], codes[-1]), label)
        return named

    def spelled(self, codes: Sequence[int], whole: tuple[int, int] | None = None) -> str | None:
        """The label of some codes that lists them all, however many; parameters as in `_label`."""
        label = self._label(codes, whole, quoted=False)
        return self._listed(label, quoted=False) if isinstance(label, tuple) else label

    def _listed(self, codes: Sequence[int], *, quoted: bool) -> str:
        return "{" + ", ".join(self._member(code, quoted=quoted) for code in codes) + "}"

    def _label(self, codes: Sequence[int], whole: tuple[int, int] | None, *, quoted: bool) -> Unnumbered:
        """The label of some codes, which are the released ones of the interval `whole`; or of no interval."""
        domain, first, last = self._domain, codes[0], codes[-1]
        if domain.values[last] is None:
            if len(codes) == 1:
                return None
            if domain.kind != "category":
                return f"{self._label(codes[:-1], whole, quoted=quoted)} or {MISSING}"
        if len(codes) == 1 and domain.bin is None:
            text = domain.text(first)
            if is_short(text) or (quoted and any(sign in text for sign in '{}"*')):
                return "{" + self._member(first, quoted=quoted) + "}"
            return f"{{{text}}}" if text == SUPPRESSED else text
        if domain.kind == "category":
            # A label of the hierarchy states that all its values occur, so all of them must be released.
            complete = whole is not None and len(codes) == whole[1] - whole[0] + 1
            if not quoted and complete and whole in self._named:
                return self._named[whole]
            return tuple(codes) if len(codes) > MOST_LISTED else self._listed(codes, quoted=quoted)
        if domain.bin is None:
            return f"[{domain.text(first)}, {domain.text(last)}]"
        return self._bin_label(first, last)

    def _bin_label(self, first: int, last: int) -> str:
        low, end = self._domain.values[first], self._domain.bin_end(last)
        assert isinstance(low, int | Decimal)
        if not self._domain.integral:
            return f"[{number_text(low)}, {number_text(end)})"
        high = plus(end, -1)
        return str(low) if low == high else f"[{low}, {high}]"

    def _member(self, code: int, *, quoted: bool) -> str:
        if self._domain.values[code] is None:
            return MISSING
        return member_text(self._domain.text(code), quoted=quoted)

    def _set_reads_as_value(self, labels: Sequence[Unnumbered], shown: Sequence[Sequence[int]]) -> bool:
        """Whether the label of a set is also the text of a value that is shown, by itself or in some set."""
        if self._domain.kind != "category":
            return False
        sets = {label for label, codes in zip(labels, shown, strict=True) if len(codes) > 1}
        # Few columns have values like that: for the others the check ends here.
        values = [code for code in self._braced if self._domain.text(code) in sets]
        return any(code in codes for code in values for codes in shown)

    @cached_property
    def _braced(self) -> tuple[int, ...]:
        """The values that could be mistaken for a set."""
        present = range(len(self._domain) - self._domain.has_missing)
        return tuple(code for code in present if self._domain.text(code).startswith("{"))
