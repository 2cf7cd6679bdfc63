"""What a row-by-row release reveals by being as fine as it can be, and how to make it reveal less."""
