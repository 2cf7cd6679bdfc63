"""Recodings: how values change between source and release, and the groups that result."""
