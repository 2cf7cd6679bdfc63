"""Protect without a browser: sentences, doubts, presets, forms and imports."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import shoal
from shoal import Inspected, PolicyError, Role
from shoal.privacy import MODELS, SensitiveModel, model_of, parameters_of
from shoal.privacy.average_risk import PRESETS as RISKS
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Workers
from shoal.studio.steps.protect import importing, leak_warnings, uniqueness
from shoal.studio.steps.protect import wording as telling
from shoal.studio.steps.protect.column_settings import with_setting
from shoal.studio.steps.protect.fields import ChangeListener, Field
from shoal.studio.steps.protect.hidden_settings import unshown
from shoal.studio.steps.protect.model_form import new_model, with_value
from shoal.studio.steps.protect.objective import share_of, suppression_in_words, suppression_of
from shoal.studio.steps.protect.presets import PRESETS, apply
from shoal.studio.steps.protect.remark import LONGEST, short
from shoal.studio.steps.protect.roles import matching
from shoal.studio.steps.search import wording as search_wording
from shoal.studio.workspace import Opened, Workspace

STAYS = """patient,age,zip,sex,diagnosis,income,ward
1,34,02139,f,flu,10,a
2,35,02139,m,asthma,20,a
3,36,02141,f,HIV,30,b
4,37,02141,m,flu,,b
"""


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Inspected:
    """What is known of the stays."""
    path = tmp_path_factory.mktemp("stays") / "stays.csv"
    path.write_text(STAYS, encoding="utf-8")
    return shoal.inspect(path)


@pytest.fixture
def workspace(tmp_path: Path, inspected: Inspected) -> Workspace:
    """A workspace with a small table of stays."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "private").mkdir()
    path = tmp_path / "folder" / "stays.csv"
    path.write_text(STAYS, encoding="utf-8")
    made = Workspace(Folders((tmp_path / "folder",), tmp_path / "private"), Workers())
    made.open(Opened(source=path, name="stays.csv", inspected=inspected))
    made.draft.say("privacy", "k", 2)
    return made


def opened(workspace: Workspace) -> Opened:
    """Its table."""
    return workspace.needed_table()


def protected(workspace: Workspace) -> Draft:
    """A policy of which nothing is doubtful."""
    draft = workspace.draft
    for name, role in (
        ("patient", Role.IDENTIFIER),
        ("age", Role.QUASI_IDENTIFIER),
        ("zip", Role.QUASI_IDENTIFIER),
        ("sex", Role.QUASI_IDENTIFIER),
        ("diagnosis", Role.SENSITIVE),
        ("income", Role.SENSITIVE),
        ("ward", Role.OTHER),
    ):
        draft.set_role(name, role)
    models = [{"name": "distinct-l-diversity", "attribute": name, "l": 2} for name in ("diagnosis", "income")]
    draft.say("privacy", "models", models)
    return draft


def test_every_role_has_words() -> None:
    """A role without an explanation could not be chosen."""
    assert all(role.description.title and role.description.meaning for role in Role)


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_of_a_model_is_a_field_with_words(name: str) -> None:
    """A new parameter without a field fails here, and so does a field of none."""
    assert {*parameters_of(MODELS[name])} == {field.name for field in dataclasses.fields(MODELS[name])}


def test_every_threshold_of_an_agency_has_words() -> None:
    """The list of thresholds is the model's own."""
    assert {*parameters_of(MODELS["average-risk"])["preset"].choices} == {*RISKS}


@pytest.mark.parametrize("name", MODELS)
def test_a_new_model_is_one_that_shoal_takes(workspace: Workspace, name: str) -> None:
    """What is added begins valid, and asks no more of a column than it has."""
    draft = protected(workspace)
    stated = new_model(name, draft, opened(workspace).inspected)
    model = model_of(stated)
    if isinstance(model, SensitiveModel):
        assert model.attribute in ("diagnosis", "income")
    draft.say("privacy", "models", [stated])
    draft.say("privacy", "survey_weight", "income" if model.needs_population else None)
    assert telling.problems(draft, opened(workspace)) == []
    assert not [each for each in telling.doubts(draft, opened(workspace)) if each.model is not None]


