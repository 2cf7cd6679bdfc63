"""Microaggregation against plain readings: brute force over partitions, MDAV and V-MDAV in a few lines."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms.rows.microaggregate import Microaggregate
from shoal.cost import METRICS, Sse
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.recoding.centroid_recoding import CentroidRecoding
from shoal.model.recoding.groups import groups
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.domain import Domain, Kind, Value
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.number_text import number
from shoal.privacy import KAnonymity
from tests.agreement.thoroughness import examples

MANY = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
Row = tuple[Value, ...]


def table_of(kinds: Sequence[Kind], rows: Sequence[Row]) -> FrequencyTable:
    """The frequency table of rows of values; `None` is missing."""
    rows = [tuple(number(each) if isinstance(each, float) else each for each in row) for row in rows]
    domains = []
    for attribute, kind in enumerate(kinds):
        values = {row[attribute] for row in rows}
        known = sorted(values - {None})  # type: ignore[type-var]
        domains.append(Domain(name=f"a{attribute}", kind=kind, values=(*known, *([None] * (None in values)))))
    counted = Counter(
        tuple(domain.values.index(value) for domain, value in zip(domains, row, strict=True)) for row in rows
    )
    codes = sorted(counted)
    return FrequencyTable(
        domains=tuple(domains),
        codes=np.array(codes, np.int32).reshape(len(codes), len(kinds)),
        counts=np.array([counted[code] for code in codes], np.int64),
    )


def solved(table: FrequencyTable, k: int, budget: Budget | None = None, **options: object) -> Result:
    problem = Problem(table=table, k=k, cost=Sse(), limit=0)
    algorithm = Microaggregate(**options)  # type: ignore[arg-type]
    assert algorithm.supports(problem) is None
    result = algorithm.solve(problem, budget or Budget())
    check_is_what_it_says(problem, result)
    return result


def check_is_what_it_says(problem: Problem, result: Result) -> None:
    """Groups have k rows, all rows are in one, and the cost is the definition's."""
    recoding = result.recoding
    assert isinstance(recoding, CentroidRecoding)
    made = groups(problem.table, recoding, problem.k)
    assert (made.sizes >= problem.k).all()
    assert made.sizes.sum() == problem.table.rows
    assert made.suppressed == result.suppressed == 0
    assert recoding.smallest == made.sizes.min()
    assert result.cost == defined_spread(problem.table, recoding)
    assert 0 <= result.cost <= 1
    assert result.bound is None or result.bound <= result.cost
    for name in ("ncp", "general-loss", "entropy", "discernibility"):
        METRICS[name]().of(problem.table, recoding, problem.k)
    for attribute, domain in enumerate(problem.table.domains):
        released = recoding.released(recoding.refined(problem.table))[:, attribute]
        members = recoding.members(attribute, domain)
        own = recoding.refined(problem.table).codes[:, attribute]
        assert all(code in members[number] for number, code in zip(released, own, strict=True))


def defined_spread(table: FrequencyTable, recoding: CentroidRecoding) -> Fraction:
    """Per column what differs from the group's center over what differs from the table's, by definition."""
    refined = recoding.refined(table)
    of_row = [tuple(each) for each in recoding.released(refined).tolist()]
    shares = []
    for attribute, (domain, center) in enumerate(zip(table.domains, recoding.centers, strict=True)):
        cells = [
            (group, int(code))
            for group, code, count in zip(of_row, refined.codes[:, attribute], refined.counts, strict=True)
            for _ in range(count)
        ]
        within = [
            apart(domain, center, [code for group, code in cells if group == each]) for each in set(of_row)
        ]
        whole, missing = apart(domain, center, [code for _, code in cells])
        known = sum(domain.values[code] is not None for _, code in cells)
        part = whole / known if whole else Fraction(1)
        total = whole + part * missing
        found = sum((each for each, _ in within), Fraction(0)) + part * sum(each for _, each in within)
        shares.append(found / total if total else Fraction(0))
    return sum(shares, Fraction(0)) / len(shares)


