"""Texts about searches. No page code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal import Progress, Role, Status
from shoal.formatting.detail import MEANS_OVER_CELLS, gap_in_words, points
from shoal.formatting.numbers import number, percent
from shoal.studio.descriptions import algorithm_words, cost_words, model_words, title
from shoal.studio.draft import Draft
from shoal.studio.parts import Tone
from shoal.studio.policy_key import policy_key
from shoal.studio.workspace import Run

AUTOMATIC = "auto"
SEARCHING = "search"
PHASES = {
    "count": "reading the table",
    SEARCHING: "searching",
    "write": "writing the release",
    "audit": "auditing it",
}
"""What a run says that it does, in each of its phases."""

FEW = 4
"""Most names that are listed one by one."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of many; long ones cut."""
    short = [name if len(name) <= 40 else name[:39] + "…" for name in names]
    if len(short) > FEW:
        return ", ".join(short[:FEW]) + f" and {len(short) - FEW} more"
    return " and ".join([", ".join(short[:-1]), short[-1]] if len(short) > 1 else short)


def demanded(draft: Draft) -> str:
    """What a policy demands, in a few sentences."""
    privacy, objective = draft.stated["privacy"], draft.stated["objective"]
    columns = draft.columns(Role.QUASI_IDENTIFIER)
    k = privacy.get("k")
    words = ["k is not set yet."]
    if isinstance(k, int):
        words = [f"{_hides(privacy, k)}{_known_apart(privacy)}."]
    models = [_model(model) for model in privacy.get("models", [])]
    if models:
        words.append(f"Also: {'; '.join(models)}.")
    if columns:
        many = "1 column is" if len(columns) == 1 else f"{len(columns)} columns are"
        words.append(f"{many} made coarser where needed: {listed(columns)}.")
    else:
        words.append("No column is marked as known to others yet.")
    words.append(_suppression(objective.get("suppression", 0)))
    cost = objective.get("cost")
    if cost is not None or "recoding_model" not in objective:
        named = cost_words(cost or policy_key("objective", "cost").default)
        words.append(f"What is lost is counted as {named.title.lower() if named else cost}.")
    return " ".join(words)


def _hides(privacy: dict[str, Any], k: int) -> str:
    """Who hides among whom."""
    if privacy.get("household"):
        return f"Every household hides among at least {k:,} households with the same members"
    if not privacy.get("entity"):
        return f"Every row hides among at least {k:,} rows"
    if not privacy.get("linkable"):
        return f"Every row hides among rows of at least {k:,} persons"
    known = privacy.get("known_events", "all")
    if known == "all":
        return f"Every person hides among at least {k:,} persons with the same rows"
    return f"Whoever knows {known} row(s) of a person finds at least {k:,} persons who have them"


def _known_apart(privacy: dict[str, Any]) -> str:
    sets = privacy.get("sets")
    return f" on each of {len(sets)} sets of columns that others know apart" if sets else ""


def _model(stated: dict[str, Any]) -> str:
    name = str(stated.get("name"))
    column = stated.get("attribute")
    return title(model_words(name), name) + (f" of {listed([str(column)])}" if column else "")


def _suppression(stated: object) -> str:
    if stated == "unlimited":
        return "Any number of rows may be left out."
    if str(stated) in ("0", "0%"):
        return "No row may be left out."
    many = f"{stated:,} rows" if isinstance(stated, int) else f"{str(stated).replace('%', ' %')} of the rows"
    return f"At most {many} may be left out."


def demands(draft: Draft) -> str:
    """k and the models, as short as possible."""
    names = [_model(model) for model in draft.stated["privacy"].get("models", [])]
    return " + ".join([f"k = {draft.stated['privacy'].get('k', '-')}", *names])


def algorithm(run: Run) -> str:
    """The search of a run; that of an automatic one once it is known."""
    requested = str(run.draft.stated["search"].get("algorithm", AUTOMATIC))
    key = run.release.result.algorithm if run.release is not None else requested
    name = title(algorithm_words(key), key)
    if requested == AUTOMATIC:
        return "Automatic" if run.release is None else f"{name} (automatic)"
    return name


