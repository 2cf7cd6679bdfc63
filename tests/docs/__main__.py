"""Take over what the blocks print: `python -m tests.docs [PAGE ...]` rewrites the outputs that pages show.

Read the difference before you commit it: a page is right only if its words still fit its numbers.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from difflib import SequenceMatcher
from pathlib import Path

import shoal
from tests.docs.page import Difference, differences, same
from tests.docs.place import PAGES, ROOT, commands_at_hand, stays_folder


def rewrite(page: Path, found: list[Difference]) -> None:
    """Put what was printed in place of what the page shows."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for each in sorted(found, key=lambda each: each.first, reverse=True):
        printed = [f"{each.indent}{line}".rstrip() for line in shortened(each.expected, each.printed)]
        if each.has_no_block:
            printed = [f"{each.indent}```text", *printed, f"{each.indent}```"]
        lines[each.first : each.last] = printed
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def shortened(expected: tuple[str, ...], printed: tuple[str, ...]) -> list[str]:
    """What was printed, left out where the page leaves lines out: of each other line the most similar one."""
    if not any(line.strip() == "..." for line in expected):
        return list(printed)
    kept: list[str] = []
    for line in expected:
        if line.strip() == "..." or not printed:
            kept.append("...")
            continue
        nearest = max(printed, key=lambda candidate: SequenceMatcher(None, line, candidate).ratio())
        printed = printed[printed.index(nearest) + 1 :]
        kept.append(line if same((line,), (nearest,), numbers=True) else nearest)
    return kept


def main(names: list[str]) -> None:
    """Run the pages, all or those with one of the names in their path."""
    warnings.simplefilter("ignore", shoal.LeakWarning)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "warm").mkdir()
        with commands_at_hand(Path(place) / "warm") as environment:
            stays = stays_folder(Path(place) / "stays", environment)
            for page in PAGES:
                path = str(page.relative_to(ROOT))
                if names and not any(name in path for name in names):
                    continue
                folder = Path(place) / "page"
                shutil.copytree(stays, folder)
                try:
                    found = list(differences(page, folder, environment))
                except Exception as error:
                    print(f"{path}: {type(error).__name__}: {error}")
                else:
                    rewrite(page, found)
                    print(f"{path}: {len(found)} rewritten")
                shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
