"""Ever fewer characters, as ARX's HierarchyBuilderRedactionBased leaves them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import PolicyError
from shoal.model.hierarchy.java_stream import JavaObject

_RIGHT_TO_LEFT = "RIGHT_TO_LEFT"


def redacted_levels(record: JavaObject, texts: Sequence[str]) -> list[list[str]]:
    """The labels of the values at each level: one character more is hidden at each.

    Parameters
    ----------
    record
        The builder.
    texts
        The values.
    """
    sign, padding = record.fields["redactionCharacter"], record.fields["paddingCharacter"]
    longest = max(map(len, texts))
    if any(ord(each) > 0xFFFF for text in texts for each in text):
        raise PolicyError("a value of the column has a character that Java counts as two")
    if not longest:
        raise PolicyError("there is no character to hide")
    if sign.isalnum() or sign.isspace() or any(sign in text for text in texts):
        raise PolicyError(f"it hides characters behind {sign!r}, which could be part of a value")
    uneven = any(len(text) < longest for text in texts)
    if uneven and padding not in (sign, " "):
        raise PolicyError(f"it fills short values with {padding!r}, which would read as part of the value")
    if record.fields["aligmentOrder"] == _RIGHT_TO_LEFT:  # the field is spelled so
        padded = [text.rjust(longest, padding) for text in texts]
    else:
        padded = [text.ljust(longest, padding) for text in texts]
    hidden = range(1, longest + 1)
    if record.fields["redactionOrder"] == _RIGHT_TO_LEFT:
        return [[text[: longest - count] + sign * count for text in padded] for count in hidden]
    return [[sign * count + text[count:] for text in padded] for count in hidden]
