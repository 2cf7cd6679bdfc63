"""Audit results in the formats that build pipelines read."""
