"""Searches over levels: one level of its hierarchy for each column."""