def apart(domain: Domain, center: str, codes: Sequence[int]) -> tuple[Fraction, int]:
    """What differs from the center of some cells, and missing ones that become known."""
    if center == "mode":
        return Fraction(len(codes) - max(Counter(codes).values())), 0
    known = [code for code in codes if domain.values[code] is not None]
    if not known:
        return Fraction(0), 0
    if center == "median":
        middle = sorted(known)[(len(known) - 1) // 2]
        return Fraction(sum(abs(code - middle) for code in known)), len(codes) - len(known)
    places = [domain.position(code) for code in known]
    mean = sum(places, Fraction(0)) / len(places)
    return sum(((place - mean) ** 2 for place in places), Fraction(0)), len(codes) - len(known)


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions into groups of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for mask in range(1 << len(rest)):
        group = [first, *(each for bit, each in enumerate(rest) if mask >> bit & 1)]
        left = [each for bit, each in enumerate(rest) if not mask >> bit & 1]
        if len(group) >= k and (not left or len(left) >= k):
            for others in partitions(left, k):
                yield [group, *others]


def squares(numbers: Sequence[int]) -> Fraction:
    return sum(each * each for each in numbers) - Fraction(sum(numbers) ** 2, len(numbers))


@MANY
@given(
    numbers=st.lists(st.integers(-6, 12), min_size=2, max_size=9),
    copies=st.integers(1, 3),
    k=st.integers(1, 4),
)
def test_optimal_equals_brute_force_over_all_partitions(numbers: list[int], copies: int, k: int) -> None:
    """Also where numbers are repeated, and their copies have to be divided."""
    numbers = (numbers * copies)[:9]
    k = min(k, len(numbers))
    result = solved(table_of(["number"], [(each,) for each in numbers]), k, method="optimal")
    best = min(sum(map(squares, groups), Fraction(0)) for groups in partitions(numbers, k))
    whole = squares(numbers)
    assert result.cost == (best / whole if whole else 0)
    assert result.status is Status.OPTIMAL
    assert result.bound == result.cost


def test_copies_are_divided_where_that_is_better() -> None:
    """Of 0, 1, 1, 2 in pairs each 1 goes to another side: 1 within groups, and 2 if they stayed together."""
    result = solved(table_of(["number"], [(0,), (1,), (1,), (2,)]), 2, method="optimal")
    assert result.cost == Fraction(1, 2)
    assert result.recoding is not None
    assert result.recoding.pieces is not None
    assert result.recoding.pieces.counts.tolist() == [1, 1, 1, 1]
    assert result.recoding.labels(0, Domain(name="", kind="number", values=())) == ("0.5", "1.5")


@MANY
@given(
    counts=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    steps=st.lists(st.integers(1, 5), min_size=6, max_size=6),
    k=st.integers(1, 4),
)
def test_many_copies_count_no_more_than_enough_of_them(counts: list[int], steps: list[int], k: int) -> None:
    """The path over all copies is worth what the path over 5k - 4 of them is."""
    places = [sum(steps[:each]) for each in range(len(counts))]
    line = [place for place, count in zip(places, counts, strict=True) for _ in range(count)]
    assume(len(line) >= k)
    result = solved(table_of(["number"], [(each,) for each in line]), k, method="optimal")
    best: list[Fraction | None] = [Fraction(0)]
    for end in range(1, len(line) + 1):
        found = [
            before + squares(line[end - size : end])
            for size in range(k, min(end, 2 * k - 1) + 1)
            if (before := best[end - size]) is not None
        ]
        best.append(min(found, default=None))
    whole = squares(line)
    assert best[-1] is not None
    assert result.cost == (best[-1] / whole if whole else 0)


@MANY
@given(seed=st.integers(0, 10**6), nodes=st.integers(0, 3000), k=st.integers(2, 9))
def test_optimal_out_of_budget_is_still_valid(seed: int, nodes: int, k: int) -> None:
    """What is left becomes runs of k, and nothing is said to be proved."""
    numbers = np.random.default_rng(seed).integers(0, 10**6, 700).tolist()
    result = solved(
        table_of(["number"], [(each,) for each in numbers]), k, Budget(nodes=nodes), method="optimal"
    )
    assert (result.status is Status.OPTIMAL) == (nodes > 256)
    assert (result.bound is None) == (result.status is Status.FEASIBLE)


# Plain readings, record by record.

Points = list[list[float]]


def plain_points(table: FrequencyTable, ordered: Sequence[str]) -> tuple[Points, list[str]]:
    """Rows as positions in standard deviations, NaN if missing; categories without an order by codes."""
    columns, centers = [], []
    for attribute, domain in enumerate(table.domains):
        codes = table.codes[:, attribute].tolist()
        if domain.kind == "category" and domain.name not in ordered:
            columns.append([float(code) for code in codes])
            centers.append("mode")
            continue
        centers.append("median" if domain.kind == "category" else "mean")
        place = [
            math.nan
            if domain.values[code] is None
            else float(code if domain.kind == "category" else domain.position(code))
            for code in codes
        ]
        known = np.array([each for each in place if not math.isnan(each)])
        deviation = known.std() if len(known) and known.std() > 0 else math.inf
        columns.append([each / deviation if not math.isnan(each) else each for each in place])
    return [list(each) for each in zip(*columns, strict=True)], centers


def plain_distance(x: Sequence[float], y: Sequence[float], centers: Sequence[str]) -> float:
    total = 0.0
    for a, b, center in zip(x, y, centers, strict=True):
        if center == "mode":
            total += a != b
        elif math.isnan(a) or math.isnan(b):
            total += math.isnan(a) != math.isnan(b)
        else:
            total += (a - b) ** 2
    return total


def plain_center(points: Points, centers: Sequence[str]) -> list[float]:
    found = []
    for column, center in zip(zip(*points, strict=True), centers, strict=True):
        known = sorted(each for each in column if not math.isnan(each))
        if center == "mode":
            counted = Counter(column)
            found.append(min(counted, key=lambda each: (-counted[each], each)))
        elif not known:
            found.append(math.nan)
        else:
            found.append(known[(len(known) - 1) // 2] if center == "median" else sum(known) / len(known))
    return found


def plain_mdav(points: Points, centers: Sequence[str], k: int) -> list[list[int]]:
    """Domingo-Ferrer and Torra's, on records that all differ."""
    rest, made = list(range(len(points))), []

    def far(point: Sequence[float]) -> int:
        return max(rest, key=lambda each: (plain_distance(points[each], point, centers), -each))

    def take(around: int) -> None:
        near = sorted(rest, key=lambda each: (plain_distance(points[each], points[around], centers), each))
        made.append(near[:k])
        for each in near[:k]:
            rest.remove(each)

    while len(rest) >= 3 * k:
        first = far(plain_center([points[each] for each in rest], centers))
        second = far(points[first])
        take(first)
        take(second)
    if len(rest) >= 2 * k:
        take(far(plain_center([points[each] for each in rest], centers)))
    return [*made, rest]


def plain_v_mdav(points: Points, centers: Sequence[str], k: int, gamma: float) -> list[list[int]]:
    """Solanas and Martinez-Balleste's, on records that all differ."""
    rest, made = list(range(len(points))), []
    middle = plain_center(points, centers)

    def distance(x: int, y: int) -> float:
        return math.sqrt(plain_distance(points[x], points[y], centers))

    while len(rest) >= k:
        around = max(rest, key=lambda each: (plain_distance(points[each], middle, centers), -each))
        group = sorted(rest, key=lambda each: (distance(each, around), each))[:k]
        rest = [each for each in rest if each not in group]
        while rest and len(group) < 2 * k - 1:
            inside, row = min((min(distance(each, own) for own in group), each) for each in rest)
            outside = min((distance(row, each) for each in rest if each != row), default=math.inf)
            if not inside < gamma * outside:
                break
            group.append(row)
            rest.remove(row)
        made.append(group)
    middles = [plain_center([points[each] for each in group], centers) for group in made]
    for row in rest:
        apart = [plain_distance(points[row], each, centers) for each in middles]
        made[apart.index(min(apart))].append(row)
    return made


def drawn_table(seed: int, rows: int) -> FrequencyTable:
    """Rows that all differ: numbers, dates, two kinds of categories, some cells missing."""
    rng = np.random.default_rng(seed)
    day = datetime.date(2020, 1, 1)
    drawn: list[Row] = [
        (
            float(rng.normal()),
            None if rng.random() < 0.1 else float(rng.normal() ** 3),
            day + datetime.timedelta(days=int(rng.integers(0, 4000))),
            "abcd"[rng.integers(0, 4)],
            None if rng.random() < 0.1 else "abcde"[rng.integers(0, 5)],
        )
        for _ in range(rows)
    ]
    return table_of(["number", "number", "date", "category", "category"], drawn)


def as_partition(groups_of_rows: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups_of_rows if group}


def found_groups(table: FrequencyTable, k: int, **options: object) -> set[frozenset[int]]:
    problem = Problem(table=table, k=k, cost=Sse(), limit=0)
    own = Microaggregate(**options).grouped(problem, Budget()).groups.tolist()  # type: ignore[arg-type]
    assert min(own) == 0
    return as_partition([[row for row, each in enumerate(own) if each == group] for group in set(own)])


@MANY
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 60), k=st.integers(1, 7))
def test_mdav_equals_a_plain_reading(seed: int, rows: int, k: int) -> None:
    """On records without copies; and its groups have k to 2k - 1 of them."""
    table = drawn_table(seed, max(rows, k))
    points, centers = plain_points(table, ["a4"])
    expected = (
        as_partition(plain_mdav(points, centers, k))
        if k > 1
        else {frozenset([x]) for x in range(len(points))}
    )
    assert found_groups(table, k, ordered=("a4",)) == expected
    assert all(k <= len(group) < 2 * k for group in expected)
    solved(table, k, ordered=("a4",))


@MANY
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 50),
    k=st.integers(2, 6),
    gamma=st.sampled_from([0.0, 0.2, 0.8, 1.5]),
)
def test_v_mdav_equals_a_plain_reading(seed: int, rows: int, k: int, gamma: float) -> None:
    """On records without copies, whatever gamma is."""
    table = drawn_table(seed, max(rows, k))
    points, centers = plain_points(table, ["a4"])
    expected = as_partition(plain_v_mdav(points, centers, k, gamma))
    assert found_groups(table, k, ordered=("a4",), method="v-mdav", gamma=gamma) == expected
    assert all(len(group) >= k for group in expected)


