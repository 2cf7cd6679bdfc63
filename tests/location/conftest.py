"""Small tables of people at places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

ORIGIN = (52.5, 13.4)
GRID = {"latitude": "lat", "longitude": "lon", "cells": "grid", "origin": ORIGIN}
H3 = {"latitude": "lat", "longitude": "lon"}


def people_at_places(rows: int = 120, seed: int = 1) -> dict[str, list[Any]]:
    """Rows of persons, each with an id, a sex, a point and a moment."""
    random = np.random.default_rng(seed)
    minutes = random.integers(0, 3 * 24 * 60, rows).tolist()
    return {
        "id": list(range(rows)),
        "person": [f"p{each}" for each in random.integers(0, rows // 3, rows)],
        "lat": random.normal(52.5, 0.04, rows).round(6).tolist(),
        "sex": random.choice(["f", "m"], rows).tolist(),
        "lon": random.normal(13.4, 0.06, rows).round(6).tolist(),
        "time": [
            f"2024-05-{13 + minute // 1440:02d} {minute // 60 % 24:02d}:{minute % 60:02d}"
            for minute in minutes
        ],
    }


@pytest.fixture
def table() -> dict[str, list[Any]]:
    return people_at_places()
