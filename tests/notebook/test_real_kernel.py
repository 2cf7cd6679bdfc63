"""In a real kernel: the progress of a search, the cards of results, and help where a user looks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.notebook.kernel import executed, notebook_of

SEARCH = """
import numpy
import pandas
import shoal

random = numpy.random.default_rng(0)
people = pandas.DataFrame({name: random.integers(0, 40, 2000) for name in ("age", "height", "zip")})
asked = dict(quasi_identifiers=list(people), k=5)
shoal.anonymize(people, algorithm="exact", nodes=100, **asked)
"""
QUIET = "shoal.anonymize(people[:50], progress=False, **asked)"
RESULTS = "display(shoal.inspect(people), shoal.audit(people, quasi_identifiers=['age'], k=3))"
HELP = """
from IPython.core.completer import provisionalcompleter

shell = get_ipython()
print(shell.object_inspect_text("shoal.anonymize"))

def completed(line):
    # On a busy machine the first answer was empty once; a person presses Tab again.
    for _ in range(10):
        found = [each.text for each in shell.Completer.completions(line, len(line))]
        if found:
            break
    return found

with provisionalcompleter():
    for line in ("shoal.anonymize(people, supp", "shoal.anony"):
        print("completed", completed(line))
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One kernel that ran all cells."""
    return executed(notebook_of(SEARCH, QUIET, RESULTS, HELP), tmp_path_factory.mktemp("notebook"))


def shown(client: Any, cell: int) -> list[Any]:
    """The outputs of a cell."""
    return list(client.nb.cells[cell].outputs)


def test_a_search_shows_its_progress_in_one_place_and_clears_it(client: Any) -> None:
    """A line that later ones replace, and at the end nothing; it is no line of a log."""
    texts = [
        content["data"].get("text/plain", "")
        for kind, content in client.messages
        if kind in ("display_data", "update_display_data") and "display_id" in content["transient"]
    ]
    assert texts[0] == "counting the rows"
    assert any(text.startswith("searching   loss ") for text in texts)
    assert texts[-1] == ""
    first = [output for output in shown(client, 0) if output.output_type == "display_data"]
    assert [output.data["text/plain"] for output in first] == [""]
    assert not any(output.output_type == "stream" for output in shown(client, 0))


def test_without_progress_a_cell_shows_the_result_alone(client: Any) -> None:
    """`progress=False` sends nothing to the browser."""
    assert [output.output_type for output in shown(client, 1)] == ["execute_result"]


def test_results_are_cards_with_a_text_for_terminals(client: Any) -> None:
    """Both forms are in the notebook, so that it reads well also where HTML is not shown."""
    (result,) = [output for output in shown(client, 0) if output.output_type == "execute_result"]
    assert 'class="shoal-card' in result.data["text/html"]
    assert result.data["text/plain"].startswith("Release(")
    cards = [output.data["text/html"] for output in shown(client, 2)]
    assert len(cards) == 2
    assert "Inspected table" in cards[0]
    assert "does not hold" in cards[1] or "holds" in cards[1]


def test_help_and_tab_show_the_arguments(client: Any) -> None:
    """A question mark lists every keyword, and Tab completes names and keywords."""
    text = "".join(output.text for output in shown(client, 3))
    assert "quasi_identifiers" in text
    assert "**values" not in text
    assert "completed ['suppressed=', 'suppression=']" in text
    assert "completed ['anonymize', 'anonymize_tables']" in text


def test_the_notebook_is_written_nowhere(client: Any) -> None:
    """Showing results leaves no file behind."""
    folder = Path(client.resources["metadata"]["path"])
    assert [*folder.iterdir()] == []
