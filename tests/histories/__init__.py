"""People with several rows: the promises, defined as plainly as possible, and what must agree with them."""
