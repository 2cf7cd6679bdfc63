"""The ways to open a table: through the browser, by its path, in a database, or the bundled example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nicegui import events, ui

from shoal import InternalError, ShoalError
from shoal.studio.parts import card, primary, secondary, sentence
from shoal.studio.steps.open_table.database import DUCKDB, table_source, without_password
from shoal.studio.steps.open_table.file_browser import browser
from shoal.studio.steps.open_table.opening import (
    WRONG_KIND,
    begin,
    example,
    fail,
    open_upload,
    upload_place,
)
from shoal.studio.steps.open_table.paths import PACKED, POLICY, TABLES, size_words
from shoal.studio.steps.open_table.pending import Pending
from shoal.studio.workspace import Workspace

ACCEPTED = ",".join((*TABLES, *PACKED, POLICY))

# Fixed texts only: the server adds the name of an upload, as text.
_DROP = """
<div class="open-drop" role="group" aria-label="Drop a file here">
  <q-icon name="upload_file" class="open-drop-icon" aria-hidden="true" />
  <div v-if="props.isUploading" role="status" aria-live="polite">
    <div class="open-drop-words">Taking the file in: {{ props.uploadProgressLabel }} of
      {{ props.uploadSizeLabel }}</div>
    <q-linear-progress :value="parseFloat(props.uploadProgressLabel) / 100" rounded size="8px"
      aria-label="Share of the file that is here" />
  </div>
  <template v-else>
    <div class="open-drop-words">Drop a file here</div>
    <q-btn no-caps unelevated class="button primary" label="Choose a file" @click="props.pickFiles">
      <q-uploader-add-trigger />
    </q-btn>
  </template>
  <q-btn v-if="props.isUploading" no-caps outline class="button" label="Stop" @click="props.abort" />
</div>
"""


def choices(workspace: Workspace) -> None:
    """Show the ways; folded away while a table is open."""
    if workspace.table is None:
        _ways(workspace)
        return
    with ui.expansion("Open another table").classes("open-another").props("header-class=open-another-head"):
        _ways(workspace)


def _ways(workspace: Workspace) -> None:
    with ui.element("div").classes("two open-ways"):
        with ui.element("div"):
            with card("A file of yours", _KINDS):
                _drop(workspace)
            browser(workspace, lambda path: name_table(path))
        with ui.element("div"):
            with card("Try the example first", _EXAMPLE), ui.element("div").classes("row open-answer"):
                secondary("Open the example", lambda: guarded(workspace, lambda: example(workspace)))
            name_table = _database(workspace)
            with card("Go on from a policy", _POLICY):
                pass


_KINDS = "Text (.csv, .tsv, .txt), Excel, Parquet, JSON lines, Arrow, SPSS, Stata, SAS; also as .gz or .zip."
_EXAMPLE = (
    "30,162 people of the 1994 census of the United States, with hierarchies for what others may know of "
    "them. A first release takes a minute."
)
_POLICY = (
    "A policy file (.toml) that the studio or the command line wrote opens like a table: drop it, or choose "
    "it in a folder. Its table, roles, hierarchies and demands are as you left them."
)


def guarded(workspace: Workspace, work: Callable[[], None]) -> None:
    """Do something; if it fails, show the reason in a visible place."""
    try:
        work()
    except (ShoalError, InternalError) as error:
        fail(workspace, sentence(error))


def _drop(workspace: Workspace) -> None:
    most = workspace.most_upload
    too_large = (
        f"The file is larger than {size_words(most)}, the limit of an upload. Open it by "
        "its path: choose it under A file on this machine, which reads it in place, however large it is."
    )

    async def arrived(event: events.UploadEventArguments) -> None:
        name = event.file.name
        stored = None
        if not uploader.is_deleted:
            uploader.reset()
        try:
            stored = upload_place(workspace, name)
            await event.file.save(stored)
            stored.chmod(0o600)
            open_upload(workspace, name, stored)
        except (ShoalError, InternalError) as error:
            fail(workspace, sentence(error))
        except OSError as error:
            if stored is not None:
                stored.unlink(missing_ok=True)
            fail(workspace, f"The file could not be kept: {error.strerror}. Is there space left on the disk?")

    def refused(event: events.GenericEventArguments) -> None:
        reasons = event.args if isinstance(event.args, list) else [event.args]
        wrong = WRONG_KIND[:1].upper() + WRONG_KIND[1:] + "."
        fail(workspace, wrong if "accept" in reasons else too_large)

    def lost() -> None:
        uploader.reset()
        fail(workspace, "The file did not arrive whole. Try again, or open it by its path.")

    uploader = ui.upload(on_upload=arrived, max_file_size=most or None, auto_upload=True)
    uploader.props(f'accept="{ACCEPTED}" flat').classes("open-uploader")
    uploader.add_slot("header", _DROP)
    uploader.add_slot("list", "<span></span>")
    uploader.on("rejected", refused, js_handler="(found) => emit(found.map((f) => f.failedPropValidation))")
    uploader.on("failed", lost, args=[])
    ui.label(f"Up to {size_words(most)}. Kept in a private folder until the studio ends.").classes("hint")


def _database(workspace: Workspace) -> Callable[[Path], None]:
    """A form; what fills it in for a database's file."""
    hint = "DuckDB or PostgreSQL. The table is read where it is."
    with card("A table of a database", hint), ui.element("div").classes("stack"):
        url = ui.input("Address", placeholder="postgres://user@host/database").classes("field")
        url.props('outlined dense autocomplete=off spellcheck=false hint="or duckdb:///file.db"')
        table = ui.input("Table", placeholder="public.stays").classes("field")
        table.props("outlined dense autocomplete=off spellcheck=false")
        password = ui.input("Password, if it needs one", password=True).classes("field")
        password.props("outlined dense autocomplete=off")
        ui.label(
            "The password is neither shown again nor written into the policy. On the command line it is "
            "taken from PGPASSWORD or ~/.pgpass."
        ).classes("hint")

        def opened() -> None:
            bare, written = without_password(url.value or "")
            secret = password.value or written
            password.set_value("")
            url.set_value(bare)
            source = table_source(workspace.folders, bare, table.value or "")
            begin(workspace, Pending(source=source, name=str(source.table), password=secret))

        with ui.element("div").classes("row"):
            primary("Open the table", lambda: guarded(workspace, opened))

    def name_table(path: Path) -> None:
        url.set_value(DUCKDB + str(path))
        table.run_method("focus")

    return name_table
