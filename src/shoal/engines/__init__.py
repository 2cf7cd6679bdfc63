"""Engines by the name they have in a policy: each counts, recodes and measures where the rows live."""
