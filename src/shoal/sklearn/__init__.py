"""A transformer for scikit-learn: `fit` learns a k-anonymous recoding, `transform` applies it to new rows.

>>> from shoal.sklearn import Anonymizer

Needs scikit-learn: pip install "shoal[utility]".
"""

from __future__ import annotations

from importlib.util import find_spec

# Absolute: `sklearn` is scikit-learn here and everywhere else, and this package is `shoal.sklearn`.
if find_spec("sklearn") is None:
    raise ImportError(
        'shoal.sklearn needs scikit-learn, which is not installed: pip install "shoal[utility]"'
    )

from shoal.sklearn.anonymizer import Anonymizer

__all__ = ["Anonymizer"]
