"""PostgreSQL as an engine."""