def test_a_second_model_of_a_kind_takes_the_next_sensitive_column(workspace: Workspace) -> None:
    """One per sensitive column without choosing it by hand."""
    draft = protected(workspace)
    draft.say("privacy", "models", [{"name": "p-sensitivity", "attribute": "diagnosis", "p": 2}])
    assert new_model("p-sensitivity", draft, opened(workspace).inspected)["attribute"] == "income"


def test_a_threshold_of_ones_own_takes_the_place_of_an_agencys() -> None:
    """The model takes one of the two, never both."""
    own = with_value({"name": "average-risk", "preset": "ema"}, "preset", None)
    assert own == {"name": "average-risk", "threshold": 0.09}
    assert with_value(own, "preset", "cms") == {"name": "average-risk", "preset": "cms"}


def test_persons_and_households_are_in_the_words_of_the_policy(workspace: Workspace) -> None:
    """What an attacker knows, what is counted, and what becomes of the column; roles that contradict it."""
    draft, table = protected(workspace), opened(workspace)
    draft.say("privacy", "entity", "ward")
    assert "of one row of a person finds at least 2 persons" in telling.k_in_words(draft)
    assert "ward identifies persons: it is dropped" in telling.paragraph(draft, table)
    draft.say("privacy", "linkable", True)
    assert "of all rows of a person finds at least 2 persons" in telling.k_in_words(draft)
    draft.say("privacy", "known_events", 2)
    assert "of up to 2 row(s) of a person" in telling.k_in_words(draft)
    assert "released as fresh pseudonyms" in telling.paragraph(draft, table)
    assert "finds at least 2 persons who have them" in search_wording.demanded(draft)
    assert telling.checked(draft, workspace.folders, table.stated()) is None
    draft.set_role("ward", Role.IDENTIFIER)
    assert [each.column for each in telling.problems(draft, table)] == ["ward"]
    for key in ("entity", "linkable", "known_events"):
        draft.say("privacy", key, None)
    draft.set_role("ward", Role.OTHER)
    draft.say("privacy", "household", "ward")
    assert "of all members of a household finds at least 2 households" in telling.k_in_words(draft)
    assert "Every household hides among at least 2 households" in search_wording.demanded(draft)
    assert telling.problems(draft, table) == []


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_makes_a_policy_that_shoal_takes(workspace: Workspace, preset: Any) -> None:
    """Presets are beginnings that run."""
    draft = protected(workspace)
    apply(preset, draft, opened(workspace).inspected)
    assert telling.checked(draft, workspace.folders, opened(workspace).stated()) is None
    assert telling.problems(draft, opened(workspace)) == []
    assert f"k = {preset.k}" in preset.sets


def test_the_paragraph_says_what_happens_to_every_column(workspace: Workspace) -> None:
    """Dropped, made coarser, demanded, kept, left out."""
    words = telling.paragraph(protected(workspace), opened(workspace))
    assert words == (
        "The column patient is dropped. The columns age, zip and sex are made coarser until everybody hides "
        "among at least 2 rows. Also demanded: at least 2 distinct values of diagnosis in each group; at "
        "least 2 distinct values of income in each group. 3 columns stay unchanged. Shoal looks for the "
        "release that loses least and leaves out at most 0 of 4 rows."
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda draft: draft.set_role("income", Role.OTHER), "income looks sensitive but is kept without"),
        (lambda draft: draft.set_role("patient", Role.OTHER), "patient looks like an identifier"),
        (lambda draft: draft.set_role("age", Role.OTHER), "age looks like something others know"),
        (lambda draft: draft.say("privacy", "models", None), "Each of diagnosis and income is sensitive"),
        (lambda draft: draft.say("privacy", "k", 1), "k = 1 protects nobody"),
        (lambda draft: draft.stated["privacy"]["models"][0].update(l=4), "no group has 4"),
    ],
)
def test_what_is_probably_not_meant_is_said(
    workspace: Workspace, change: Callable[[Draft], None], said: str
) -> None:
    """A doubt is a sentence, and without one there is silence."""
    draft = protected(workspace)
    assert telling.doubts(draft, opened(workspace)) == []
    change(draft)
    assert any(said in words for words in telling.gathered(telling.doubts(draft, opened(workspace))))


