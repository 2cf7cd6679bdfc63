"""Several attacks on one release, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.auditor.attacks.card import attack_card
from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion


@dataclass(frozen=True, kw_only=True)
class AttackReport:
    """The results of attacks on a release.

    Parameters
    ----------
    results
        The attacks that were run, in the order of `ATTACKS`.
    skipped
        The attacks that could not be run, and why.
    unmeasured
        Attacks that the policy limits and that could not run; empty if attacks were requested by name.
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
            *(_failure(each) for each in self.results if not each.holds),
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
            "failures": list(self.failures),
            "holds": self.holds,
        }

    def _repr_html_(self) -> str:
        return attack_card(self).html()


def _failure(result: AttackResult) -> str:
    if result.exposed:
        exposed = f"{result.name} finds {result.exposed:,} people among fewer than k {result.among}"
        return f"{exposed}; k promises that nobody is"
    where = " in a column" if result.measured > result.rate else ""
    rate = f"{result.name} succeeds at {100 * result.measured:.1f} % of what it tried{where}"
    return f"{rate}; {100 * (result.threshold or 0):.1f} % is allowed"


def check_attacks(names: Sequence[str]) -> None:
    """Raise `PolicyError` for an attack that does not exist, and if none is named."""
    if isinstance(names, str) or not names:
        raise PolicyError("attacks: give a list of names of attacks, or leave it out to run all that can be")
    for name in names:
        if name not in ATTACKS:
            raise PolicyError(f"attacks: there is no attack {name!r}.{suggestion(name, ATTACKS)}")


def attacked(target: Target, names: Sequence[str] | None = None) -> AttackReport:
    """Run attacks on a release: those that are named, or all that can be run.

    `PolicyError` if one that is named cannot be.
    """
    results: list[AttackResult] = []
    skipped: dict[str, str] = {}
    for name, kind in ATTACKS.items():
        if names is not None and name not in names:
            if name in target.allowed:
                skipped[name] = "the policy limits it, but it was not requested"
            continue
        if names is None and name not in target.allowed and kind.of_logs != (target.log is not None):
            continue
        attack = kind()
        lacking = attack.lacking(target)
        if lacking is None:
            results.append(attack.run(target))
        elif names is not None:
            raise PolicyError(f"the attack {name!r} cannot be run: {lacking}")
        else:
            skipped[name] = lacking
    unmeasured = () if names is not None else tuple(name for name in target.allowed if name in skipped)
    return AttackReport(results=tuple(results), skipped=skipped, unmeasured=unmeasured)
