"""What is asked of a certificate, and what is refused before any row is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.pipeline.placing import refuse_made

_TEXT = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, kw_only=True)
class CertificateRequest:
    """A certificate that shall be written.

    Parameters
    ----------
    path
        Its file; packed if the name ends with .gz.
    policy_file
        The policy's file, if the written release shall be checked before it gets its name.
    """

    path: Path
    policy_file: Path | None = None

    def check(self, source: Any, policy: Policy) -> None:
        """Raise `PolicyError` where no certificate can be checked later."""
        for what, place in (("the source", source), ("the release", policy.release)):
            if not isinstance(place, str | os.PathLike) or not _is_text(Path(place)):
                raise PolicyError(
                    f"a certificate is checked from CSV files, and {what} is none; release a CSV file to a "
                    "CSV file, or leave out the certificate"
                )
        refuse_made(policy, "the checker of certificates")
        if policy.promise is not None:
            raise PolicyError(
                "there are no certificates of releases in which persons or households are followed"
            )
        if policy.order != "keep":
            raise PolicyError(
                "a certificate needs released rows in the order of the source; leave out shuffle"
            )
        taken = {Path(os.path.realpath(each)) for each in (source, policy.release) if each is not None}
        if Path(os.path.realpath(self.path)) in taken:
            raise PolicyError("the certificate would replace the source or the release; name another file")
        if self.path.is_dir() or not self.path.absolute().parent.is_dir():
            raise PolicyError(f"cannot write {self.path}: name a file in a folder that exists")


def _is_text(path: Path) -> bool:
    return Path(path.name.removesuffix(".gz")).suffix.lower() in _TEXT
