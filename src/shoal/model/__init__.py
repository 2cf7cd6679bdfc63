"""The nouns of Shoal. No input or output happens here."""