def test_what_the_detector_says_stands_beside_its_column(tmp_path: Path, workspace: Workspace) -> None:
    """A copy of the age, and a name: in place of guesses about them, and only while they stay unchanged."""
    rows = "".join(f"{30 + row % 9},{30 + row % 9},x{row},f\n" for row in range(40))
    path = tmp_path / "folder" / "copies.csv"
    path.write_text("age,years,name,sex\n" + rows, encoding="utf-8")
    table = Opened(source=path, name="copies.csv", inspected=shoal.inspect(path))
    workspace.open(table)
    draft = workspace.draft
    for name, role in (("age", Role.QUASI_IDENTIFIER), ("years", Role.OTHER), ("name", Role.OTHER)):
        draft.set_role(name, role)
    leaks = leak_warnings.leaks_of(draft, workspace.folders, table.stated())
    assert [each.column for each in leaks] == ["years", "name"]
    assert leaks[0].words.startswith("'years' is released unchanged and gives away 'age': ")
    said = [each for each in telling.doubts(draft, table, leaks) if each.column in ("years", "name")]
    assert said == list(leaks)
    draft.set_role("name", Role.IDENTIFIER)
    draft.set_role("years", Role.QUASI_IDENTIFIER)
    assert leak_warnings.leaks_of(draft, workspace.folders, table.stated()) == ()


def test_a_kept_column_that_tells_rows_apart_and_persons_with_several_rows_are_doubts(
    tmp_path: Path, workspace: Workspace
) -> None:
    """Of 40 stays of 20 patients: a bed that few share stays in the release, and k counts rows."""
    rows = "".join(f"{stay % 20},{stay % 2},B{1 + stay % 28:02d}\n" for stay in range(40))
    (tmp_path / "folder" / "again.csv").write_text("patient,sex,bed\n" + rows, encoding="utf-8")
    path = tmp_path / "folder" / "again.csv"
    table = Opened(source=path, name="again.csv", inspected=shoal.inspect(path))
    workspace.open(table)
    draft = workspace.draft
    draft.set_role("patient", Role.IDENTIFIER)
    said = " ".join(telling.gathered(telling.doubts(draft, table)))
    assert "bed stays unchanged, and few rows share a value of it" in said
    assert "one person has several rows" in said
    draft.set_role("bed", Role.QUASI_IDENTIFIER)
    draft.say("privacy", "entity", "patient")
    assert telling.doubts(draft, table) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda draft: [draft.set_role(name, Role.OTHER) for name in ("age", "zip", "sex")],
            "No quasi-ident",
        ),
        (lambda draft: draft.say("privacy", "k", 5), "more than the rows of the table, 4: choose"),
        (lambda draft: draft.set_role("income", Role.OTHER), "income must be sensitive"),
        (
            lambda draft: draft.say("privacy", "models", [{"name": "k-map", "k": 3}]),
            "needs a table of the pop",
        ),
        (
            lambda draft: draft.say("objective", "cost", "classification"),
            "needs a column with the role class",
        ),
        (
            lambda draft: (
                draft.attributes["age"].update(weight=2),
                draft.say("objective", "cost", "discernibility"),
            ),
            "age has a weight",
        ),
        (
            lambda draft: draft.stated["privacy"]["models"].append(
                {"name": "t-closeness", "attribute": "income", "t": 0.2, "ground": "hierarchical"}
            ),
            "needs one of its column",
        ),
    ],
)
def test_what_keeps_a_search_from_starting_is_said(
    workspace: Workspace, change: Callable[[Draft], Any], said: str
) -> None:
    """Before a search is started, and beside the field where there is one."""
    draft = protected(workspace)
    assert telling.problems(draft, opened(workspace)) == []
    change(draft)
    assert any(said in each.words for each in telling.problems(draft, opened(workspace)))


