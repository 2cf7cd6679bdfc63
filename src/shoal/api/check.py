"""`shoal.check`: verify a certificate of optimality, without anything of the search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shoal.api._door import door
from shoal.checker.checker import EXIT_CODES, CheckedCertificate, check_tree
from shoal.checker.checker import check as checked
from shoal.errors import EngineError
from shoal.pipeline.certificate.compiled_tree import compiled_tree

__all__ = ["CheckedCertificate", "check", "exit_code"]


@door
def check(
    release: str | Path,
    policy: str | Path,
    certificate: str | Path,
    *,
    source: str | Path | None = None,
    plain: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> CheckedCertificate:
    """Verify that nothing of the certificate's kind costs less than it claims, and what the release costs.

    Reads the raw table, the policy, the release and the certificate, and recomputes every bound from its
    definition; nothing of the search is used. What it does not know it does not check: the word is then
    "cannot check", never "verified".

    Parameters
    ----------
    release
        The released CSV file.
    policy
        The policy's file.
    certificate
        What `shoal.anonymize(..., certificate=...)` wrote.
    source
        The raw table, if it is not where the policy says.
    plain
        Follow the proof in Python and NumPy alone. By default a compiled twin does, with the same verdicts.
    on_progress
        Called now and then with the lines of the proof that were followed.

    Examples
    --------
    >>> release = shoal.anonymize(policy="stays.toml", path="best.csv", certificate="stays.certificate.gz")
    >>> shoal.check("best.csv", "stays.toml", "stays.certificate.gz").word
    'verified'
    """
    for file in (release, policy, certificate, *(() if source is None else (source,))):
        if not Path(file).is_file():
            raise EngineError(f"there is no file {file}")
    return checked(
        Path(release),
        Path(policy),
        Path(certificate),
        source=None if source is None else Path(source),
        tree=check_tree if plain else compiled_tree,
        progress=on_progress,
    )


def exit_code(checked: CheckedCertificate) -> int:
    """What a command that checks ends with: 0 verified, 5 refuted, 4 not proved either way."""
    return EXIT_CODES[checked.word]
