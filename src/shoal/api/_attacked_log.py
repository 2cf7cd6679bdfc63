"""The part of `shoal.attack` that is about a log of messages: what applies to it, and its only attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.auditor.attacks.report import AttackReport, attacked, check_attacks
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.table.number_text import is_finite
from shoal.pipeline.message_log import log_target

_ATTACK = "senders"


def attacked_log(
    source: Any,
    *,
    senders: str,
    pseudonym: str | None,
    once: bool,
    k: int,
    allowed: Any,
    attacks: Sequence[str] | None,
    engine: SqlEngine | None,
    others: Mapping[str, object],
) -> AttackReport:
    """Attack the senders of a log.

    Parameters
    ----------
    source
        The log.
    senders, pseudonym, once, k, allowed, attacks, engine
        As in `shoal.attack`.
    others
        The arguments of the call that are about releases: refused if they are given.
    """
    given = [name for name, value in others.items() if not isinstance(value, Sequence | Mapping) or value]
    if given:
        raise PolicyError(
            f"with senders the table is a log of messages; leave out what is about releases: "
            f"{', '.join(given)}"
        )
    if allowed is not None and not isinstance(allowed, Mapping):
        raise PolicyError(f"allowed is a mapping of names; it is {allowed!r}")
    if attacks is not None:
        check_attacks(attacks)
    if any(name != _ATTACK for name in (*(attacks or ()), *(allowed or {}))):
        raise PolicyError("with senders the table is a log of messages; senders is the only attack on one")
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise PolicyError(f"k must be a whole number of at least 1; it is {k!r}")
    for rate in (allowed or {}).values():
        if not is_finite(rate) or not 0 <= rate <= 1:
            raise PolicyError(f"the rate of {_ATTACK!r} must be a number from 0 to 1; it is {rate!r}")
    target = log_target(
        source, senders=senders, pseudonym=pseudonym, once=once, k=k, allowed=allowed or {}, engine=engine
    )
    return attacked(target, [_ATTACK])
