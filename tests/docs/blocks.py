"""The code blocks of a Markdown page, with what the page says about running them.

    <!-- not run: needs a cluster -->          the next block is only shown
    <!-- numbers vary: seconds of a run -->    words of the output are compared, numbers are not
    <!-- run: shoal demo -->                   commands that a reader does not need to see, run in their place

A block of kind `text`, `json` or `sql` directly below a block that runs is the output of that block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = frozenset({"console", "json", "python", "sh", "sql", "text", "toml", "yaml"})
OUTPUT = frozenset({"text", "json", "sql"})
FENCE = re.compile(r'^(?P<indent> *)```(?P<kind>\S*)(?: +title="(?P<title>[^"]+)")?$')
COMMENT = re.compile(r"^ *<!-- (?P<what>not run|numbers vary|run):\s(?P<text>.*?)\s*-->$", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One code block, or one comment with commands.

    Parameters
    ----------
    line
        The number of its first line of text, counted from 0.
    kind
        The word after the fence; `run` for a comment.
    lines
        Its lines, without the indentation of the fence.
    title
        The file that the block shows, if the page names one.
    not_run, numbers_vary
        The reason that the page gives.
    output
        The block below it that shows what it prints.
    """

    line: int
    kind: str
    lines: tuple[str, ...]
    indent: str = ""
    title: str | None = None
    not_run: str | None = None
    numbers_vary: str | None = None
    output: Block | None = None

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "".join(f"{line}\n" for line in self.lines)


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in order, outputs with what prints them."""
    found: list[Block] = []
    for block in _all(page.read_text(encoding="utf-8").splitlines()):
        above = found[-1] if found else None
        adjacent = above is not None and block.line == above.line + len(above.lines) + 2
        if above is not None and adjacent and above.kind in ("python", "sh") and block.kind in OUTPUT:
            found[-1] = Block(**{**vars(above), "output": block})
        else:
            found.append(block)
    return found


def _all(lines: list[str]) -> Iterator[Block]:
    said: dict[str, str] = {}
    number = 0
    while number < len(lines):
        comment, last = _comment(lines, number)
        if comment is not None:
            if comment["what"] == "run":
                yield Block(line=number, kind="run", lines=tuple(comment["text"].splitlines()))
            else:
                said[comment["what"].replace(" ", "_")] = comment["text"]
            number = last + 1
            continue
        if (fence := FENCE.match(lines[number])) is None:
            if lines[number].strip():
                said = {}
            number += 1
            continue
        end = lines.index(f"{fence['indent']}```", number + 1)
        yield Block(
            line=number + 1,
            kind=fence["kind"],
            lines=tuple(line.removeprefix(fence["indent"]) for line in lines[number + 1 : end]),
            indent=fence["indent"],
            title=fence["title"],
            not_run=said.get("not_run"),
            numbers_vary=said.get("numbers_vary"),
        )
        said = {}
        number = end + 1


def _comment(lines: list[str], number: int) -> tuple[re.Match[str] | None, int]:
    if not lines[number].lstrip().startswith("<!-- "):
        return None, number
    last = next(at for at in range(number, len(lines)) if lines[at].endswith("-->"))
    return COMMENT.match("\n".join(lines[number : last + 1])), last


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of a console block: the shell's text, and the lines of the block that show what it prints."""

    text: str
    first: int
    last: int
    printed: tuple[str, ...]


def commands(block: Block) -> list[Command]:
    """What a reader types in a console block (after `$ `, continued by `\\` or `> `), and what is printed."""
    found = []
    number = 0
    while number < len(block.lines):
        line = block.lines[number]
        if not line.startswith("$ "):
            raise ValueError(f"line {block.line + number + 1}: a console block begins with '$ '")
        typed = [line[2:]]
        while number + 1 < len(block.lines):
            following = block.lines[number + 1]
            if following.startswith("> "):
                typed.append(following[2:])
            elif typed[-1].endswith("\\"):
                typed.append(following)
            else:
                break
            number += 1
        first = number = number + 1
        while number < len(block.lines) and not block.lines[number].startswith("$ "):
            number += 1
        printed = block.lines[first:number]
        found.append(Command(text="\n".join(typed), first=first, last=number, printed=printed))
    return found
