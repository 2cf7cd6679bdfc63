"""The addresses from which files are fetched: they take numbers of runs, never paths, behind the guard."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse

from shoal.studio.draft import POLICY
from shoal.studio.policy_export import policy_files, stated_source, zipped
from shoal.studio.spreadsheet import ENDINGS, harmless_copy
from shoal.studio.steps.release.state import ReleaseState, safe_name
from shoal.studio.workspace import Opened, Run, Workspace
from shoal.studio.write_order import KINDS, MANIFEST

STRICT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""What a report may do in a browser: nothing but show itself."""

KEPT_NOWHERE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".pdf": "application/pdf",
}


def address(run: Run, what: str) -> str:
    """Where a file of a run is fetched from."""
    return f"/download/{run.number}/{what}"


def add_downloads(served: FastAPI, workspace: Workspace) -> None:
    """Serve the files of the runs."""

    def found(number: int) -> tuple[Opened, Run] | None:
        run = workspace.run(number)
        return (
            None if run is None or run.release is None or workspace.table is None else (workspace.table, run)
        )

    @served.get("/download/{number}/release")
    def release(number: int) -> Response:
        there = found(number)
        if there is None or not there[1].release_path.is_file():
            return _nothing()
        return _file(there[1].release_path, safe_name(workspace.state(ReleaseState), *there))

    @served.get("/download/{number}/manifest")
    def manifest(number: int) -> Response:
        there = found(number)
        if there is None:
            return _nothing()
        path = there[1].release_path
        return _file(
            path.with_name(path.name + MANIFEST), safe_name(workspace.state(ReleaseState), *there) + MANIFEST
        )

    @served.get("/download/{number}/spreadsheet")
    def spreadsheet(number: int) -> Response:
        there = found(number)
        if there is None or there[1].release is None or there[1].release_path.suffix not in ENDINGS:
            return _nothing()
        name = safe_name(workspace.state(ReleaseState), *there).rsplit(".", 1)[0] + "-for-spreadsheets.csv"
        pieces = harmless_copy(there[1].release_path, there[1].release.verdict.columns)
        return _pieces(pieces, name)

    @served.get("/download/{number}/policy")
    def policy(number: int) -> Response:
        there = found(number)
        if there is None:
            return _nothing()
        table, run = there
        name = safe_name(workspace.state(ReleaseState), table, run)
        files = policy_files(run.draft, stated_source(table, workspace.folders), name)
        if len(files) == 1:
            return _bytes(files[POLICY].encode(), POLICY, "application/toml")
        stem = name.rsplit(".", 1)[0] + "-policy"
        return _bytes(zipped(files, stem), f"{stem}.zip", "application/zip")

    for kind in KINDS:
        served.get(f"/download/{{number}}/report.{kind}")(_report(workspace, kind))
    served.get("/download/{number}/report")(_report(workspace, "html", shown=True))


def _report(workspace: Workspace, kind: str, *, shown: bool = False):  # type: ignore[no-untyped-def]
    def report(number: int) -> Response:
        path = workspace.state(ReleaseState).reports.get(number, {}).get(kind)
        if path is None or not path.is_file():
            return _nothing("There is no such report yet. Make it on the page of the step Release.")
        if not shown:
            return _file(path, path.name)
        return FileResponse(
            path, media_type=TYPES[".html"], headers={**KEPT_NOWHERE, "content-security-policy": STRICT}
        )

    return report


def _file(path: Path, name: str) -> Response:
    if not path.is_file():
        return _nothing()
    kind = TYPES.get(Path(name).suffix.lower(), "application/octet-stream")
    return FileResponse(path, media_type=kind, filename=name, headers=KEPT_NOWHERE)


def _bytes(content: bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={**KEPT_NOWHERE, **_attached(name)})


def _pieces(pieces: Iterable[bytes], name: str) -> Response:
    return StreamingResponse(pieces, media_type=TYPES[".csv"], headers={**KEPT_NOWHERE, **_attached(name)})


def _attached(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}"}


def _nothing(words: str = "There is no such file. Go back to the studio, and check its runs.") -> Response:
    return PlainTextResponse(words, status_code=404, headers=KEPT_NOWHERE)
