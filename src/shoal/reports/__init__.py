"""Pages for people, each a complete file without other resources."""
