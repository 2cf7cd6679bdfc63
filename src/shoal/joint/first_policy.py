"""The policy that `shoal joint init` writes: all parties complete, compare and sign it by its digest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def first_policy(
    holders: Sequence[str],
    columns: Sequence[str],
    k: int,
    *,
    desk: str,
    recipient: str | None,
    address: str,
    insider: bool,
    fingerprints: Mapping[str, str],
) -> str:
    """The text of a policy.

    Parameters
    ----------
    holders, desk, recipient
        The parties.
    columns
        The quasi-identifiers; each gets a hierarchy file of its own name.
    k
        Least rows of a group.
    address
        Where the desk listens.
    insider
        Whether a group must have k rows without those of any one holder.
    fingerprints
        Every party's.
    """
    lines = [
        "# One release of several holders. Every party has this file, the hierarchies and all certificates;",
        "# `shoal joint digest` prints the same digest everywhere, or somebody has something else.",
        "",
        "[joint]",
        f"holders = {json.dumps(list(holders))}",
        f"desk = {json.dumps(desk)}",
        *([] if recipient is None else [f"recipient = {json.dumps(recipient)}"]),
        f"address = {json.dumps(address)}",
        f"insider = {str(insider).lower()}",
        "",
        "[joint.parties]",
        *(f"{json.dumps(name)} = {json.dumps(each)}" for name, each in fingerprints.items()),
        "",
        "[privacy]",
        f"k = {k}",
        "",
        "[objective]",
        'cost = "general-loss"',
        "suppression = 0",
        "",
    ]
    for column in columns:
        lines += [
            f"[attributes.{json.dumps(column)}]",
            'role = "quasi-identifier"',
            f"hierarchy = {json.dumps(f'{column}.csv')}",
            "",
        ]
    return "\n".join(lines)
