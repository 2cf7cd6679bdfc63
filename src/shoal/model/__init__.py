"""The nouns of Shoal. No input or output happens here, except that a hierarchy reads and writes its file."""
