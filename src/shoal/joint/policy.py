"""The policy of a joint release: what all parties sign by its digest.

It is a policy like any other, with hierarchies that are files and with a table [joint] that names the
parties. Everything that would need rows before the protocol begins is refused with a sentence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.joint.stated import Stated, stated_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_toml import JOINT, parsed_toml, policy_of_tables
from shoal.network.identity import Certificate

VERSION = 1
"""Of the protocol; parties of different versions do not talk."""

COSTS = ("general-loss", "ncp", "precision", "height", "relative-height", "suppressed-rows")
"""Sums over cells whose prices follow from the hierarchies: nothing else can be priced by masked sums."""

MOST_HOLDERS = 64


@dataclass(frozen=True, kw_only=True)
class JointPolicy:
    """What several holders and a desk agreed on.

    Parameters
    ----------
    policy
        Columns, k, cost, limits.
    stated
        The table [joint].
    certificates
        Every party's certificate, by its name.
    """

    policy: Policy
    stated: Stated
    certificates: Mapping[str, Certificate]

    def __post_init__(self) -> None:
        _check_parties(self.stated)
        _refuse(self.policy)
        for attribute in self.policy.quasi_identifiers:
            _check_column(attribute)

    @classmethod
    def read(cls, path: Path, certificates: Path | None = None) -> JointPolicy:
        """The policy in a file.

        Parameters
        ----------
        path
            The policy.
        certificates
            The folder with every party's NAME.crt; the folder `certificates` next to the policy when absent.
        """
        # Imported here: reading a policy opens no engine.
        from shoal.api.read_policy import policy_options, policy_text

        try:
            tables = parsed_toml(policy_text(path))
            stated = stated_of(tables.pop(JOINT, None))
            policy = policy_of_tables(tables, path.parent, policy_options)
            folder = path.parent / "certificates" if certificates is None else certificates
            return cls(policy=policy, stated=stated, certificates=_certificates(stated, folder))
        except PolicyError as error:
            raise PolicyError(f"{path.name}: {error}") from None

    @property
    def holders(self) -> tuple[str, ...]:
        """Those who have rows, in the order of the policy."""
        return self.stated.holders

    @cached_property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Per quasi-identifier its hierarchy; read once, so that a file may change afterwards."""
        return tuple(_hierarchy(each) for each in self.policy.quasi_identifiers)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that is agreed: the policy, the hierarchies' content, the parties' certificates."""
        agreed: dict[str, Any] = {
            "version": VERSION,
            "policy": self.policy.digest,
            "hierarchies": [each.rows for each in self.hierarchies],
            "joint": self.stated.agreed,
        }
        return hashlib.sha256(json.dumps(agreed, sort_keys=True).encode()).hexdigest()

    @property
    def heights(self) -> tuple[int, ...]:
        """Per quasi-identifier the levels above its values."""
        return tuple(each.height for each in self.hierarchies)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Per quasi-identifier the least and the greatest level that is allowed."""
        return tuple(
            (each.min_level, height if each.max_level is None else each.max_level)
            for each, height in zip(self.policy.quasi_identifiers, self.heights, strict=True)
        )


def _certificates(stated: Stated, folder: Path) -> dict[str, Certificate]:
    """The certificates that the policy pins."""
    found = {}
    for name, fingerprint in stated.parties.items():
        certificate = Certificate.load(folder / f"{name}.crt")
        if (certificate.name, certificate.fingerprint) != (name, fingerprint):
            raise PolicyError(
                f"[joint.parties]: {folder / f'{name}.crt'} is not the certificate of {name} that the policy "
                "pins; ask that party for the file, and compare the fingerprint with it"
            )
        found[name] = certificate
    return found


