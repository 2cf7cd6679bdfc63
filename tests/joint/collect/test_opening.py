"""What the collector can open of what customers send, without any network."""

from __future__ import annotations

import dataclasses
import itertools
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PolicyError
from shoal.joint.collect.blinding import blinded, evaluated, new_scalar, point_of, times, unblinded
from shoal.joint.collect.message import Message, Polynomial, message_bytes
from shoal.joint.collect.opening import Opened, opened
from shoal.joint.collect.row_text import canonical, divided, joined, padded, unpadded
from shoal.joint.collect.sealing import OVERHEAD, SealingKey, sealed
from shoal.joint.collect.sharing import PRIME, secret
from tests.joint.collect.running import NINE

SIZE = 64
HELPERS = (new_scalar(), new_scalar(), new_scalar())
cells = st.text("ab é", max_size=2).map(canonical)
tables = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=14)


def polynomial(row: Sequence[str], k: int, helpers: Sequence[bytes] = HELPERS) -> Polynomial:
    """What a customer derives with the helpers' answers; the quasi-identifiers are the first two values."""
    value, blind = b"digest" + joined(row[:2]), new_scalar()
    request = blinded(value, blind)
    return Polynomial.of(value, unblinded([evaluated(each, request) for each in helpers], blind), k)


def sent(row: Sequence[str], k: int) -> Message:
    """A customer's message, as the collector gets it."""
    return Message.from_bytes(Message.closing(padded(row, SIZE), polynomial(row, k)).to_bytes())


def collected(rows: Sequence[Sequence[str]], k: int) -> Opened:
    return opened([sent(row, k) for row in rows], k, 3, 2)


def test_the_worked_example() -> None:
    """Six of nine rows open, three stay closed, each alone."""
    found = collected(NINE, 3)
    assert sorted(row[2] for row in found.rows if row[0] == "1957") == ["polio", "polio", "stroke"]
    assert sorted(row[2] for row in found.rows if row[0] == "1939") == ["asthma", "diphtheria", "flu"]
    assert len(found.rows) == 6
    assert found.closed == Counter({1: 3})


@given(tables, st.integers(2, 4))
@settings(max_examples=25)
def test_the_opened_rows_are_those_of_the_groups_that_have_k(
    rows: list[tuple[str, str, str]], k: int
) -> None:
    """As a plain count says, and the sizes of the others are all that is left of them."""
    sizes = Counter(row[:2] for row in rows)
    found = collected(rows, k)
    assert found.rows == tuple(sorted(row for row in rows if sizes[row[:2]] >= k))
    assert found.closed == Counter(size for size in sizes.values() if size < k)
    assert found.spoiled == ()


def test_the_opened_table_is_that_of_suppress_rows(tmp_path: Path) -> None:
    """The same rows as the search that sees the plain table."""
    names = ["a", "b", "c"]
    random = [tuple(secrets.choice("xyz") for _ in names) for _ in range(40)]
    plain = shoal.anonymize(
        pandas.DataFrame(random, columns=names),
        quasi_identifiers=["a", "b"],
        k=5,
        algorithm="suppress-rows",
        suppression="unlimited",
    )
    assert sorted(plain.data.itertuples(index=False, name=None)) == list(collected(random, 5).rows)


