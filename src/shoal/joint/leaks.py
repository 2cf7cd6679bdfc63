"""What each party of a joint release learns, in words: for the manifest, the commands and the docs.

The tests of transcripts show that what a party receives is a function of this and of fresh randomness.
"""

from __future__ import annotations

from shoal.joint.policy import JointPolicy

INVENTED = "A holder that hides rows or invents them is not caught by the protocol."
COLLUDING = "The desk together with a holder learns which combinations of values occur at every other holder."


def statement(policy: JointPolicy) -> dict[str, list[str]]:
    """Party -> what it learns."""
    stated = policy.stated
    if not stated.desk:
        return without_desk(policy)
    desk = [
        "the policy, and the columns of the tables",
        "the number of rows of all holders together, and per column and level the sum of their losses",
        "per visited node and holder, how many of its groups have 1, 2, ..., k - 1 and at least k rows, and "
        "how many groups two holders share, by names that differ from node to node",
        "per priced node, the sum over all holders of what refused rows cost",
        "the levels of the release, and their cost",
    ]
    release = "the release, and which of its rows came from which holder"
    holder = [
        "the policy, and the number of rows of all holders together",
        "the nodes that the search visited, the levels of the release, and their cost",
        "at each node that was priced, and at the levels of the release: for each of its own groups, whether "
        "it is refused",
    ]
    if stated.recipient == stated.desk:
        return {stated.desk: [*desk, release], "each holder": holder}
    return {stated.desk: desk, "each holder": holder, stated.recipient: [release]}


def without_desk(policy: JointPolicy) -> dict[str, list[str]]:
    """Party -> what it learns where three holders do without a desk."""
    holder = [
        "the policy, the number of rows of all holders together, and per column and level the sum of their "
        "losses",
        "the nodes that the search visited; per node how many groups are smaller than k, how many rows these "
        "have, and where they could be released, what they would cost",
        "per visited node, how many groups each other holder has, and which of its own groups each other "
        "holder has, too",
        "at the levels of the release, for each of its own groups, whether it is refused",
    ]
    first = "the release, and which of its rows came from which holder"
    return {"each holder": holder, policy.stated.recipient: [first]}


def limits(policy: JointPolicy) -> list[str]:
    """What the protocol does not promise."""
    if not policy.stated.desk:
        return [
            "All holders keep to the protocol, and no two of them put their notes together.",
            INVENTED,
            "A holder that owns all but one row of a group can subtract its own.",
        ]
    whole = (
        "A group has k rows without those of any one holder."
        if policy.stated.insider
        else "A holder that owns all but one row of a group can subtract its own; `insider` forbids that."
    )
    return [
        "All parties keep to the protocol, and the desk shares nothing with a holder.",
        COLLUDING,
        INVENTED,
        whole,
    ]
