"""Values of random domains, written in every form, are read back equal, whatever the order of the cells."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.model.cells.cell_form import parse_format
from shoal.model.cells.date_form import DATE_FORMS, DateForm
from shoal.model.cells.missing_markers import MARKERS
from shoal.model.cells.number_form import MARKS, NumberForm
from shoal.model.cells.recognise import Recognised, Stated, recognise
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.domain import Value, value_text
from shoal.model.table.number_text import NoNumberError, number
from tests.agreement.thoroughness import examples

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września październik listopad grudnia",
    "short": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
}
decimals = st.decimals(-10_000_000, 10_000_000, places=2).map(lambda value: value.normalize())
forms = st.builds(
    lambda marks, sign: NumberForm(
        decimal=marks[0], grouping=marks[1], percent=sign == "%", currency="" if sign == "%" else sign
    ),
    st.sampled_from(MARKS),
    st.sampled_from(["", "%", "€", "CHF", "kr", "zł"]),
)
negatives = st.sampled_from(["-{}", "\u2212{}", "({})", "{}-"])


def written(value: Decimal, form: NumberForm, negative: str) -> str:
    """A number in a form, by Python's own formatting."""
    text = f"{abs(value):,f}" if form.grouping else f"{abs(value):f}"
    text = text.translate(str.maketrans({",": form.grouping, ".": form.decimal}))
    signed = negative.format(text) if value < 0 else text
    if form.percent:
        return f"{signed} %" if value >= 0 else f"{negative.format(f'{text} %')}"
    return (
        signed
        if not form.currency
        else negative.format(f"{text} {form.currency}")
        if value < 0
        else (f"{text} {form.currency}")
    )


def is_plain(text: str) -> bool:
    try:
        number(text)
    except NoNumberError:
        return False
    return True


def exactly(values: list[Decimal]) -> list[Value]:
    return [number(value) for value in values]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(decimals, min_size=1, max_size=12, unique=True), forms, negatives)
def test_numbers_in_every_form_are_read_back_or_asked_for(
    values: list[Decimal], form: NumberForm, negative: str
) -> None:
    """Recognised, they are right or the true format can be chosen; stated, they are right."""
    cells = [written(value, form, negative) for value in values]
    format = form.format
    assert parse_format(format) == form
    stated = recognise(cells, Stated(type="number", form=form))
    assert stated.values == exactly(values)
    found = recognise(cells, Stated())
    if all(map(is_plain, cells)):  # what reads as plain numbers is read so, whatever was meant
        assert found.values == [number(cell) for cell in cells]
    elif found.ambiguous:
        read = [recognise(cells, Stated(type="number", form=parse_format(each))) for each in found.ambiguous]
        assert exactly(values) in [each.values for each in read]
    elif found.kind == "number":
        assert found.values == exactly(values)
    else:  # 2- can be a grade, and (2) a number that is uncertain
        assert any(value < 0 for value in values)
        assert negative in ("({})", "{}-")


days = st.dates(datetime.date(1930, 1, 1), datetime.date(2029, 12, 31))


def day_text(day: datetime.date, form: DateForm, names: list[str]) -> str:
    """A date in a form, by Python's own formatting."""
    text = form.pattern.replace("MMM", "\0")
    for letters, part in (
        ("YYYY", f"{day.year:04}"),
        ("YY", f"{day.year % 100:02}"),
        ("MM", f"{day.month:02}"),
        ("DD", f"{day.day:02}"),
    ):
        text = text.replace(letters, part)
    return text.replace("\0", names[day.month - 1])


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(days, min_size=1, max_size=12, unique=True),
    st.sampled_from(DATE_FORMS),
    st.sampled_from(sorted(MONTHS)),
    st.booleans(),
)
def test_dates_in_every_form_are_read_back_or_asked_for(
    values: list[datetime.date], form: DateForm, language: str, timed: bool
) -> None:
    """In eight languages, with a time of day or without; day or month first only if the data says so."""
    cells = [day_text(day, form, MONTHS[language].split()) for day in values]
    expected: list[Value] = list(values)
    if timed:
        cells = [f"{cell} {at % 24:02}:30:15" for at, cell in enumerate(cells, 1)]
        expected = [
            datetime.datetime.combine(day, datetime.time(at % 24, 30, 15)) for at, day in enumerate(values, 1)
        ]
    stated = recognise(cells, Stated(type="date", form=parse_format(form.format)))  # type: ignore[arg-type]
    assert stated.values == expected
    found = recognise(cells, Stated())
    if found.ambiguous:
        assert form.format in found.ambiguous
        assert all(day.day <= 12 for day in values)
    else:
        assert found.values == expected
        assert found.kind == "date"