@pytest.mark.slow
def test_equal_values_have_equal_tags_and_others_never() -> None:
    """A hundred thousand values, each alone with its tag; some asked for again with another blind."""
    scalar = new_scalar()
    tags = set()
    for number in range(100_000):
        value = joined([str(number // 300), str(number % 300)])
        tag = Polynomial.of(value, times(scalar, point_of(value)), 2).tag
        if number % 1000 == 0:
            blind = new_scalar()
            assert (
                tag
                == Polynomial.of(value, unblinded([evaluated(scalar, blinded(value, blind))], blind), 2).tag
            )
        tags.add(tag)
    assert len(tags) == 100_000


def test_helpers_have_to_answer_all_of_them() -> None:
    """One helper less, or another scalar, is another tag: no subset of the helpers can guess alone."""
    row = NINE[0]
    every = polynomial(row, 3)
    assert polynomial(row, 3) == every
    for fewer in itertools.combinations(HELPERS, 2):
        assert polynomial(row, 3, fewer).tag != every.tag


def test_values_are_not_confused_with_their_neighbours() -> None:
    """('ab', 'c') is not ('a', 'bc'), and a row survives its padding; a longer one is refused by name."""
    assert joined(["ab", "c"]) != joined(["a", "bc"])
    assert divided(joined(["", "é", "x"])) == ["", "é", "x"]
    assert unpadded(padded(["07028", ""], SIZE)) == ["07028", ""]
    with pytest.raises(PolicyError, match="row_bytes"):
        padded(["x" * SIZE], SIZE)
    for broken in (b"", b"\x00\x00\x00\xff", padded(["a"], SIZE)[:-1] + b"x"):
        with pytest.raises(ValueError):
            unpadded(broken) if broken else divided(b"\x00\x00\x00\x09ab")


def test_closed_rows_do_not_open_with_all_that_the_collector_received() -> None:
    """Not with k of any of the shares, of its own group and of others, nor under the key of another group."""
    messages = [sent(row, 3) for row in NINE] + [sent(("1940", "07030", "stroke"), 3)]
    closed = [each for each in messages if sum(other.tag == each.tag for other in messages) < 3]
    assert len(closed) == 4
    shares = [(each.u, each.v) for each in messages]
    for chosen in itertools.combinations(shares, 3):
        candidate = secret(chosen)
        assert all(each.opened(candidate) is None for each in closed)
    for number in (0, 1, PRIME - 1, *(value for share in shares for value in share)):
        assert all(each.opened(number) is None for each in closed)


def test_messages_of_equal_rows_differ_in_everything_but_the_tag() -> None:
    """And all messages have the same length, whatever is in them."""
    one, two = sent(NINE[1], 3), sent(NINE[3], 3)
    assert one.tag == two.tag
    assert len({one.u, two.u, one.v, two.v}) == 4
    assert one.nonce != two.nonce
    assert one.content != two.content
    assert {len(sent(row, 3).to_bytes()) for row in NINE} == {message_bytes(SIZE)}


def test_a_repeated_share_is_dropped() -> None:
    """Two messages and a copy of one are two rows, which are not three."""
    one, two = sent(NINE[0], 3), sent(NINE[1], 3)
    found = opened([one, two, one], 3, 3, 2)
    assert (found.rows, found.closed, found.repeated) == ((), Counter({2: 1}), 1)


def test_a_false_share_spoils_a_group_of_exactly_k() -> None:
    """No k - 1 others open it, and the group is named as spoiled."""
    messages = [sent(row, 3) for row in NINE]
    messages[0] = dataclasses.replace(messages[0], v=(messages[0].v + 1) % PRIME)
    found = opened(messages, 3, 3, 2)
    assert {row[0] for row in found.rows} == {"1939"}
    assert found.spoiled == ((3, 0),)


def test_false_shares_among_more_than_k_are_found_out() -> None:
    """Random subsets open the others; the false one's row opens too, as its key was right all along."""
    rows = [("a", "b", str(number)) for number in range(7)]
    messages = [sent(row, 3) for row in rows]
    for place in (0, 1):
        messages[place] = dataclasses.replace(messages[place], v=secrets.randbelow(PRIME))
    found = opened(messages, 3, 3, 2)
    assert found.rows == tuple(sorted(rows))
    messages[2] = dataclasses.replace(messages[2], content=bytes(len(messages[2].content)))
    found = opened(messages, 3, 3, 2)
    assert found.rows == tuple(sorted(row for row in rows if row != rows[2]))
    assert found.spoiled == ((7, 6),)


def test_the_budget_of_subsets_ends_and_the_group_is_named() -> None:
    """Where nearly all shares are false, nothing opens, and no time is spent on it for ever."""
    messages = [
        dataclasses.replace(sent(("a", "b", str(number)), 3), v=secrets.randbelow(PRIME))
        for number in range(12)
    ]
    found = opened(messages, 3, 3, 2, tries=20)
    assert found.rows == ()
    assert found.spoiled == ((12, 0),)


def test_a_row_that_says_something_else_than_its_tag_is_left_out() -> None:
    """Its quasi-identifiers are not the group's; and without it, k - 1 rows are withheld."""
    honest = [("a", "b", str(number)) for number in range(3)]
    liar = Message.closing(padded(("z", "z", "lie"), SIZE), polynomial(("a", "b"), 3))
    assert opened([*(sent(row, 3) for row in honest), liar], 3, 3, 2).rows == tuple(honest)
    assert opened([*(sent(row, 3) for row in honest[:2]), liar], 3, 3, 2).spoiled == ((3, 0),)


def test_who_has_several_tokens_opens_a_row_by_guessing() -> None:
    """The Sybil attack that the page states: k - 1 copies of a guess. Tokens are what stands against it."""
    victim = ("1940", "07029", "stroke")
    guesses = [sent(("1940", "07029", "guess"), 3) for _ in range(2)]
    assert victim in opened([sent(victim, 3), *guesses], 3, 3, 2).rows


def test_all_helpers_and_the_collector_together_open_everything_by_guessing() -> None:
    """As the page states: with the scalars, the tag of any guess can be computed."""
    closed = sent(("1940", "07029", "stroke"), 3)
    for year, place in itertools.product(["1939", "1940"], ["07028", "07029"]):
        guess = polynomial((year, place), 3)
        if guess.tag == closed.tag:
            assert unpadded(closed.opened(guess.secret) or b"")[2] == "stroke"
            return
    raise AssertionError("the tag was not found")


def test_a_seal_opens_for_its_collector_and_its_collection_alone(tmp_path: Path) -> None:
    """Nobody else, no other collection, no changed byte; and after its destruction for nobody."""
    key, other = SealingKey.create(tmp_path / "key"), SealingKey.create(tmp_path / "other")
    text = sealed(b"text", key.public, "digest")
    assert len(text) == 4 + OVERHEAD
    assert key.unsealed(text, "digest") == b"text"
    changed = bytes([text[0] ^ 1]) + text[1:]
    assert [
        other.unsealed(text, "digest"),
        key.unsealed(text, "another"),
        key.unsealed(changed, "digest"),
        key.unsealed(b"short", "digest"),
    ] == [None] * 4
    key.destroy()
    with pytest.raises(PolicyError, match="evaluated once"):
        SealingKey(tmp_path / "key")


def test_requests_say_nothing_about_values() -> None:
    """Any request can be one for any value: equal values give different requests, and all are points."""
    requests = {blinded(b"same", new_scalar()) for _ in range(50)}
    assert len(requests) == 50
    scalar, blind = new_scalar(), new_scalar()
    for nonsense in (bytes(32), b"\xff" * 32, b"short"):
        with pytest.raises(ValueError):
            evaluated(scalar, nonsense)
        with pytest.raises(ValueError):
            unblinded([nonsense], blind)


@given(st.binary(max_size=300))
@settings(max_examples=100)
def test_bytes_that_are_no_message_are_refused(text: bytes) -> None:
    """With ValueError, or they are a message that opens nothing."""
    try:
        message = Message.from_bytes(text)
    except ValueError:
        return_value = None
    else:
        return_value = message.opened(1)
    assert return_value is None