CELLS = {
    "number": st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.1, 1e300, -1e300, 1e-9])),
    "date": st.one_of(st.none(), st.dates(datetime.date(2000, 1, 1), datetime.date(2000, 1, 9))),
    "category": st.one_of(st.none(), st.sampled_from("abc")),
}


@MANY
@given(data=st.data(), method=st.sampled_from(["mdav", "v-mdav"]), k=st.integers(1, 6))
def test_any_table_is_released_in_groups_of_k(data: st.DataObject, method: str, k: int) -> None:
    """Copies, missing values, constant columns, huge numbers; out of budget, too, and twice the same."""
    kinds: list[Kind] = data.draw(
        st.lists(st.sampled_from(["number", "date", "category"]), min_size=1, max_size=3)
    )
    rows = data.draw(st.lists(st.tuples(*(CELLS[kind] for kind in kinds)), min_size=k, max_size=20))
    rows += [rows[0]] * data.draw(st.sampled_from([0, 3, 9]))
    table = table_of(kinds, rows)
    budget = Budget(nodes=data.draw(st.sampled_from([None, 0, 1, 2])))
    one = solved(table, k, budget, method=method, ordered=("a0",))
    two = solved(table, k, budget, method=method, ordered=("a0",))
    assert one.recoding is not None
    assert two.recoding is not None
    assert np.array_equal(one.recoding.released(table), two.recoding.released(table))
    assert (one.status, one.bound) == (Status.FEASIBLE, None)


