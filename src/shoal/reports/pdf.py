"""Pages for paper: printed by a Chromium of this machine, without network and without its profile."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from shoal.errors import EngineError
from shoal.files.whole_file import write_bytes

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SECONDS = 120
_BY_HAND = "Write the report as .html, open it in any browser and print it to a PDF file"


def browser() -> str | None:
    """The Chromium, Chrome or Edge of this machine."""
    installed = (shutil.which(name) for name in BROWSERS)
    return next((each for each in installed if each), None) or next(
        (place for place in PLACES if Path(place).is_file()), None
    )


def write_pdf(page: str, path: Path) -> None:
    """Print a page to a file that is complete or absent.

    Parameters
    ----------
    page
        The page; all that it needs is in it.
    path
        The file to write.
    """
    program = browser()
    if program is None:
        raise EngineError(f"a PDF is printed by Chromium, Chrome or Edge, and none was found. {_BY_HAND}")
    # A new folder: the browser must neither read nor change anybody's profile.
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        source, printed = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page, encoding="utf-8")
        _print(program, source, printed, Path(folder, "profile"))
        write_bytes(path, printed.read_bytes())


def _print(program: str, source: Path, printed: Path, profile: Path) -> None:
    command = [
        program,
        "--headless",
        "--disable-gpu",
        "--disable-extensions",
        "--no-first-run",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={profile}",
        "--no-pdf-header-footer",
        # For screen readers: headings, tables and their cells are marked as such. Newer ones do so anyway.
        "--export-tagged-pdf",
        "--generate-pdf-document-outline",
        f"--print-to-pdf={printed}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to run as root with one
    try:
        run = subprocess.run([*command, source.as_uri()], capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"the browser did not print the report within {SECONDS} seconds. {_BY_HAND}"
        ) from None
    except OSError as error:
        raise EngineError(f"the browser could not be started: {error.strerror}. {_BY_HAND}") from None
    if run.returncode != 0 or not printed.is_file() or not printed.read_bytes().startswith(b"%PDF"):
        raise EngineError(f"the browser did not print the report (exit code {run.returncode}). {_BY_HAND}")
