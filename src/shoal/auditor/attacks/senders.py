"""How many senders remain possible for each message of a log, all messages considered together.

Hughes and Shmatikov describe what an observer knows of a function, here from messages to senders, and call it
k-value opaque if at least k values stay possible for every argument. A sender stays possible for a message if
some consistent assignment of all messages has them together; the sets of the single messages are not enough:
{a, b}, {a, b} and {a, b, c} with one message per sender leave only c for the third.

Paper: Hughes and Shmatikov, Journal of Computer Security 12(1), 2004; written from accounts of it.
"""

from __future__ import annotations

from collections import Counter

from shoal.auditor.attacks._assignments import NoAssignmentError, possible_senders
from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks.sender_log import SenderLog
from shoal.errors import PolicyError


class Senders(Attack):
    """Narrow down who sent each message of a log."""

    name = "senders"
    of_logs = True
    criterion = "linkability"
    needs = ("log",)

    def run(self, target: Target) -> AttackResult:
        """Succeeds for messages with fewer than k possible senders; with one, where no k is promised."""
        log = target.log
        assert log is not None
        of_case = _possible(log)
        possible = [of_case[case] for case in log.of_message]
        alone = sum(count == 1 for count in possible)
        below = sum(count < target.least for count in possible)
        by_count = sorted(Counter(possible).items())
        narrowed = sum(count < own for count, own in zip(possible, log.alone, strict=True))
        words = (
            f"Messages: {len(possible):,}; senders: {log.senders:,}. Least number of possible senders: "
            f"{min(possible):,}. With one possible sender: {alone:,}; with fewer than {target.least}: "
            f"{below:,}. Narrowed down by other messages: {narrowed:,}."
        )
        return AttackResult(
            name=self.name,
            criterion=self.criterion,
            tried=len(possible),
            succeeded=below,
            threshold=target.threshold_below_k(self.name),
            words=words,
            facts={
                "least": min(possible),
                "alone": alone,
                "below_k": below,
                "narrowed": narrowed,
                "messages_by_possible_senders": [list(each) for each in by_count],
                "possible_senders": possible,
            },
        )


def _possible(log: SenderLog) -> list[int]:
    """Per case the number of senders in some consistent assignment."""
    if not log.once:
        # Any sender can have several cases, so that every choice of one fits every choice of the others.
        return [len(own) for own in log.cases]
    try:
        return possible_senders(log.cases, log.senders)
    except NoAssignmentError as found:
        raise PolicyError(
            f"the log contradicts itself: {found.messages:,} of its messages or pseudonyms have together "
            f"only {found.senders:,} possible senders, and each sender is said to have at most one; correct "
            "the sets, or leave out once (flag: --once)"
        ) from None
