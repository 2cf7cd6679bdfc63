"""What a release that can be extended, or extends another, may ask for; decided before any row is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.recoding.recoding import DomainRecoding, Recoding
from shoal.pipeline.demands import models_of
from shoal.privacy import PrivacyModel, SensitiveModel

PER_COLUMN = "the release shall be extended later"
"""Why one recoding per column is chosen."""


def check_request(policy: Policy, *, proof: bool = False) -> None:
    """Raise `PolicyError` where versions of a release could not be kept from being compared.

    Parameters
    ----------
    policy
        A policy that has a `row_key`.
    proof
        Whether a proof or a certificate is required.
    """
    if policy.extend is not None and proof:
        raise PolicyError(
            "a release that extends another has the labels of that one, and nothing is searched or proved; "
            "leave out extend, or what requires a proof"
        )
    if not isinstance(policy.release, Path):
        raise PolicyError(
            "row_key writes a private register next to the release, so the release must be a file; name one "
            "(path=..., --output), or leave out row_key"
        )
    if policy.extend is not None and policy.release.suffix != policy.extend.suffix:
        raise PolicyError(
            "a release and the one that it extends are files of the same kind; name such a file"
        )
    refused = {
        "entity": policy.entity is not None,
        "linkable": policy.linkable,
        "household": policy.household is not None,
        "sets": bool(policy.sets),
        "subset": policy.subset is not None,
        "population": policy.population is not None,
        "survey_weight": policy.survey_weight is not None,
        'suppressed = "mask"': policy.suppressed == "mask",
        "companions": policy.companions,
        "nested": policy.nested,
        "accept_unverified": policy.accept_unverified,
        "a recoding model": policy.recoding_model is not None,
        **{f"the treatment of {name!r}": True for name in policy.treatments},
    }
    for what, stated in refused.items():
        if stated:
            raise PolicyError(
                f"a release with row_key cannot have {what}: nobody has worked out what two versions of it "
                "reveal together; leave out one of them"
            )
    for model in models_of(policy):
        if not _is_known(model):
            raise PolicyError(
                f"a release with row_key cannot have the model {model.name!r}: only models of the values of "
                "one column in a group, such as distinct-l-diversity, are checked over several versions; "
                "leave out one of them"
            )


def stated_models(models: Iterable[PrivacyModel]) -> tuple[dict[str, Any], ...]:
    """Models as a register has them, each once and in the same order however they were stated.

    Parameters
    ----------
    models
        The models that a policy demands.
    """
    texts = {json.dumps({"name": each.name, **asdict(each)}, sort_keys=True, default=str) for each in models}
    return tuple(json.loads(each) for each in sorted(texts))


def refuse_extend(policy: Policy, what: str) -> None:
    """Raise `PolicyError` if a policy extends a release; for what would search for another recoding."""
    if policy.extend is not None:
        raise PolicyError(
            f"the policy extends a release, whose labels stay as they are, and {what} is about other "
            "recodings; leave out extend"
        )


def _is_known(model: PrivacyModel) -> bool:
    """Whether a model looks at nothing but the values of a group: the rest changes from version to "
    "version."""
    return isinstance(model, SensitiveModel) and not model.compares_with_table and not model.joint


def check_examined(policy: Policy, released: Sequence[str]) -> None:
    """Raise `PolicyError` unless the columns that models examine are released as they are."""
    quasi = [each.name for each in policy.quasi_identifiers]
    for model in models_of(policy):
        for name in model.columns:
            if name in quasi or name not in released:
                raise PolicyError(
                    f"the model {model.name!r} examines {name!r}, which is not released as it is, so "
                    "versions cannot be compared by it; leave out row_key, or the model"
                )


def check_recoding(recoding: Recoding) -> None:
    """Raise `PolicyError` if equal values are released differently: new rows could not join them."""
    if not isinstance(recoding, DomainRecoding):
        raise PolicyError(
            "row_key is for releases with one recoding per column, and the policy's algorithm recodes row by "
            "row; leave out the algorithm, or choose lattice, subtree or exact"
        )