def test_an_error_of_shoal_names_its_column(workspace: Workspace) -> None:
    """So that it can stand beside it; the folder it was checked in is gone."""
    draft = protected(workspace)
    draft.attributes["age"].update(min_level=3, max_level=1)
    words = telling.checked(draft, workspace.folders, opened(workspace).stated())
    assert words is not None
    assert telling.names(words, "age")
    assert not telling.names(words, "zip")
    assert list(workspace.folders.private.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "stated", "most"),
    [
        ("5%", "5%", 50),
        (" 0.5 % ", "0.5%", 5),
        ("1,2", 12, 12),
        ("120", 120, 120),
        ("Unlimited", "unlimited", None),
    ],
)
def test_a_limit_on_suppression_is_read_as_typed(typed: str, stated: Any, most: int | None) -> None:
    """A share, rows, or no limit."""
    assert suppression_of(typed, 1000) == stated
    assert telling.most_suppressed(stated, 1000) == most
    assert 0 <= share_of(stated, 1000) <= 20
    assert suppression_in_words(stated, 1000)


@pytest.mark.parametrize("typed", ["", "-3", "5 percent", "101%", "1.5", "nan%", "²"])
def test_what_is_no_limit_is_refused(typed: str) -> None:
    """The policy keeps what it had."""
    with pytest.raises(PolicyError, match="use a share"):
        suppression_of(typed, 1000)


def test_a_setting_that_shoal_does_not_take_is_refused(workspace: Workspace) -> None:
    """And one that it takes leaves out what is empty."""
    protected(workspace)
    assert with_setting(workspace, "age", "bin", 5)["bin"] == 5
    assert "bin" not in with_setting(workspace, "age", "bin", None)
    with pytest.raises(PolicyError, match="bin"):
        with_setting(workspace, "age", "bin", -1)
    workspace.draft.set_hierarchy_file("age", "34;30s;*\n")
    with pytest.raises(PolicyError, match="does not go with"):
        with_setting(workspace, "age", "bin", 5)


def test_columns_are_found_by_a_part_of_their_name_and_by_role(workspace: Workspace) -> None:
    """Case does not matter."""
    inspected = opened(workspace).inspected
    roles = {column.name: Role.OTHER for column in inspected.columns} | {"sex": Role.SENSITIVE}
    assert [inspected.columns[at].name for at in matching(inspected, "A", roles, "")] == [
        "patient",
        "age",
        "diagnosis",
        "ward",
    ]
    assert matching(inspected, "", roles, "sensitive") == [3]


def test_who_is_alone_is_said_with_the_share() -> None:
    """The sentence of the brief, and what stands there until it is known."""
    assert "9,204 of 30,162 rows are unique, 30.5 %" in uniqueness.in_words(("a", "b"), 30162, 9204)
    assert "Counting" in uniqueness.in_words(("a",), 10, None)
    assert "none of the 10 rows is alone" in uniqueness.in_words(("a",), 10, 0)
    assert "No quasi-identifier" in uniqueness.in_words((), 10, None)


def test_an_imported_policy_keeps_what_it_says_and_tells_what_it_left_out(workspace: Workspace) -> None:
    """Source, release path, and files that are not there are left out by name."""
    written = """
[source]
path = "/elsewhere/stays.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = "gone.csv"
[attributes.zip]
role = "quasi-identifier"
hierarchy = "zip.csv"
[privacy]
k = 2
[release]
path = "r.csv"
ledger = "/etc/ledger.jsonl"
"""
    (workspace.folders.opened[0] / "zip.csv").write_text("02139;021;*\n02141;021;*\n", encoding="utf-8")
    draft, left = importing.imported(written, opened(workspace), workspace.draft, workspace.folders)
    assert draft.columns(Role.QUASI_IDENTIFIER) == ["age", "zip"]
    assert "hierarchy" not in draft.attributes["age"]
    assert [*draft.used_files().values()] == ["02139;021;*\n02141;021;*\n"]
    assert draft.stated["release"] == {}
    assert len(left) == 4
    assert telling.checked(draft, workspace.folders, opened(workspace).stated()) is None


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("k = = 3", "no TOML"),
        ("[attributes.shoe]\nrole='other'", "no column shoe"),
        ("attributes = 3", "a table for each column"),
        ("privacy = 3", "must be a table"),
        ("[privacy]\nk=2\npopulation='/etc/passwd'", "none of the folders"),
    ],
)
def test_what_is_no_policy_for_this_table_is_refused(workspace: Workspace, written: str, said: str) -> None:
    """In a sentence; the draft is not touched."""
    with pytest.raises(PolicyError, match=said):
        importing.imported(written, opened(workspace), workspace.draft, workspace.folders)


