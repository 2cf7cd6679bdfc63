"""Searches over cuts: intervals of ordered domains, and parts of hierarchies."""