def facts(found: Recognised, cells: list[str]) -> object:
    values = None if found.values is None else dict(zip(cells, found.values, strict=True))
    marked = {cells[at] for at in found.markers}, {cells[at] for at in found.unread}
    return found.kind, found.form, values, marked, found.ambiguous, found.mostly


texts = st.one_of(
    decimals.map(str),
    decimals.map(lambda value: str(value).replace(".", ",")),
    days.map(lambda day: day.strftime("%d.%m.%Y")),
    days.map(lambda day: day.strftime("%m/%d/%Y")),
    st.sampled_from(sorted(MARKERS)),
    st.text("abc1., -", max_size=4),
)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(texts, min_size=1, max_size=80, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_cells_does_not_matter(cells: list[str], random: object) -> None:
    """Engines list distinct cells in different orders, and must give the same domain."""
    shuffled = list(cells)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert facts(recognise(cells, Stated()), cells) == facts(recognise(shuffled, Stated()), shuffled)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(decimals, min_size=2, max_size=10, unique=True),
    st.lists(st.sampled_from(sorted(MARKERS - {""})), min_size=1, max_size=4, unique=True),
)
def test_markers_among_numbers_are_missing_and_nothing_else_changes(
    values: list[Decimal], markers: list[str]
) -> None:
    """The numbers are those of the column without markers."""
    cells = [f"{value:f}" for value in values]
    found = recognise([*cells, *markers], Stated())
    assert found.values == [*exactly(values), *[None] * len(markers)]
    assert found.kind == "number"
    assert found.markers == tuple(range(len(cells), len(cells) + len(markers)))


rows = st.lists(
    st.tuples(
        st.none() | st.integers(-3, 6).map(lambda step: Decimal(step * 250) + Decimal("0.5")),
        st.none()
        | st.integers(0, 5).map(lambda step: datetime.date(1950 + 9 * step, 1 + step, 3 + 4 * step)),
    ),
    min_size=4,
    max_size=14,
)


@settings(max_examples=examples(60), deadline=None)
@given(
    rows=rows,
    form=forms,
    date_form=st.sampled_from(DATE_FORMS),
    markers=st.lists(st.sampled_from(sorted(MARKERS - {""})), min_size=1, max_size=3),
    asked=st.sampled_from([{}, {"consistent": True}, {"algorithm": "mondrian"}, {"suppression": 2}]),
)
def test_a_table_in_any_form_is_released_like_its_plain_twin(
    rows: list[tuple[Decimal | None, datetime.date | None]],
    form: NumberForm,
    date_form: DateForm,
    markers: list[str],
    asked: dict[str, Any],
) -> None:
    """Markers are empty cells, forms are plain values; and the audit finds every cell true."""
    names = MONTHS["en"].split()

    def marker(at: int) -> str:
        return markers[at % len(markers)]

    plain = {
        "pay": [None if pay is None else value_text(number(pay)) for pay, _ in rows],
        "born": [None if born is None else born.isoformat() for _, born in rows],
    }
    found = {
        "pay": [marker(at) if pay is None else written(pay, form, "-{}") for at, (pay, _) in enumerate(rows)],
        "born": [
            marker(at) if born is None else day_text(born, date_form, names)
            for at, (_, born) in enumerate(rows)
        ],
    }
    request: dict[str, Any] = {"quasi_identifiers": [*plain], "k": 2, "seed": 1, **asked}
    types: dict[str, Any] = {"pay": "number", "born": "date"}
    formats = {"pay": form.format, "born": date_form.format}
    expected = shoal.anonymize(pl.DataFrame(plain, dict.fromkeys(plain, pl.String)), types=types, **request)
    table = pl.DataFrame(found)
    made = shoal.anonymize(table, formats=formats, **request)
    assert made.data.rows() == expected.data.rows()
    assert made.manifest.cost == expected.manifest.cost
    policy = policy_of(quasi_identifiers=[*plain], k=2, formats=formats)
    compared = shoal.audit(made.data, policy=policy, original=table).comparison
    assert compared is not None
    assert compared.untrue_cells == compared.unpaired == 0
    assert not compared.unreadable
