"""Run a page from top to bottom in a folder of its own, and compare what it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
import yaml

import shoal
from tests.docs.blocks import Block, blocks, commands
from tests.patience import PATIENCE

# Lines that appear every ten seconds, and after a run that took long: that depends on the machine.
PROGRESS = re.compile(
    r"searching   |count [\d.]+ s   search |"
    r"counting the rows$|writing the release$|auditing what was written$"
)
NUMBER = re.compile(r"\d[\d,.:]*")
# What a page may leave out of a policy that it shows a part of.
REST: dict[str, Any] = {
    "source": {"path": "stays.csv"},
    "attributes": {
        "patient": {"role": "identifier"},
        "age": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier", "type": "category"},
        "diagnosis": {"role": "sensitive"},
        "disease": {"role": "sensitive"},
        "job": {"role": "sensitive"},
        "salary": {"role": "sensitive", "type": "number"},
    },
    "privacy": {"k": 5},
    "release": {"path": "release.csv"},
}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What a command printed, and the lines of the page (first to last, from 0) that say something else."""

    first: int
    last: int
    indent: str
    command: str
    printed: tuple[str, ...]
    expected: tuple[str, ...]
    has_no_block: bool = False

    def __str__(self) -> str:
        expected = "".join(f"  - {line}\n" for line in self.expected)
        printed = "".join(f"  + {line}\n" for line in self.printed)
        return f"line {self.first + 1}: {self.command}\n{expected}{printed}"


def differences(page: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[Difference]:
    """Run all blocks of a page in order; raise where one fails, give what is printed otherwise than shown."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.not_run is not None:
            continue
        if block.title is not None:  # a file that the commands below read
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.kind == "toml":
            check_policy(block, folder)
        elif block.kind == "yaml":
            yaml.safe_load(block.text)
        elif block.kind == "run":
            _succeeds(block, folder, environment)
        elif block.kind == "console":
            yield from _console(block, folder, environment)
        elif block.kind == "sh":
            yield from _compared(block, _succeeds(block, folder, environment))
        elif block.kind == "python":
            yield from _compared(block, _python(block, folder, names))


def _compared(block: Block, printed: tuple[str, ...]) -> Iterator[Difference]:
    expected = () if block.output is None else block.output.lines
    if same(expected, printed, numbers=block.numbers_vary is None):
        return
    first = block.line + len(block.lines) + 1 if block.output is None else block.output.line
    yield Difference(
        first=first,
        last=first + len(expected),
        indent=block.indent,
        command=block.lines[0],
        printed=printed,
        expected=expected,
        has_no_block=block.output is None,
    )


def _console(block: Block, folder: Path, environment: Mapping[str, str]) -> Iterator[Difference]:
    for command in commands(block):
        _, printed = _shell(command.text, folder, environment)
        if not same(command.printed, printed, numbers=block.numbers_vary is None):
            yield Difference(
                first=block.line + command.first,
                last=block.line + command.last,
                indent=block.indent,
                command=command.text,
                printed=printed,
                expected=command.printed,
            )


def _succeeds(block: Block, folder: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    code, printed = _shell(f"set -e\n{block.text}", folder, environment)
    assert code == 0, f"line {block.line + 1}: exit code {code}\n" + "\n".join(printed)
    return printed


def _shell(text: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, tuple[str, ...]]:
    ran = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    return ran.returncode, _lines(ran.stdout)


def _python(block: Block, folder: Path, names: dict[str, Any]) -> tuple[str, ...]:
    printed = io.StringIO()
    here = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(printed):
            # Line numbers of an error are those of the page.
            exec(compile("\n" * block.line + block.text, "page", "exec"), names)
    finally:
        os.chdir(here)
    return _lines(printed.getvalue())


def _lines(text: str) -> tuple[str, ...]:
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    return tuple(line.rstrip() for line in lines if not PROGRESS.match(line))


def check_policy(block: Block, folder: Path) -> None:
    """Read a policy; a part of one is completed by `REST` first, models alone are of `[privacy]`."""
    shown = tomllib.loads(block.text)
    if not any(isinstance(value, dict) for value in shown.values()):
        shown = {"privacy": shown}
    policy = folder / "shown.toml"
    policy.write_text(tomli_w.dumps(shown if "source" in shown else _merged(REST, shown)), encoding="utf-8")
    try:
        shoal.read_policy(policy)
    except shoal.PolicyError as error:
        raise AssertionError(f"line {block.line + 1}: {error}") from error


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], dict):
            merged[key] = _merged(below[key], above[key])
    return merged


def same(expected: tuple[str, ...], printed: tuple[str, ...], *, numbers: bool) -> bool:
    """Whether the output is as shown; `...` is any text within a line, and on its own any lines."""
    if not numbers:
        expected, printed = (tuple(_without_numbers(line) for line in lines) for lines in (expected, printed))
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"\n"
        for line in _trimmed(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _trimmed(printed))) is not None


def _trimmed(lines: tuple[str, ...]) -> tuple[str, ...]:
    return _lines("\n".join(lines))


def _without_numbers(line: str) -> str:
    return " ".join(NUMBER.sub("#", line.replace("...", "\0")).split()).replace("\0", "...")
