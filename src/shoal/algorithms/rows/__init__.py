"""Searches that recode rows one by one, in groups."""
