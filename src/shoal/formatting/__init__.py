"""How numbers look to people: on pages, in the terminal and in sentences."""