def _check_parties(stated: Stated) -> None:
    if not 2 <= len(stated.holders) <= MOST_HOLDERS:
        raise PolicyError(
            f"[joint]: holders names {len(stated.holders)} part{'y' if len(stated.holders) == 1 else 'ies'}; "
            f"there are from 2 to {MOST_HOLDERS}, and one alone uses `shoal anonymize`"
        )
    if not stated.desk and (len(stated.holders) != 3 or stated.insider):
        raise PolicyError("[joint]: without a desk there are exactly three holders, and no insider demand")
    named = (*stated.holders, *([stated.desk] if stated.desk else []))
    if len(set(named)) < len(named):
        raise PolicyError(
            "[joint]: a party is named twice; the desk has no rows, so it is none of the holders"
        )
    unpinned = [name for name in (*named, stated.recipient) if name not in stated.parties]
    if unpinned:
        raise PolicyError(f"[joint.parties] has no fingerprint for {', '.join(dict.fromkeys(unpinned))}")
    strangers = [name for name in stated.parties if name not in (*named, stated.recipient)]
    if strangers:
        raise PolicyError(
            f"[joint.parties] names {', '.join(strangers)}, which is neither holder, desk nor recipient"
        )
    if len(set(stated.parties.values())) < len(stated.parties):
        raise PolicyError("[joint.parties]: two parties have one fingerprint; every party has its own key")


_REFUSED: tuple[tuple[str, Callable[[Policy], bool], str], ...] = (
    ("[source]", lambda p: p.source is not None, "every holder names its own table: --data"),
    ("models", lambda p: bool(p.models), "only k is demanded of groups whose rows nobody sees together"),
    ("entity, linkable and household", lambda p: bool(p.entity or p.household), "every row is a person"),
    ("survey_weight", lambda p: p.survey_weight is not None, "groups are counted in rows"),
    ("population", lambda p: p.population is not None, "groups are counted in rows"),
    ("subset", lambda p: p.subset is not None, "every holder takes part with the rows of its own table"),
    ("sets", lambda p: bool(p.sets), "all quasi-identifiers are known together"),
    ("harden", lambda p: p.harden, "a recoding by levels needs no hardening"),
    ("model", lambda p: p.recoding_model is not None, "the release is a recoding by levels"),
    ("accept_unverified", lambda p: p.accept_unverified, "the audit must hold"),
    ("gs_factor", lambda p: p.gs_factor != 0.5, "costs are as they are defined"),
    ("companions and nested", lambda p: p.companions or p.nested, "a release has the holders' columns"),
    ("treatments", lambda p: bool(p.treatments), "treat those columns before, each holder its own"),
    ("[front]", lambda p: p.front is not None, "there is one release"),
    ("[attacks]", lambda p: bool(p.attacks), "attack the release when it is there: `shoal attack`"),
    ("ledger", lambda p: p.ledger is not None, "add the release to a ledger when it is there"),
    ("row_key and extend", lambda p: p.row_key is not None, "a joint release is not extended"),
    ("[search] options", lambda p: bool(p.options), "lattice has none"),
)


def _refuse(policy: Policy) -> None:
    """Raise `PolicyError` for what a joint release cannot do."""
    for what, is_stated, why in _REFUSED:
        if is_stated(policy):
            raise PolicyError(f"a joint release does not take {what}: {why}; leave it out")
    if policy.algorithm not in ("auto", "lattice"):
        raise PolicyError(
            f"a joint release is searched by 'lattice', not by {policy.algorithm!r}; leave out algorithm"
        )
    if policy.cost not in COSTS:
        raise PolicyError(
            f"a joint release minimizes {', '.join(COSTS)}: sums over cells that holders can add up behind "
            f"masks; {policy.cost!r} is none of them"
        )
    if policy.release is not None and Path(policy.release).suffix.lower() != ".csv":
        raise PolicyError("a joint release is written as .csv; name such a file under [release]")


def _check_column(attribute: Attribute) -> None:
    name = attribute.name
    if attribute.bin is not None:
        raise PolicyError(
            f"column {name!r} has a bin; in a joint release the hierarchy's file lists the values, "
            "so make the bins its first level, and say min_level = 1"
        )
    _hierarchy(attribute)


def _hierarchy(attribute: Attribute) -> Hierarchy:
    """The hierarchy of a column, which must be given: a domain never comes from data."""
    given = attribute.given_hierarchy()
    if given is None:
        raise PolicyError(
            f"column {attribute.name!r} has no hierarchy file; in a joint release the domain of a column "
            'comes from the policy and never from rows: hierarchy = "FILE.csv" (`shoal hierarchy build` '
            "makes one from values that are public)"
        )
    return given


def without_clock(policy: Policy) -> Policy:
    """The policy without the half minute that nobody stated: other machines are slower than this one."""
    return replace(policy, budget=replace(policy.budget, seconds=None)) if policy.budget.assumed else policy
