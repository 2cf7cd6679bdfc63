"""The code blocks of README.md and docs/ run, and print what the pages say."""
