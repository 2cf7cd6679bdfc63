"""How the cells of a column are read: missing markers, forms of numbers and dates, and what decides."""
