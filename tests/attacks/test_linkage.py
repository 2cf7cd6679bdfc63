"""Record linkage: people of an external table, and the released rows that may be theirs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.auditor.attacks.candidates import Candidates
from shoal.model.table.cell_meaning import CellReader
from tests.agreement.thoroughness import examples
from tests.attacks.tables import Row, cells

# The survey, Fig. 1 and 2: medical data and the voter list.
FIGURE_1 = [
    ("64/04/12", "F", "94142", "divorced", "hypertension"),
    ("64/09/13", "F", "94141", "divorced", "obesity"),
    ("64/04/15", "F", "94139", "married", "chest pain"),
    ("63/03/13", "M", "94139", "married", "obesity"),
    ("63/03/18", "M", "94139", "married", "short breath"),
    ("64/09/27", "F", "94138", "single", "short breath"),
    ("64/09/27", "F", "94139", "single", "obesity"),
    ("64/09/27", "F", "94139", "single", "chest pain"),
    ("64/09/27", "F", "94141", "widow", "short breath"),
]
QUASI = ("DOB", "Sex", "ZIP", "Status")


def linked(release: list[Row], people: list[Row], k: int = 1) -> AttackResult:
    """The attack with the survey's columns."""
    target = Target(
        release=cells("DOB Sex ZIP Status Disease", release),
        quasi_identifiers=QUASI,
        sensitive=("Disease",),
        external=cells(" ".join(QUASI), people),
        k=k,
    )
    return ATTACKS["linkage"]().run(target)


SUE: Row = ("64/04/12", "F", "94142", "divorced")


def test_the_voter_list_finds_sue() -> None:
    """She is the only divorced female of her birth date and ZIP code."""
    found = linked(list(FIGURE_1), [SUE])
    assert (found.succeeded, found.tried, found.rate) == (1, 1, 1)
    assert found.facts["certain"] == 1


def test_a_generalized_release_hides_sue_among_her_group() -> None:
    """With birth years, ZIP codes of three digits and no status six women are like her."""
    released = [(row[0][:2] + "*", row[1], "941**", "*", row[4]) for row in FIGURE_1]
    found = linked(released, [SUE], k=2)
    assert found.succeeded == pytest.approx(1 / 7)
    assert found.threshold == 0.5
    assert found.holds
    assert found.facts["fewest_candidates"] == 7


def test_people_without_a_candidate_are_not_tried() -> None:
    """Who was suppressed, or is a stranger, is nobody's row; rows of `*` alone tell nothing."""
    stars: Row = ("*", "*", "*", "*", "*")
    found = linked([*FIGURE_1[1:], stars], [SUE, FIGURE_1[1][:4]])
    assert (found.succeeded, found.tried, found.facts["without_candidate"]) == (1, 1, 1)


def test_a_certain_match_breaks_k() -> None:
    """One candidate where k promises two."""
    found = linked(list(FIGURE_1), [SUE], k=2)
    assert not found.holds
    assert found.facts["below_k"] == 1


def test_a_key_tells_how_often_the_guess_is_right() -> None:
    """Of two rows alike one is right; a person whose row reads otherwise is never found."""
    release = cells("zip name", [("941**", "p"), ("941**", "q"), ("9420*", "r")])
    people = cells("zip name", [("94138", "p"), ("94139", "q"), ("94141", "r"), ("94138", "stranger")])
    target = Target(release=release, quasi_identifiers=("zip",), external=people, key="name")
    found = ATTACKS["linkage"]().run(target)
    assert found.tried == 4
    assert found.facts["expected"] == 2
    assert found.succeeded == found.facts["measured"] == 1


def test_a_key_counts_rows_that_one_person_has_several_times() -> None:
    """Both of p's rows are right, so every guess is."""
    release = cells("zip name", [("941**", "p"), ("941**", "p")])
    people = cells("zip name", [("94138", "p")])
    target = Target(release=release, quasi_identifiers=("zip",), external=people, key="name")
    assert ATTACKS["linkage"]().run(target).succeeded == 1


def test_an_empty_list_of_people_finds_nobody() -> None:
    """And divides by nothing."""
    found = linked(list(FIGURE_1), [])
    assert (found.tried, found.rate, found.facts["fewest_candidates"]) == (0, 0, None)


LABELS = st.sampled_from(["*", "1**", "12*", "123", "124", "200", "[120, 124]", None])
VALUES = st.sampled_from(["123", "124", "130", "200", None])
OVERLAPPING = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12)
APART = st.lists(
    st.tuples(st.sampled_from(["12*", "130", None]), st.sampled_from(["F", "M"])), min_size=1, max_size=12
)


def check(rows: list[Row], people: list[Row]) -> None:
    """Candidates against comparing every row with every person."""
    reader = CellReader()
    found = Candidates(cells("a b", rows), cells("a b", people), ("a", "b"), lambda _: reader)

    def covers(row: Row, person: Row) -> bool:
        return all(reader.meaning(cell).covers(value) for cell, value in zip(row, person, strict=True))

    for number, person in enumerate(people):
        line = found.line_of_person[number]
        assert found.counts[line] == sum(covers(row, person) for row in rows)
        own = set(found.lines(int(line)).tolist())
        assert own == {int(found.line_of_row[at]) for at, row in enumerate(rows) if covers(row, person)}
    for number, row in enumerate(rows):
        line = found.line_of_row[number]
        assert found.people_of_lines[line] == sum(covers(row, person) for person in people)


@given(rows=OVERLAPPING, people=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=8))
@settings(max_examples=examples(150), deadline=None)
def test_candidates_of_overlapping_labels_equal_comparing_all(rows: list[Row], people: list[Row]) -> None:
    """Sets of bits lose and add nothing."""
    check(rows, people)


@given(
    rows=APART, people=st.lists(st.tuples(VALUES, st.sampled_from(["F", "M", "X"])), max_size=8, min_size=1)
)
@settings(max_examples=examples(100), deadline=None)
def test_candidates_that_are_looked_up_equal_comparing_all(rows: list[Row], people: list[Row]) -> None:
    """Labels that do not overlap are joined."""
    check(rows, people)
