"""The keys of [attacks]: the highest success rate that an attack may have."""

from __future__ import annotations

from shoal.model.policy.attack_names import ATTACK_NAMES
from shoal.model.policy.keys.key import Argument, PolicyKey

ATTACKS = tuple(
    PolicyKey(
        table="attacks",
        name=name,
        kinds=(int, float),
        words=f"The highest success rate, 0 to 1, that the attack {name} may have.",
        least=0,
        most=1,
    )
    for name in ATTACK_NAMES
)

LIMITS = Argument(
    keyword="attacks",
    annotation="Mapping[str, float]",
    words="Per attack the highest success rate, 0 to 1, that the policy allows. `composition` is measured "
    "before the release is published, if a ledger is kept.",
    panel="Release",
    table="attacks",
)
"""All limits together, as Python states them."""
