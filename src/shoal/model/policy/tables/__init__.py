"""Policies for several tables of one release that are linked by keys."""
