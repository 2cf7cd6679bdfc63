"""A manifest held against the table that it lies beside, or is the comment on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.model.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class ManifestCheck:
    """What a manifest says of a table, and what is found there.

    Parameters
    ----------
    file
        The name of the manifest's file; of a table of a database that of the table, whose comment it is.
    release_digest, digest
        The digest that it says the release has, and the one that the file has; `None` of a table of a
        database, which has none.
    claimed, measured
        What it says was measured, as far as it could be measured again, and what is measured now: `k`, or a
        greater one that it says holds, `groups` and released `rows`.
    truthful
        Whether it says that cells are true of their rows: not where values were replaced by means.
    """

    file: str
    release_digest: str | None
    digest: str | None
    claimed: Mapping[str, int | None]
    measured: Mapping[str, int | None]
    truthful: bool = True

    @property
    def same_file(self) -> bool:
        """Whether the file is the one that the manifest is about; nothing speaks against it of a table."""
        return self.digest is None or self.release_digest == self.digest

    @property
    def contradicted(self) -> list[str]:
        """What it claims and is not so, in words."""
        return [
            f"{name} is {self._shown(self.measured[name])} and not {self._shown(claimed)}"
            for name, claimed in self.claimed.items()
            if claimed != self.measured[name]
        ]

    @property
    def holds(self) -> bool:
        """Whether table and manifest belong together."""
        return self.same_file and not self.contradicted

    @property
    def failures(self) -> dict[str, str]:
        """What does not fit, by the name of the check, in words."""
        found = {}
        if not self.same_file:
            found["release-digest"] = (
                f"the file is not the one that its manifest {self.file} is about: its digest differs, so it "
                "was changed after its release, or the manifest is another's"
            )
        if self.contradicted:
            found["manifest-claims"] = (
                f"the manifest {self._named} claims what is not so: {'; '.join(self.contradicted)}"
            )
        return found

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "file": self.file,
            "release_digest": self.release_digest,
            "digest": self.digest,
            "same_file": self.same_file,
            "claimed": dict(self.claimed),
            "measured": dict(self.measured),
            "holds": self.holds,
        }

    @property
    def _named(self) -> str:
        return self.file if self.digest is not None else f"in the comment on {self.file}"

    @staticmethod
    def _shown(number: int | None) -> str:
        return "none" if number is None else f"{number:,}"


def manifest_check(
    facts: Mapping[str, Any], *, file: str, digest: str | None, measured: Measurement, comparable: bool
) -> ManifestCheck:
    """Hold a manifest's claims against a table.

    Parameters
    ----------
    facts
        The manifest, as it was read.
    file
        The name of its file, or of the table whose comment it is.
    digest
        SHA-256 of the table's bytes; `None` if it is no file.
    measured
        The groups of the table, `*` read as a value, as the manifest's are.
    comparable
        Whether those are the groups that the manifest is about.
    """
    claims = {"k": _claimed_k(facts), "groups": _number(facts.get("groups"))}
    claims["rows"] = _claimed_rows(facts, measured)
    stated = facts.get("release_digest")
    return ManifestCheck(
        file=file,
        release_digest=stated if isinstance(stated, str) else None,
        digest=digest,
        claimed=claims if comparable else {},
        measured={"k": measured.smallest, "groups": measured.groups, "rows": measured.rows},
        truthful=facts.get("truthful") is not False,
    )


def _claimed_k(facts: Mapping[str, Any]) -> int | None:
    audit = facts.get("audit")
    if not isinstance(audit, Mapping):
        return None
    measured, demanded = _number(audit.get("k-anonymity")), _number(facts.get("k"))
    if measured is None or demanded is None or audit.get("holds") is not True:
        return measured
    return max(measured, demanded)


def _claimed_rows(facts: Mapping[str, Any], found: Measurement) -> int | None:
    """The rows that it says are released: all but the suppressed ones, or all, where those are masked."""
    rows, suppressed = _number(facts.get("rows")), _number(facts.get("suppressed"))
    if rows is None or suppressed is None:
        return None
    masked = found.rows == rows and found.suppressed >= suppressed
    return rows if masked else rows - suppressed


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
