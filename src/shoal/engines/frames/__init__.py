"""Data frames of pandas, polars and pyarrow as tables."""