@pytest.mark.parametrize("method", ["mdav", "v-mdav", "optimal"])
@pytest.mark.parametrize(
    "column",
    [
        [7] * 9,  # all equal
        list(range(9)),  # all different
        [1, 2, 4, 8, 9],  # fewer than 2k
        [1e300, -1e300, 0, 1, 2, 3],
        [datetime.date(2020, 2, day) for day in (1, 2, 3, 10, 20, 29)],
        [datetime.datetime(2020, 2, 28, hour, 30) for hour in (1, 2, 3, 10, 20, 23)],
    ],
)
def test_one_column_is_released_by_every_method(method: str, column: list[Value]) -> None:
    """With k = 3; the optimum is no worse than the others."""
    table = table_of(
        ["date" if isinstance(column[0], datetime.date) else "number"], [(each,) for each in column]
    )
    best = solved(table, 3, method="optimal")
    assert best.status is Status.OPTIMAL
    other = solved(table, 3, method=method).cost
    assert other is not None
    assert best.cost is not None
    assert best.cost <= other


def test_a_mean_is_printed_as_the_nearest_double_day_or_microsecond() -> None:
    """And missing only where a group has nothing else."""
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 4)]
    moments = [datetime.datetime(2020, 1, 1, 0), datetime.datetime(2020, 1, 1, 1)]
    for column, label in (
        ([1, 2, 2], "1.6666666666666667"),
        ([1, 3], "2"),
        ([1, None], "1"),
        ([None, None], None),
        (days, "2020-01-02"),
        (moments, "2020-01-01 00:30:00"),
    ):
        kind: Kind = "date" if isinstance(column[0], datetime.date) else "number"
        table = table_of([kind], [(each,) for each in column])  # type: ignore[union-attr]
        result = solved(table, len(column))
        assert result.recoding is not None
        assert result.recoding.labels(0, table.domains[0]) == (label,)


