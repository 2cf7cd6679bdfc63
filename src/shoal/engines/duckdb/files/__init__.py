"""Files as people have them: found out how they are written, and opened as tables of DuckDB."""
