"""Runs the anonymizer on recorded messages; the same recording gives the same answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import PolicyError
from shoal.location.cloaking import CLOAKERS
from shoal.location.cloaking.answers import Answer, Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.attacks.effective_k import EffectiveK
from shoal.location.cloaking.attacks.intersection import Intersection
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.messages import Cancel, Message, Request
from shoal.location.cloaking.metrics import Metrics
from shoal.location.cloaking.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What came of a recording.

    Parameters
    ----------
    answers
        All answers, in their order.
    metrics
        The figures.
    checks
        How far the attacks got.
    counts
        What the engine counted.
    """

    answers: tuple[Answer, ...]
    metrics: dict[str, Any]
    checks: tuple[CheckResult, ...]
    counts: dict[str, int]


def engine_of(algorithm: str, settings: Settings) -> Engine:
    """An anonymizer with a way of cloaking, by its name."""
    if algorithm not in CLOAKERS:
        raise PolicyError(f"there is no way of cloaking {algorithm!r}. There are: {', '.join(CLOAKERS)}")
    return Engine(CLOAKERS[algorithm](settings), settings)


def replay(
    messages: Iterable[Message],
    algorithm: str,
    settings: Settings,
    *,
    checks: Sequence[Check] = (),
    measure: bool = True,
    on_progress: Callable[[int], None] | None = None,
) -> Replayed:
    """Let an anonymizer answer recorded messages.

    Parameters
    ----------
    messages
        The recording.
    algorithm
        The way of cloaking.
    settings
        What it is told.
    checks
        Attacks to run.
    measure
        Whether to measure effective and historical k, which takes longer than cloaking.
    on_progress
        Called with the number of messages so far.
    """
    engine, metrics = engine_of(algorithm, settings), Metrics()
    effective, historical = EffectiveK(), Intersection()
    watching: list[Check] = [*checks, *((effective, historical) if measure else ())]
    answers: list[Answer] = []

    def see(new: list[Answer]) -> None:
        for answer in new:
            metrics.saw(answer, settings.tolerance)
            if isinstance(answer, Cloak):
                for check in watching:
                    check.saw(answer, engine)
        answers.extend(new)

    for number, message in enumerate(messages, 1):
        begin = time.perf_counter()
        try:
            new = engine.take(message)
        except PolicyError as error:
            raise PolicyError(f"message {number:,}: {error}") from None
        metrics.took += time.perf_counter() - begin
        metrics.messages = number
        _shown(message, engine.forgotten, watching, metrics)
        see(new)
        if on_progress:
            on_progress(number)
    see(engine.end())
    measured = (effective.result(), historical.result()) if measure else (None, None)
    return Replayed(
        answers=tuple(answers),
        metrics=metrics.facts(*measured),
        checks=tuple(check.result() for check in checks),
        counts=engine.counts(),
    )


def _shown(message: Message, forgotten: Sequence[str], watching: Sequence[Check], metrics: Metrics) -> None:
    """Let attackers see what a message says, and who no longer counts, before they see what is answered."""
    if isinstance(message, Request):
        metrics.asked += 1
    for check in watching:
        if isinstance(message, Request):
            check.asked(message.user)
        for user in forgotten:
            check.moved(user, message.time, None)
        if not isinstance(message, Cancel) and message.x is not None and message.y is not None:
            check.moved(message.user, message.time, (message.x, message.y))
