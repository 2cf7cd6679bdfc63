"""Runs notebooks, writes what their cells show now, and the pages that show them.

python -m tests.notebook examples/NAME.ipynb ...
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat

from tests.notebook.kernel import executed, tidied
from tests.notebook.page import page_of, place_of

for name in sys.argv[1:]:
    path = Path(name)
    client = executed(nbformat.read(path, as_version=4), path.parent)
    nbformat.write(tidied(client.nb), path)
    place_of(path).write_text(page_of(client.nb, path.name), encoding="utf-8")
