"""A seeded fuzzer: hostile tables, random policies, every search and door, judged by a plain reader.

`python -m tests.fuzz --minutes 5` runs it; docs/fuzzing.md says how to read what it prints. The judge
and what it imports take nothing from Shoal: they know the documents, not the code.
"""