def test_what_it_cannot_do_is_refused_with_a_way_out() -> None:
    """Several columns, categories or missing values for the optimum; models, levels and bins for any."""
    numbers = table_of(["number"], [(1,), (2,)])
    sse = Sse()
    optimal = Microaggregate(method="optimal")
    for table in (
        table_of(["number", "number"], [(1, 2), (2, 3)]),
        table_of(["category"], [("a",), ("b",)]),
        table_of(["number"], [(1,), (None,)]),
    ):
        reason = optimal.supports(Problem(table=table, k=2, cost=sse))
        assert reason is not None
        assert 'use method = "mdav"' in reason
    assert Microaggregate().supports(Problem(table=numbers, k=1, cost=sse, models=(KAnonymity(2),))) is None
    larger = Microaggregate().solve(Problem(table=numbers, k=1, cost=sse, models=(KAnonymity(2),)), Budget())
    assert isinstance(larger.recoding, CentroidRecoding)
    assert larger.recoding.smallest == 2
    assert "'height' is not defined" in str(
        Microaggregate().supports(Problem(table=numbers, k=2, cost=METRICS["height"]()))
    )
    with pytest.raises(PolicyError, match="method is one of 'mdav'"):
        Microaggregate(method="cluster")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="gamma is a number of at least 0"):
        Microaggregate(gamma=-1)
