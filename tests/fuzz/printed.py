"""A finding as a test: a function that can be pasted into a file of tests, and the imports that it needs."""

from __future__ import annotations

import re

from tests.fuzz.instance import Instance
from tests.fuzz.judge import Finding

IMPORTS = """import datetime
from decimal import Decimal

from tests.fuzz.attempt import findings
from tests.fuzz.instance import Column, Instance
"""


def as_test(instance: Instance, finding: Finding, seed: int) -> str:
    """A test that fails as long as the finding stands."""
    name = re.sub(r"\W+", "_", finding.code).strip("_").lower()
    columns = "".join(
        f"            Column({each.name!r}, {each.kind!r}, {each.cells!r}),\n" for each in instance.columns
    )
    request = "".join(f"            {key!r}: {value!r},\n" for key, value in instance.request.items())
    rest = "".join(
        f"        {name}={getattr(instance, name)!r},\n"
        for name in ("then", "reads", "file")
        if getattr(instance, name)
    )
    words = finding.words.replace("\\", "\\\\").replace('"""', "'''").split("\n")[0][:160]
    return (
        f"{IMPORTS}\n\ndef test_{name}_of_seed_{seed}():\n"
        f'    """{words}"""\n'
        f"    instance = Instance(\n        columns=(\n{columns}        ),\n"
        f"        request={{\n{request}        }},\n"
        f"        door={instance.door!r},\n{rest}    )\n"
        "    assert findings(instance) == []\n"
    )
