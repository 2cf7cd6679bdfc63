"""Several attacks on one release, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.audit.attacks import ATTACKS, AttackResult, Target
from shoal.errors import PolicyError
from shoal.model.names import hint


@dataclass(frozen=True, kw_only=True)
class AttackReport:
    """What attacks on a release came to.

    Parameters
    ----------
    results
        The attacks that were run, in the order of `ATTACKS`.
    skipped
        The attacks that could not be run, and why.
    unmeasured
        Attacks that the policy limits and that could not be run.
    """

    results: tuple[AttackResult, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no attack does better than it may, and each that the policy limits was run."""
        return not self.failures

    @property
    def failures(self) -> tuple[str, ...]:
        """What does not hold, in words."""
        return (
            *(
                f"{each.name} succeeds at {100 * each.rate:.1f} % of what it tried; "
                f"{100 * (each.threshold or 0):.1f} % is allowed"
                for each in self.results
                if not each.holds
            ),
            *(
                f"the policy limits {name}, which could not be run: {self.skipped[name]}"
                for name in self.unmeasured
            ),
        )

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "attacks": {each.name: each.to_dict() for each in self.results},
            "skipped": dict(self.skipped),
            "holds": self.holds,
        }


def check_attacks(names: Sequence[str], said_by: str) -> None:
    """Raise `PolicyError` for an attack that does not exist."""
    for name in names:
        if name not in ATTACKS:
            raise PolicyError(f"{said_by}: there is no attack {name!r}.{hint(name, ATTACKS)}")


def attacked(target: Target, names: Sequence[str] | None = None) -> AttackReport:
    """Run attacks on a release: those that are named, or all that can be run.

    `PolicyError` if one that is named cannot be.
    """
    results: list[AttackResult] = []
    skipped: dict[str, str] = {}
    for name, kind in ATTACKS.items():
        if names is not None and name not in names:
            continue
        attack = kind()
        lacking = attack.lacking(target)
        if lacking is None:
            results.append(attack.run(target))
        elif names is not None:
            raise PolicyError(f"the attack {name!r} cannot be run: {lacking}")
        else:
            skipped[name] = lacking
    unmeasured = tuple(name for name in target.allowed if name in skipped)
    return AttackReport(results=tuple(results), skipped=skipped, unmeasured=unmeasured)