def test_names_in_sentences_are_short_and_on_one_line() -> None:
    """Whatever a column is called."""
    assert short("a\n b") == "a b"
    assert len(short("x" * 5000)) == LONGEST
    assert telling.listed([str(at) for at in range(20)]) == "0, 1, 2, 3, 4, 5, 6 and 13 more"


class Typed:
    """An input without a page."""

    def __init__(self) -> None:
        self.error: str | None = None
        self.is_deleted = False
        self._value: Any = None
        self._handler: Callable[[Any], None] = lambda _: None

    def on_value_change(self, handler: Callable[[Any], None]) -> None:
        self._handler = handler

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        if value != self._value:
            self._value = value
            self._handler(SimpleNamespace(value=value))


class Calls:
    """Follows without a page."""

    is_current = True

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []

    def add(self, _: Any, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def changed(self) -> None:
        for call in self.calls:
            call()


def test_a_field_shows_what_others_write_and_keeps_what_is_typed_here() -> None:
    """What is refused stays in the field and out of the policy; what is emptied elsewhere is emptied here."""
    policy: dict[str, Any] = {"bin": None}

    def write(value: Any) -> None:
        if value is not None and int(value) < 0:
            raise PolicyError("too small")
        policy["bin"] = None if value is None else int(value)

    field, listener = Typed(), Calls()
    Field(cast(ChangeListener, listener), field, lambda: policy["bin"], write)
    field.value = "05"
    assert (policy["bin"], field.value) == (5, "05")
    field.value = "-3"
    assert (policy["bin"], field.value, field.error) == (5, "-3", "Too small.")
    listener.changed()
    assert field.value == "-3"
    policy["bin"] = 7
    listener.changed()
    assert (field.value, field.error) == (7, None)
    policy["bin"] = None
    listener.changed()
    assert field.value is None


def test_examples_of_models_are_right() -> None:
    """What the words say of flu and asthma is what the models measure."""
    from shoal.model.table.people import People, SensitiveColumn

    half = SensitiveColumn(name="d", counts=(50, 50), values=("flu", "asthma"))
    assert People(columns=(half,)).column("d") is half

    def accepted(histogram: dict[int, int], **stated: Any) -> bool:
        model = model_of({"attribute": "d", **stated})
        assert isinstance(model, SensitiveModel)
        return model.accepts(model.value(histogram, half))

    assert accepted({0: 2, 1: 2}, name="entropy-l-diversity", l=2)
    assert not accepted({0: 3, 1: 1}, name="entropy-l-diversity", l=2)
    assert accepted({0: 3, 1: 2}, name="recursive-l-diversity", c=2, l=2)
    assert not accepted({0: 3, 1: 1}, name="recursive-l-diversity", c=2, l=2)
    assert accepted({0: 3, 1: 1}, name="t-closeness", t=0.25)
    assert not accepted({0: 4}, name="t-closeness", t=0.25)
    assert accepted({0: 75, 1: 25}, name="delta-disclosure", delta=0.7)
    assert not accepted({0: 76, 1: 24}, name="delta-disclosure", delta=0.7)


def test_what_no_field_shows_is_told_and_kept(workspace: Workspace) -> None:
    """Sets, attacks, front and ledger of an imported policy; and weights that no model asks for."""
    draft = protected(workspace)
    assert unshown(draft) == []
    draft.say("privacy", "sets", [["age"], ["zip", "sex"]])
    draft.say("attacks", "linkage", 0.2)
    draft.say("front", "objectives", ["k", "ncp"])
    draft.say("release", "ledger", "/somewhere/releases.jsonl")
    draft.say("release", "nested", True)
    draft.say("privacy", "subset", "age > 18")
    said = " ".join(unshown(draft))
    for words in (
        "(age; zip and sex)",
        "linkage",
        "Set it in Choose",
        "ledger, releases.jsonl",
        "nested",
        "age > 18",
    ):
        assert words in said
    assert "on each of 2 sets of columns." in telling.paragraph(draft, opened(workspace))
    assert draft.document({"path": "x"}, "y.csv")["release"]["ledger"] == "/somewhere/releases.jsonl"
    draft.say("privacy", "survey_weight", "income")
    assert any("Only k-map" in each.words for each in telling.problems(draft, opened(workspace)))
