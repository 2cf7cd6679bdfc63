"""The frame around every step: name, table, the way through, what is at work, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from nicegui import app as nicegui_app
from nicegui import ui

from shoal import Progress
from shoal.studio.parts import notice
from shoal.studio.redraw import INTERVAL
from shoal.studio.steps import choose, open_table, protect, release, review, search
from shoal.studio.steps.search.wording import gap
from shoal.studio.workspace import Workspace

STATIC = Path(__file__).parent / "static"
STYLES = ("studio.css", *sorted(path.name for path in STATIC.glob("*.css") if path.name != "studio.css"))
"""What all steps share comes first."""


@dataclass(frozen=True)
class Step:
    """A step on the way: where it is, what it is called, what it is for, and when it can be taken."""

    path: str
    name: str
    purpose: str
    build: Callable[[Workspace], None]
    can_be_taken: Callable[[Workspace], bool]
    until_then: str = ""


def _has_table(workspace: Workspace) -> bool:
    return workspace.table is not None


def _has_release(workspace: Workspace) -> bool:
    return any(run.release is not None for run in workspace.runs)


LOOK_AT_DISK = 2.0
"""Seconds between two looks whether the file has changed."""

CHANGED = (
    "The table has changed on disk since you opened it, or is gone. Rows, counts and uniqueness on these "
    "pages are the old ones; a new search reads the current file. Open it again under Open."
)
NO_TABLE = "Open a table first."
NO_RELEASE = "There is no release yet: run a search first, or pick a point of the front."
STEPS = (
    Step("/", "Open", "See the data", open_table.build, lambda _: True),
    Step("/protect", "Protect", "Say what must hold", protect.build, _has_table, NO_TABLE),
    Step("/search", "Search", "Find the best release", search.build, _has_table, NO_TABLE),
    Step("/choose", "Choose", "Privacy against detail", choose.build, _has_table, NO_TABLE),
    Step("/review", "Review", "Before and after", review.build, _has_release, NO_RELEASE),
    Step("/release", "Release", "Write and sign", release.build, _has_release, NO_RELEASE),
)


def application(workspace: Workspace, most_upload: int) -> FastAPI:
    """The studio as a web application; the guard wraps it."""
    served = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    workspace.most_upload = most_upload
    release.add_downloads(served, workspace)
    nicegui_app.add_static_files("/static", STATIC)
    ui.run_with(
        served,
        root=lambda: page(workspace),
        title="Shoal Studio",
        favicon=STATIC / "shoal.svg",
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=30,
    )
    return served


def page(workspace: Workspace) -> None:
    """One page; every tab has its own, and all show the same workspace."""
    for sheet in STYLES:
        ui.add_head_html(f'<link rel="stylesheet" href="/static/{sheet}">')
    ui.add_head_html('<script defer src="/static/cards.js"></script>')
    ui.query("html").props("lang=en")
    ui.query(".nicegui-content").classes("studio")
    ui.colors(primary="#236b69", positive="#236b69", negative="#a8261d", warning="#99501b", dark="#172226")
    dark = ui.dark_mode(workspace.dark)
    ui.link("To the content", "#content").classes("skip-link")
    _header(workspace, dark)
    _rail(workspace)
    # NiceGUI has put the whole page into the one landmark "main" that a page may have.
    with ui.element("div").props("id=content tabindex=-1").classes("content"):
        _changed(workspace)
        ui.sub_pages({step.path: lambda step=step: _show(workspace, step) for step in STEPS}).classes("step")


def _changed(workspace: Workspace) -> None:
    """A word on every step when the file is no longer the one that was opened."""
    place = ui.element("div")
    seen: list[bool] = [False]

    def look() -> None:
        changed = workspace.table is not None and workspace.table.has_changed
        if changed == seen[0]:
            return
        seen[0] = changed
        place.clear()
        if changed:
            with place:
                notice(CHANGED, "warn")

    look()
    ui.timer(LOOK_AT_DISK, look)


def _show(workspace: Workspace, step: Step) -> None:
    ui.page_title(f"{step.name} - Shoal Studio")
    if step.can_be_taken(workspace):
        step.build(workspace)
        return
    box = ui.element("div")
    with box, ui.element("section").classes("card empty"):
        ui.label(step.until_then).classes("empty-words")
        first = STEPS[0] if workspace.table is None else STEPS[2]
        ui.link(f"Go to {first.name}", first.path).classes("button primary")

    def look() -> None:
        """A table that is being read, or a search that runs, may make it possible."""
        if step.can_be_taken(workspace):
            timer.cancel()
            box.clear()
            with box:
                step.build(workspace)

    timer = ui.timer(INTERVAL, look)


def _header(workspace: Workspace, dark: ui.dark_mode) -> None:
    with ui.element("header").classes("top"):
        with ui.link(target="/").classes("brand").props('aria-label="Shoal Studio, to the first step"'):
            ui.element("img").classes("logo").props('src="/static/shoal.svg" alt=""')
            ui.label("Shoal").classes("brand-name")
            ui.label("Studio").classes("brand-part")
        table = ui.label().classes("table-name")
        work = ui.label().classes("at-work")
        themes: dict[bool | None, tuple[str, str]] = {
            None: ("brightness_auto", "Colours as the system has them"),
            False: ("light_mode", "Light colours"),
            True: ("dark_mode", "Dark colours"),
        }

        def turn() -> None:
            workspace.dark = {None: False, False: True, True: None}[workspace.dark]
            dark.value = workspace.dark
            draw_theme()

        theme = ui.button(on_click=turn).props("flat round dense").classes("theme")
        # Screen readers announce when work begins and ends, not every change of the gap.
        spoken = ui.label().classes("only-heard").props("role=status")

        def draw_theme() -> None:
            icon, words = themes[workspace.dark]
            theme.props(f'icon={icon} aria-label="{words}" title="{words}"')

        draw_theme()

        def look() -> None:
            opened = workspace.table
            table.set_text("" if opened is None else f"{opened.name} · {rows_of(opened.inspected.rows)}")
            running = workspace.running
            words = f"{running[0].title} …" if running else ""
            last = running[0].reports[-1] if running and running[0].reports else None
            if isinstance(last, Progress) and last.gap is not None:
                run = next((each for each in workspace.runs if each.job is running[0]), None)
                known = "-" if run is None else gap(run)
                words = words if known == "-" else f"{running[0].title}: gap {known}"
            work.set_text(words + (f" and {len(running) - 1} more" if len(running) > 1 else ""))
            work.set_visibility(bool(words))
            spoken.set_text(f"At work: {running[0].title}" if running else "")

        look()
        ui.timer(INTERVAL, look)


def rows_of(many: int) -> str:
    """A number of rows in words."""
    return "1 row" if many == 1 else f"{many:,} rows"


def _rail(workspace: Workspace) -> None:
    """The steps as links; one that is not available yet is marked, not hidden."""
    links: list[tuple[Step, ui.link]] = []
    with ui.element("nav").props('aria-label="Steps"').classes("rail"):
        for number, step in enumerate(STEPS, 1):
            with ui.link(target=step.path).classes("rail-step").mark(f"step-{step.name.lower()}") as link:
                ui.label(str(number)).classes("rail-number").props("aria-hidden=true")
                with ui.element("div").classes("rail-words"):
                    ui.label(step.name).classes("rail-name")
                    ui.label(step.purpose).classes("rail-purpose")
            links.append((step, link))
    router = ui.context.client.sub_pages_router

    def look() -> None:
        for step, link in links:
            here = router.current_path.split("?")[0].split("#")[0] == step.path
            link.classes(add="here" if here else "", remove="" if here else "here")
            link.props("aria-current=step") if here else link.props(remove="aria-current")
            open_ = step.can_be_taken(workspace)
            link.classes(add="" if open_ else "not-yet", remove="not-yet" if open_ else "")

    router.on_path_changed(lambda _: look())
    look()
    ui.timer(INTERVAL, look)
