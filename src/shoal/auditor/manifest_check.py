"""Checks a manifest against the table that it lies next to, or is the comment on.

Every claim that can be measured is compared with the table; a wrong claim fails the check. What nobody can
measure in a table (seconds, nodes, the bound of a search) is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

_WITHOUT = "without its manifest (--no-manifest; in Python manifest=False)"

NEAR = 1e-9
"""How far apart two numbers may be that differ only in the last digits of doubles."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that a manifest says, and what is measured.

    Parameters
    ----------
    name
        What it is about, for programs.
    claimed, measured
        What the manifest says, and what the table shows.
    at_least
        Whether what was measured is only the least that it can be.
    subject
        What it is about, in words, if the name does not say it.
    within
        How far the two may be apart.
    """

    name: str
    claimed: object
    measured: object
    at_least: bool = False
    subject: str = ""
    within: float = NEAR

    @property
    def holds(self) -> bool:
        """Whether the manifest is right, but for the last digits of doubles."""
        one, other = self.claimed, self.measured
        if isinstance(one, bool) or isinstance(other, bool) or not _are_numbers(one, other):
            return one == other
        assert isinstance(one, int | float)
        assert isinstance(other, int | float)
        near = one == other
        if not _are_whole(one, other):
            near = math.isclose(one, other, rel_tol=NEAR, abs_tol=self.within)
        return near or (self.at_least and one > other)

    @property
    def words(self) -> str:
        """What is wrong."""
        least = "at least " if self.at_least else ""
        return f"{self.subject or self.name} is {least}{_shown(self.measured)} and not {_shown(self.claimed)}"


@dataclass(frozen=True, kw_only=True)
class ManifestCheck:
    """What a manifest says about a table, and what the table shows.

    Parameters
    ----------
    file
        The name of the manifest's file, or of the database table whose comment it is.
    release_digest, digest
        The digest of the release by the manifest, and that of the file; `None` for a table of a
        database, which has none.
    claims
        What it says and could be measured, with what is measured now.
    truthful
        Whether it says that cells are true of their rows: not where values were replaced by means.
    fault
        Why it cannot be read, or is about another table; `None` if it is this table's.
    is_comment
        Whether it is the comment on a table of a database.
    untreated
        Treated column -> what is wrong with it, in words.
    other_original
        Whether the original that was given is another file than the one that it says the release was made
        from; it may be the same table in another form.
    """

    file: str
    release_digest: str | None = None
    digest: str | None = None
    claims: tuple[Claim, ...] = ()
    truthful: bool = True
    fault: str | None = None
    is_comment: bool = False
    other_original: bool = False
    untreated: Mapping[str, str] = field(default_factory=dict)

    @property
    def claimed(self) -> dict[str, object]:
        """What it says, by name."""
        return {each.name: each.claimed for each in self.claims}

    @property
    def measured(self) -> dict[str, object]:
        """What was measured of it, by name."""
        return {each.name: each.measured for each in self.claims}

    @property
    def same_file(self) -> bool:
        """Whether the file is the one that the manifest is about; always true of a table of a database."""
        return self.digest is None or self.release_digest == self.digest

    @property
    def contradicted(self) -> list[str]:
        """The wrong claims, in words."""
        return [each.words for each in self.claims if not each.holds]

    @property
    def holds(self) -> bool:
        """Whether table and manifest belong together."""
        return self.fault is None and self.same_file and not self.contradicted and not self.untreated

    @property
    def failures(self) -> dict[str, str]:
        """What does not fit, by the name of the check, in words."""
        if self.fault is not None:
            return {
                "manifest": f"the manifest {self._named} cannot be checked against the table: {self.fault}. "
                f"Restore it, or measure the table {_WITHOUT}"
            }
        failures = {}
        if not self.same_file:
            failures["release-digest"] = (
                f"the file is not the one that its manifest {self.file} is about: its digest differs, so it "
                "was changed or saved again after its release, or the manifest is another's. If it was saved "
                f"again on purpose, measure it {_WITHOUT}"
            )
        if self.contradicted:
            failures["manifest-claims"] = (
                f"the manifest {self._named} makes wrong claims: {'; '.join(self.contradicted)}"
            )
        if self.untreated:
            failures["treatments"] = (
                f"columns are not treated as the manifest {self._named} says: "
                + "; ".join(self.untreated.values())
            )
        return failures

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "file": self.file,
            "fault": self.fault,
            "release_digest": self.release_digest,
            "digest": self.digest,
            "same_file": self.same_file,
            "claimed": self.claimed,
            "measured": self.measured,
            "untreated": dict(self.untreated),
            "holds": self.holds,
        }

    @property
    def _named(self) -> str:
        return f"in the comment on {self.file}" if self.is_comment else self.file


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _are_whole(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
