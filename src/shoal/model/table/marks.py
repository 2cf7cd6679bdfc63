"""The two words that a release has for cells without a value."""

SUPPRESSED = "*"
MISSING = "missing"
