"""Parts of `benchmarks/real_tables.py`: tables, contenders, the measure of a release, results."""
