"""How results look in a notebook: a card with a badge, a few facts, sentences and tables.

One place decides the look; each result supplies its content as a `Card`. Decided:

- No script, no picture, no request: a card shows the same in a notebook that is not trusted, on a printed
  page and in a mail.
- The text takes the colour of the page around it, and lines and shades are a transparent grey. A card is then
  readable in every theme, light or dark, also where the page is light and the system is dark, where a rule on
  `prefers-color-scheme` alone would print white on white. JupyterLab's and VS Code's colours for success and
  failure are taken where they exist; elsewhere `prefers-color-scheme` chooses between two shades that are
  readable on both.
- Every rule begins with the card's class, twice, so that it changes nothing else on the page and wins against
  what notebooks say of tables.
- Everything is escaped here, and nowhere else. Names of columns and labels are anybody's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

Tone = Literal["good", "bad", "note", "plain"]

LONGEST = 400
"""Characters of a cell that are shown; the whole text is in its title."""

MOST_ROWS = 24
"""Rows of a table that are shown open; the others are folded."""


@dataclass(frozen=True, kw_only=True)
class Badge:
    """A word or two on the outcome.

    Parameters
    ----------
    text
        The words: they say everything, the colour adds nothing.
    tone
        Its colour.
    """

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table.

    Parameters
    ----------
    caption
        What it shows.
    head
        The names of its columns.
    rows
        Its cells; the first of a row names the row.
    numbers
        The columns that have numbers, by their place: they are aligned at the right.
    marked
        The rows to point out, by their place.
    bars
        Columns of shares from 0 to 1 to draw as bars, by their place: per row the share, or `None`.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    bars: tuple[tuple[int, tuple[float | None, ...]], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a result shows of itself.

    Parameters
    ----------
    title
        What it is.
    badges
        Its outcome.
    facts
        Names and figures.
    lines
        Sentences.
    tables
        Its tables.
    failures, warnings
        Sentences on what does not hold, and on what somebody has to look at.
    folded
        Sentences and tables that are shown on request.
    """

    title: str
    badges: tuple[Badge, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    tables: tuple[Grid, ...] = ()
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    folded: tuple[tuple[str, tuple[str | Grid, ...]], ...] = ()

    def html(self) -> str:
        """The card as a piece of a page."""
        badges = "".join(map(_badge, self.badges))
        parts = [
            f"<style>{STYLE}</style>",
            f'<p class="shoal-head"><strong>{_text(self.title)}</strong>{badges}</p>',
        ]
        if self.facts:
            pairs = "".join(
                f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in self.facts
            )
            parts.append(f"<dl>{pairs}</dl>")
        parts += [f"<p>{_text(line)}</p>" for line in self.lines]
        parts += [_alert("Fails", "bad", words) for words in self.failures]
        parts += [_alert("Warning", "note", words) for words in self.warnings]
        parts += [_table(table) for table in self.tables]
        for name, content in self.folded:
            inner = "".join(
                _table(each) if isinstance(each, Grid) else f"<p>{_text(each)}</p>" for each in content
            )
            parts.append(f"<details><summary>{_text(name)}</summary>{inner}</details>")
        # MathJax would set what is between two dollar signs as a formula.
        return f'<div class="shoal-card tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


def sentences(words: Iterable[str]) -> tuple[str, ...]:
    """Words as sentences that are read on their own: with a capital letter and an end."""
    ended = (each if each.endswith((".", "?", "!")) else f"{each}." for each in words if each)
    return tuple(f"{each[0].upper()}{each[1:]}" for each in ended)


def _text(text: str) -> str:
    """A text as HTML shows it: in one line, without signs that change the direction or the place."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text))


def _badge(badge: Badge) -> str:
    return f' <span class="shoal-badge shoal-{badge.tone}">{_text(badge.text)}</span>'


def _alert(kind: str, tone: Tone, words: str) -> str:
    return f'<p class="shoal-alert shoal-alert-{tone}"><strong>{kind}:</strong> {_text(words)}</p>'


def _table(table: Grid) -> str:
    shown = _body(table, range(len(table.rows))[:MOST_ROWS])
    left = range(len(table.rows))[MOST_ROWS:]
    opened = (
        f'<div class="shoal-scroll"><table><caption>{_text(table.caption)}</caption>{_head(table)}{shown}'
    )
    whole = f"{opened}</table></div>"
    if not left:
        return whole
    rest = f'<div class="shoal-scroll"><table>{_head(table)}{_body(table, left)}</table></div>'
    return f"{whole}<details><summary>{len(left):,} more</summary>{rest}</details>"


def _head(table: Grid) -> str:
    cells = "".join(
        f'<th scope="col"{_class(place in table.numbers)}>{_text(name)}</th>'
        for place, name in enumerate(table.head)
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _body(table: Grid, places: Sequence[int]) -> str:
    bars = dict(table.bars)
    lines = []
    for place in places:
        cells = "".join(
            _cell(text, column, column in table.numbers, bars[column][place] if column in bars else None)
            for column, text in enumerate(table.rows[place])
        )
        marked = ' class="shoal-marked"' if place in table.marked else ""
        lines.append(f"<tr{marked}>{cells}</tr>")
    return f"<tbody>{''.join(lines)}</tbody>"


def _cell(text: str, column: int, is_number: bool, share: float | None) -> str:
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    title = "" if cut == text else f' title="{_text(text)}"'
    name, scope = ("th", ' scope="row"') if column == 0 else ("td", "")
    bar = ""
    if share is not None:
        width = round(100 * min(1.0, max(0.0, share)), 1)
        bar = f'<span class="shoal-bar" aria-hidden="true"><i style="width:{width:g}%"></i></span>'
    return f"<{name}{scope}{_class(is_number)}{title}>{_text(cut)}{bar}</{name}>"


def _class(is_number: bool) -> str:
    return ' class="shoal-number"' if is_number else ""


_S = ".shoal-card.shoal-card"
STYLE = f"""
{_S}{{--shoal-good:var(--jp-success-color1,var(--vscode-testing-iconPassed,#1f7a4d));
--shoal-bad:var(--jp-error-color1,var(--vscode-errorForeground,#c0362c));
--shoal-note:var(--jp-warn-color1,var(--vscode-editorWarning-foreground,#a15c00));
--shoal-accent:var(--jp-brand-color1,var(--vscode-textLink-foreground,#1f7f86));
--shoal-line:rgba(128,128,128,.28);--shoal-shade:rgba(128,128,128,.1);
max-width:1056px;padding:.7em .9em .8em;border:1px solid var(--shoal-line);
border-left:3px solid var(--shoal-accent);border-radius:6px;
color:inherit;background:none;font-size:13px;line-height:1.45;
font-family:var(--jp-ui-font-family,var(--vscode-font-family,system-ui,sans-serif))}}
@media (prefers-color-scheme:dark){{{_S}{{
--shoal-good:var(--jp-success-color1,var(--vscode-testing-iconPassed,#309566));
--shoal-bad:var(--jp-error-color1,var(--vscode-errorForeground,#dc6459));
--shoal-note:var(--jp-warn-color1,var(--vscode-editorWarning-foreground,#b97c22));
--shoal-accent:var(--jp-brand-color1,var(--vscode-textLink-foreground,#2f9aa0))}}}}
{_S} p,{_S} strong,{_S} dt,{_S} dd,{_S} summary{{color:inherit;background:none}}
{_S} p{{margin:.45em 0 0;max-width:768px}}
{_S} .shoal-head{{margin:0;max-width:none;font-size:14px}}
{_S} .shoal-head strong{{font-weight:650;margin-right:.35em}}
{_S} .shoal-badge{{display:inline-block;padding:0 .6em;border:1px solid currentColor;border-radius:99px;
font-size:12px;font-weight:600;white-space:nowrap}}
{_S} .shoal-good{{color:var(--shoal-good)}}
{_S} .shoal-bad{{color:var(--shoal-bad)}}
{_S} .shoal-note{{color:var(--shoal-note)}}
{_S} .shoal-plain{{border-color:var(--shoal-line)}}
{_S} dl{{display:flex;flex-wrap:wrap;gap:.35em 1.6em;margin:.55em 0 0;padding:0}}
{_S} dl div{{min-width:4.5em}}
{_S} dt{{display:block;margin:0;padding:0;float:none;width:auto;font-size:11.5px;font-weight:400;opacity:.72}}
{_S} dd{{display:block;margin:0;padding:0;float:none;width:auto;white-space:nowrap;
font-size:14.5px;font-weight:600;font-variant-numeric:tabular-nums}}
{_S} .shoal-alert{{padding-left:.7em;border-left:3px solid var(--shoal-note)}}
{_S} .shoal-alert-bad{{border-left-color:var(--shoal-bad)}}
{_S} .shoal-scroll{{overflow-x:auto;margin:.7em 0 0}}
{_S} table{{border-collapse:collapse;margin:0;border:0;font-size:12.5px;color:inherit;width:auto;
table-layout:auto}}
{_S} caption{{caption-side:top;text-align:left;padding:0 0 .2em;font-size:11.5px;color:inherit;opacity:.72;
white-space:nowrap}}
{_S} thead,{_S} tbody,{_S} tr,{_S} tbody tr:nth-child(n){{background:none;border:0;color:inherit}}
{_S} tbody tr:nth-child(n):hover{{background:var(--shoal-shade)}}
{_S} tbody tr.shoal-marked:nth-child(n){{background:var(--shoal-shade)}}
{_S} tr.shoal-marked th:first-child{{box-shadow:inset 3px 0 0 var(--shoal-accent)}}
{_S} th,{_S} td{{padding:.22em 1.1em .22em .5em;border:0;border-bottom:1px solid var(--shoal-line);
text-align:left;vertical-align:baseline;font-weight:400;color:inherit;white-space:normal;max-width:416px;overflow-wrap:break-word;
min-width:2.5em}}
{_S} thead th{{border-bottom-width:2px;font-weight:600;white-space:nowrap}}
{_S} tbody th{{font-weight:600;min-width:6.5em}}
{_S} tbody th.shoal-number{{min-width:2.5em}}
{_S} .shoal-number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
{_S} .shoal-bar{{display:block;width:100%;min-width:4.5em;height:3px;margin-top:2px;border-radius:2px;
background:var(--shoal-line);overflow:hidden}}
{_S} .shoal-bar i{{display:block;height:100%;background:var(--shoal-accent)}}
{_S} details{{margin:.55em 0 0}}
{_S} summary{{display:list-item;cursor:pointer;opacity:.8}}
""".replace("\n", "")
