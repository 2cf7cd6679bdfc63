"""One run as each party takes part in it: opens what it needs, talks, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.engines.connection import engine_for
from shoal.errors import PartyError, PolicyError
from shoal.joint.desk import Desk, Finished
from shoal.joint.holder import Holder, Learned
from shoal.joint.own_rows import OwnRows, check_roles
from shoal.joint.policy import JointPolicy
from shoal.joint.recipient import Published, Recipient
from shoal.joint.remote_recipient import receive_release
from shoal.model.policy.budget import ProgressCallback
from shoal.model.result.coded_warning import CodedWarning
from shoal.network.identity import Identity
from shoal.network.meeting import Door


def be_desk(
    policy: JointPolicy,
    identity: Identity,
    target: Path | None,
    *,
    listen: tuple[str, int] | None = None,
    replace: bool = False,
    on_progress: ProgressCallback | None = None,
    on_open: Callable[[int], None] | None = None,
) -> Finished:
    """Be the desk of one run.

    Parameters
    ----------
    policy, identity
        What was agreed, and who this is.
    target
        The file to write; `None` where another party is the recipient.
    listen
        Where to listen, if that is not the policy's address.
    replace
        Whether a file that is no release of Shoal may be replaced.
    on_progress
        Called now and then while the search runs.
    on_open
        Called with the port, once the door is open.
    """
    stated = policy.stated
    if identity.name != stated.desk:
        raise PolicyError(f"{identity.name} is not the desk; the policy names {stated.desk}")
    if (target is None) == (stated.recipient == stated.desk):
        raise PolicyError(
            "say where the release shall be written (--output, or [release] path)"
            if target is None
            else f"the policy names {stated.recipient} as the recipient, so the desk writes nothing; leave "
            "out --output"
        )
    recipient = None if target is None else Recipient(policy, target, replace=replace)
    expected = [each for name, each in policy.certificates.items() if name != stated.desk]

    async def run() -> Finished:
        async with Door(*(listen or stated.place), identity, expected) as door:
            if on_open is not None:
                on_open(door.port)
            try:
                return await Desk(policy, identity, recipient, on_progress=on_progress).run(door)
            except PartyError as error:
                if not door.refused:
                    raise
                refused = ", ".join(f"{reason} ({times:,})" for reason, times in sorted(door.refused.items()))
                raise PartyError(
                    error.party, f"{error.what}. At the door were turned away: {refused}"
                ) from None

    return asyncio.run(run())


def be_holder(
    policy: JointPolicy,
    identity: Identity,
    source: Any,
    *,
    on_warnings: Callable[[tuple[CodedWarning, ...]], None] | None = None,
    on_node: Callable[[int], None] | None = None,
) -> Learned:
    """Be a holder of one run.

    Parameters
    ----------
    policy, identity
        What was agreed, and who this is.
    source
        The holder's own table.
    on_warnings
        Called with what the holder should look at in it, before anybody is talked to.
    on_node
        Called with the number of nodes that were answered.
    """
    check_roles(policy)
    with engine_for(source) as engine:
        rows = OwnRows(policy, engine, source)
        if on_warnings is not None:
            on_warnings(rows.warnings)
        return asyncio.run(Holder(policy, identity, rows, on_node).run())


def be_recipient(
    policy: JointPolicy, identity: Identity, target: Path, *, replace: bool = False
) -> Published:
    """Be the recipient of one run, where that is neither the desk nor a holder.

    Parameters
    ----------
    policy, identity
        What was agreed, and who this is.
    target
        The file to write.
    replace
        Whether a file that is no release of Shoal may be replaced.
    """
    stated = policy.stated
    if identity.name != stated.recipient or identity.name in (stated.desk, *stated.holders):
        raise PolicyError(f"{identity.name} has no part as a recipient of its own in this policy")
    return asyncio.run(receive_release(policy, identity, Recipient(policy, target, replace=replace)))