def metric(run: Run) -> tuple[Any, ...]:
    """What costs of a run are counted in: only of equal ones may the costs be compared."""
    objective = run.draft.stated["objective"]
    name = run.release.manifest.cost_metric if run.release is not None else objective.get("cost")
    if name is None:
        name = (
            policy_key("objective", "cost").default
            if "recoding_model" not in objective
            else ("of model", objective["recoding_model"])
        )
    weights = sorted(
        (column, attribute["weight"])
        for column, attribute in run.draft.attributes.items()
        if "weight" in attribute
    )
    return name, tuple(weights)


def metric_name(run: Run) -> str:
    """What the cost is called."""
    name = metric(run)[0]
    return title(cost_words(name), "Loss")


def lost(run: Run, cost: float | None) -> str:
    """A loss as people read it: a share of the detail, where the cost is one."""
    if cost is None or metric(run)[0] not in MEANS_OVER_CELLS:
        return number(cost)
    return f"{percent(cost)} of the detail"


def lost_figure(run: Run, cost: float | None) -> str:
    """The same without the noun."""
    return lost(run, cost).removesuffix(" of the detail")


def lost_name(run: Run) -> str:
    """What the figure is called."""
    return "Detail lost" if metric(run)[0] in MEANS_OVER_CELLS else metric_name(run)


def last(run: Run) -> Progress | None:
    """How far a run is, or was."""
    if run.release is not None:
        return run.release.result.end
    return next((each for each in reversed(run.job.reports) if each.phase == SEARCHING), None)


def phase(run: Run) -> str:
    """What a running run is doing."""
    return run.job.reports[-1].phase if run.job.reports else "count"


def status(run: Run) -> tuple[str, Tone]:
    """The state of a run, in few words."""
    job = run.job
    if run.release is not None:
        return _ended(run)
    if job.state in ("waiting", "running", "paused", "stopping"):
        words = {
            "waiting": "waits for its turn",
            "running": PHASES[phase(run)],
            "paused": "paused",
            "stopping": "stopping",
        }
        return words[job.state], "plain"
    if job.error_kind == "InfeasibleError":
        return "no release possible", "bad"
    return ("failed", "bad") if job.state == "failed" else ("stopped, nothing kept", "warn")


def _ended(run: Run) -> tuple[str, Tone]:
    assert run.release is not None
    result = run.release.result
    if result.status is Status.OPTIMAL:
        return f"proved optimal among {run.release.manifest.kind}", "good"
    if result.status is Status.MINIMAL:
        return "proved minimal", "good"
    how = "stopped by a user" if result.interrupted else "best found"
    return (f"{how}, gap {gap(run)}" if result.gap is not None else f"{how}, no proof"), "warn"


def gap(run: Run) -> str:
    """How much better another release could be: in points of detail, or in per cent of the loss."""
    moment = last(run)
    if moment is None or (run.job.is_running and (moment.bound is None or moment.bound <= 0)):
        return "-"  # nothing is proved yet
    return gap_in_words(str(metric(run)[0]), moment.cost, moment.bound, moment.gap)


def standing(run: Run) -> str:
    """Incumbent, bound and gap of a run as a sentence."""
    moment = last(run)
    job = run.job
    if job.state == "waiting":
        return "Two searches run at once. This one begins when one of them ends or is paused."
    if moment is None or moment.cost is None:
        if not job.is_running:
            return ""
        return "The rows are being read; the search then begins." if moment is None else "Nothing found yet."
    if job.is_running and phase(run) != SEARCHING:
        return "The search is over. What was found is being written and audited."
    name = metric_name(run).lower()
    over = not job.is_running
    found = "that was found" if over else "found so far"
    words = f"The release {found} loses {lost(run, moment.cost)} ({name})."
    if moment.bound is None or moment.bound <= 0:
        return words + " How much less another could lose is not known" + ("." if over else " yet.")
    # While an automatic search runs, only the process that it runs in knows what was chosen.
    kind = "recodings of the kind that is searched" if run.release is None else run.release.manifest.kind
    if moment.gap == 0:
        return words + f" It is proved that no other {kind} lose less."
    least = lost(run, moment.bound)
    return f"{words} No {kind} can lose less than {least}. So at most {_more(run, moment)}."


def _more(run: Run, moment: Progress) -> str:
    if metric(run)[0] in MEANS_OVER_CELLS and moment.cost is not None and moment.bound is not None:
        return f"{points(moment.cost, moment.bound)} more of the detail could be kept"
    return f"{percent(moment.gap)} of the loss could still be saved"
