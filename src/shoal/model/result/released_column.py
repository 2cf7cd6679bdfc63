"""What became of one quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ReleasedColumn:
    """What became of one quasi-identifier.

    Parameters
    ----------
    name
        The column.
    loss
        The share of its detail that a cell loses on average, from 0 to 1; a suppressed row's cell loses 1. It
        is counted by the policy's cost if that is a mean over cells, else as general loss. `None` where the
        recoding does not define it.
    values
        Distinct values of the source.
    labels
        Distinct labels in released rows.
    value, label
        An example: the most frequent label that covers several values, and of the values that the manifest
        lists for it, or the policy's hierarchy has, the most frequent. Where no label covers several values,
        the most frequent label. `value` is `None` if none is listed.
    joined
        Whether all released rows have one label although the column has several values.
    """

    name: str
    loss: float | None
    values: int
    labels: int
    value: str | None
    label: str | None
    joined: bool

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.name,
            "loss": self.loss,
            "values": self.values,
            "labels": self.labels,
            "value": self.value,
            "label": self.label,
            "joined": self.joined,
        }
