"""Conformance checks that others can run on what they add to Shoal."""

from shoal.testing.privacy_model import check_privacy_model

__all__ = ["check_privacy_model"]
