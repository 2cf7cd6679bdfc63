"""Privacy models by the name they have in a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import PolicyError
from shoal.model.names import hint
from shoal.privacy._base import Group, PrivacyModel
from shoal.privacy.k_anonymity import KAnonymity

MODELS: dict[str, type[PrivacyModel]] = {model.name: model for model in (KAnonymity,)}


def check_models(models: Sequence[Mapping[str, object]]) -> None:
    """Raise `PolicyError` for a model that does not exist: a demand must never be passed over in silence."""
    for entry in models:
        name = entry.get("name")
        if not isinstance(name, str):
            raise PolicyError(f"each entry of `models` needs a name.{hint('', MODELS)}")
        if name not in MODELS:
            raise PolicyError(f"there is no privacy model {name!r}.{hint(name, MODELS)}")
        further = sorted(set(entry) - {"name"})
        if further:
            raise PolicyError(
                f"privacy model {name!r} takes no {', '.join(further)} here; its k is the k of the policy"
            )


__all__ = ["MODELS", "Group", "KAnonymity", "PrivacyModel", "check_models"]
