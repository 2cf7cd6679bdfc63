"""Whether a property was really tried: how many of its random cases reached the end of the test.

`hypothesis.assume` rejects a case silently. A property that rejects nearly all of them passes, and shows
nothing. So each must reach its end in as many cases as its settings name. One that has fewer cases in all
says so: `@pytest.mark.cases(4)`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings


@contextmanager
def enough_cases(item: pytest.Item) -> Iterator[None]:
    """Fail a property that passed on fewer cases than it names; other tests pass through."""
    test = getattr(item, "obj", None)
    if not is_hypothesis_test(test):
        yield
        return
    inner, finished, wanted = test.hypothesis.inner_test, 0, 0

    @functools.wraps(inner)
    def counted(*args: Any, **kwargs: Any) -> None:
        nonlocal finished, wanted
        wanted = settings().max_examples
        inner(*args, **kwargs)
        finished += 1

    test.hypothesis.inner_test = counted
    try:
        yield
    finally:
        test.hypothesis.inner_test = inner
    mark = item.get_closest_marker("cases")
    least = mark.args[0] if mark else wanted
    if finished < least:
        pytest.fail(f"only {finished} of {least} cases reached the end of the test", pytrace=False)
