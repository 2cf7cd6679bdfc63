"""Options of single algorithms, as a policy states them under [search] and a command by --option.

Each algorithm refuses those that it does not have.
"""

from __future__ import annotations

SEARCH_OPTIONS: dict[str, tuple[type, ...]] = {
    "all_minimal": (bool,),
    "cells": (bool,),
    "choice": (str,),
    "combinations": (str,),
    "cover": (str,),
    "distributed": (bool,),
    "fragment": (int,),
    "gamma": (int, float),
    "generalize": (list,),
    "members": (int,),
    "method": (str,),
    "partitioning": (str,),
    "preference": (str,),
    "values": (str,),
    "reading": (str,),
}
"""Per option the types that its value may have."""
