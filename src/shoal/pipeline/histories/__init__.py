"""The road for people with several rows that readers can link, and for households."""
