"""What MkDocs cannot do by itself: pages and links outside docs/, the Python reference.

Pages are read in the repository and on the site. A link is therefore a path between files of the repository;
here it becomes a path between pages of the site.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
# Files outside docs/ that are pages of the site, too.
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing/index.md",
    "SECURITY.md": "security.md",
    "cpp/README.md": "contributing/core.md",
}
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"^::: shoal\.(\w+)$", re.MULTILINE)
HEADING = re.compile(r"^### `shoal\.(\w+)`$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live outside docs/."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to pages of the site, and name the module of each public Python name."""
    written = page.file.abs_src_path
    assert written is not None
    source = PurePosixPath(Path(written).relative_to(ROOT).as_posix())
    if page.file.src_uri == "reference/python.md":
        markdown = python_reference(markdown)
    here = PurePosixPath(page.file.src_uri).parent
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):  # what looks like a link in a code block is none
        parts += [with_links(markdown[end : fence.start()], source, here, config, files), fence.group()]
        end = fence.end()
    return "".join([*parts, with_links(markdown[end:], source, here, config, files)])


def with_links(
    text: str, source: PurePosixPath, here: PurePosixPath, config: MkDocsConfig, files: Files
) -> str:
    """The text with every link to a file of the repository turned into one to the site."""

    def turned(match: re.Match[str]) -> str:
        target = os.path.normpath(source.parent / match[1])
        if target.startswith("docs/"):
            place = target.removeprefix("docs/")
        else:
            place = OUTSIDE.get(target, target)
            there = files.get_file_from_path(place) is not None or place.endswith(".md")
            if not there and (ROOT / target).is_file():
                files.append(File.generated(config, place, abs_src_path=str(ROOT / target)))
        return os.path.relpath(place, here) + (match[2] or "")

    return LINK.sub(turned, text)


def python_reference(markdown: str) -> str:
    """Replace `::: shoal.NAME` by the module where NAME is defined, so that moving it needs no edit here.

    Functions and classes are generated; modules and constants have only a heading and words.
    """
    shoal = importlib.import_module("shoal")
    public = {name: getattr(shoal, name) for name in shoal.__all__ if name != "__version__"}
    generated = {
        name for name, value in public.items() if inspect.isclass(value) or inspect.isfunction(value)
    }
    for what, there, wanted in (
        ("::: shoal.NAME", set(NAME.findall(markdown)), generated),
        ("### `shoal.NAME`", set(HEADING.findall(markdown)), set(public)),
    ):
        if there != wanted:
            wrong = ", ".join(sorted(there ^ wanted))
            raise PluginError(f"reference/python.md has too few or too many lines '{what}' for: {wrong}")
    return NAME.sub(lambda match: f"::: {public[match[1]].__module__}.{match[1]}", markdown)
