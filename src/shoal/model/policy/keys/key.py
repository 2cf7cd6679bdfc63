"""What a policy key is: one entry for file, Python functions, command line, pages and studio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

PANELS = ("Roles", "File", "Privacy", "Values", "Search", "Release")
"""The groups of flags in `shoal anonymize --help`, in their order."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A key as a keyword argument of the Python functions, and as a flag.

    Parameters
    ----------
    keyword
        Its name in Python; the key's name when empty.
    annotation
        Its type, as Python writes it.
    words
        What it says, where that differs from the key's words.
    in_python, in_shell
        What else its docstring says, and what else its help says.
    default
        What a call without it means.
    flags
        The flag's names; none if there is no flag.
    metavar
        What the help shows for the flag's value.
    panel
        The flag's group in the help.
    overrides
        Whether the flag may be given with a policy file, and then replaces what the file says.
    table
        The key's table, which decides which Python functions have the argument.
    """

    keyword: str = ""
    annotation: str
    words: str = ""
    in_python: str = ""
    in_shell: str = ""
    default: object = None
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str = "Search"
    overrides: bool = False
    table: str = ""

    @property
    def help(self) -> str:
        """The words for the command line."""
        return f"{self.words} {self.in_shell}".replace("`", "").strip()

    @property
    def docstring(self) -> str:
        """The words for Python."""
        words = self.words
        if self.table == "attributes" and self.annotation.startswith("Mapping["):
            words = f"By column: {words[0].lower()}{words[1:]}"
        return f"{words} {self.in_python}".strip()

    @property
    def type(self) -> str:
        """The annotation of the parameter, which may be `None` where that means nothing is stated."""
        optional = self.default is None and self.annotation != "Any"
        return f"{self.annotation} | None" if optional else self.annotation


@dataclass(frozen=True, kw_only=True)
class PolicyKey:
    """A key of the policy file.

    Parameters
    ----------
    table
        The table that it is in; "attributes" for the table of a column, "hierarchy" for a recipe.
    name
        Its name.
    kinds
        The kinds of values that it takes in the file.
    words
        What it means, in one or two sentences.
    more
        What else its row of the reference page says, as Markdown.
    default
        What holds when it is absent; `None` for nothing.
    otherwise
        The default in words, where it is no plain value.
    choices
        The values that it takes, each with words for people; any value when empty.
    least, most
        The range of a number.
    items
        JSON Schema of the entries of a list.
    heeded_by
        The algorithms whose option it is; every search heeds it when empty.
    label, hint
        Its name in a form, and a few words below its field; no form shows a key without a label.
    formerly
        An earlier name, which is refused with a pointer to this one.
    may_be_blank
        Whether a space or a tab is a value, and not a mistake.
    argument
        The key in Python and on the command line; `None` if only a file states it.
    """

    table: str
    name: str
    kinds: tuple[type, ...]
    words: str
    more: str = ""
    default: object = None
    otherwise: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    least: float | None = None
    most: float | None = None
    items: Mapping[str, object] = field(default_factory=dict)
    heeded_by: tuple[str, ...] = ()
    label: str = ""
    hint: str = ""
    formerly: str = ""
    may_be_blank: bool = False
    argument: Argument | None = None

    @property
    def stated_argument(self) -> Argument | None:
        """The argument, with everything that it takes from the key."""
        if self.argument is None:
            return None
        return replace(
            self.argument,
            keyword=self.argument.keyword or self.name,
            words=self.argument.words or self.words,
            table=self.table,
        )
