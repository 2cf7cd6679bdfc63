"""The attack `senders`: who remains possible for each message of a log, all messages considered together."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.attacks._assignments import NoAssignmentError, matched, possible_senders
from shoal.auditor.attacks.sender_log import sender_log
from shoal.errors import PolicyError
from tests.agreement.thoroughness import examples
from tests.cli.command import shoal as command

THREE = pd.DataFrame({"possible": ["a;b", "a;b", "a;b;c"]})


def possible(log: pd.DataFrame, **arguments: object) -> list[int]:
    """Per message the number of senders that the attack leaves."""
    [result] = shoal.attack(log, senders="possible", **arguments).results  # type: ignore[arg-type]
    found = result.facts["possible_senders"]
    assert isinstance(found, list)
    return found


def by_trying_all(choices: list[list[int]]) -> list[int] | None:
    """The same, from all assignments one after the other; `None` if there is none."""
    seen: list[set[int]] = [set() for _ in choices]
    for senders in product(*choices):
        if len(set(senders)) == len(senders):
            for place, sender in enumerate(senders):
                seen[place].add(sender)
    return [len(own) for own in seen] if all(seen) else None


def test_the_third_of_three_messages_is_told_by_the_other_two() -> None:
    """a and b sent the first two, in whatever order; c is left for the third."""
    assert possible(THREE, once=True, k=2) == [2, 2, 1]
    report = shoal.attack(THREE, senders="possible", once=True, k=2)
    assert not report.holds
    assert report.results[0].facts["least"] == 1
    assert report.results[0].facts["narrowed"] == 1


def test_without_the_constraint_sets_are_all_there_is() -> None:
    """A sender who may send often rules nobody out."""
    assert possible(THREE, k=2) == [2, 2, 3]
    assert shoal.attack(THREE, senders="possible", k=2).holds
    assert not shoal.attack(THREE, senders="possible", k=3).holds


def test_one_pseudonym_is_one_sender() -> None:
    """The messages of a pseudonym have the senders that all of them allow; one without stands alone."""
    log = pd.DataFrame({"possible": ["a;b;c", "b;c;d", "a;b;c;d", "b;c"], "alias": ["x", "x", None, None]})
    assert possible(log, pseudonym="alias") == [2, 2, 4, 2]
    assert possible(log, pseudonym="alias", once=True) == [2, 2, 2, 2]


@settings(max_examples=examples(2000), deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda senders: st.lists(
            st.sets(st.integers(0, senders - 1), min_size=1, max_size=4).map(sorted), min_size=1, max_size=5
        )
    )
)
def test_matching_finds_what_trying_all_assignments_finds(choices: list[list[int]]) -> None:
    """Pairs of some assignment count, no others do; without one, some messages have too few senders."""
    expected = by_trying_all(choices)
    if expected is None:
        with pytest.raises(NoAssignmentError) as found:
            possible_senders(choices, 6)
        assert found.value.messages > found.value.senders
    else:
        assert possible_senders(choices, 6) == expected


def test_thousands_of_random_logs_agree_with_trying_all() -> None:
    """Denser logs than those above, in which nearly every sender is taken."""
    draw, consistent = random.Random(27), 0
    for _ in range(3000):
        senders = draw.randint(2, 6)
        truth = draw.sample(range(senders), draw.randint(1, senders))
        choices = [
            sorted({own, *draw.sample(range(senders), draw.randint(0, min(2, senders)))}) for own in truth
        ]
        expected = by_trying_all(choices)
        assert expected is not None
        assert possible_senders(choices, senders) == expected
        consistent += any(count < len(own) for count, own in zip(expected, choices, strict=True))
    assert consistent > 1000  # the constraint told something


def test_a_matching_gives_every_message_a_sender_of_its_own() -> None:
    """Also along paths that are as long as the log: each sender fits two neighbours."""
    choices = [[place, place + 1] if place else [0] for place in range(5_000)][::-1]
    mate, owner = matched(choices, 5_001)
    assert sorted(mate) == list(range(5_000))
    assert all(owner[sender] == message for message, sender in enumerate(mate))
    assert possible_senders([own[:1] if len(own) == 1 else own for own in choices], 5_001)[-1] == 1


def test_the_work_grows_with_the_log_and_not_with_its_square() -> None:
    """Ten thousand messages of a tight log, each with ten possible senders; the square would not end here."""
    draw = random.Random(1)
    truth = draw.sample(range(10_000), 10_000)
    choices = [sorted({own, *(draw.randrange(10_000) for _ in range(9))}) for own in truth]
    assert min(possible_senders(choices, 10_000)) >= 1


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a;b", "c"], [2, 1]),
        (["{a, b}", "{c}"], [2, 1]),
        (["['a', 'b']", "['c']"], [2, 1]),
        (["Doe, Jane|Roe, Richard", "Doe, Jane"], [2, 1]),
        (["a ; a;b;", "b"], [2, 1]),
    ],
)
def test_sets_are_read_as_people_write_them(cells: list[str], names: list[int]) -> None:
    """One separator per column; a comma in a name is none where another sign separates."""
    log = sender_log(cells, None, once=False)
    assert [len(own) for own in log.cases] == names


@pytest.mark.parametrize(
    ("log", "arguments", "message"),
    [
        ({"possible": ["a", "a"]}, {"once": True}, "contradicts itself: 2 .* only 1 possible"),
        ({"possible": ["a;b", None]}, {}, "message 2 of the log has no possible sender"),
        ({"possible": ["a;b", "c"], "alias": ["x", "x"]}, {"pseudonym": "alias"}, "message 2 .* in common"),
        ({"possibly": ["a"]}, {}, "no column 'possible'. Did you mean 'possibly'"),
        ({"possible": ["a"]}, {"pseudonym": "possible"}, "they are two columns"),
        (
            {"possible": ["a"]},
            {"quasi_identifiers": ["age"]},
            "leave out what is about releases: quasi_ident",
        ),
        ({"possible": ["a"]}, {"policy": "policy.toml"}, "a policy is complete; leave out senders"),
        ({"possible": ["a"]}, {"attacks": ["linkage"]}, "senders is the only attack"),
        ({"possible": ["a"]}, {"allowed": {"senders": 2}}, "from 0 to 1"),
        ({"possible": ["a"]}, {"k": 0}, "k must be"),
    ],
)
def test_what_does_not_fit_a_log_is_said(
    log: dict[str, list[str | None]], arguments: dict[str, object], message: str
) -> None:
    """What was found, where, and the way out."""
    with pytest.raises(PolicyError, match=message):
        possible(pd.DataFrame(log), **arguments)


def test_what_is_about_a_log_needs_one() -> None:
    """Without the column of senders, once would be ignored; and no release has senders."""
    with pytest.raises(PolicyError, match="name its column of senders"):
        shoal.attack(THREE, quasi_identifiers=["possible"], once=True)
    with pytest.raises(PolicyError, match="no column of possible senders"):
        shoal.attack(THREE, quasi_identifiers=["possible"], attacks=["senders"])


def test_the_command_says_whether_k_holds(tmp_path: Path) -> None:
    """Exit code 5 and a line per attack; --allow states a share of messages."""
    THREE.to_csv(tmp_path / "log.csv", index=False)
    on_log = ("attack", "log.csv", "--senders", "possible")
    found = command(tmp_path, *on_log, "--once", "-k", "2")
    assert found.returncode == 5
    assert "senders succeeds at 33.3 % of what it tried; 0.0 % is allowed" in found.stderr
    found = command(tmp_path, *on_log, "--once", "-k", "2", "--allow", "senders=0.4", "--json", "--quiet")
    assert found.returncode == 0
    assert json.loads(found.stdout)["attacks"]["senders"]["possible_senders"] == [2, 2, 1]
    assert command(tmp_path, *on_log, "-q", "age").returncode == 2
