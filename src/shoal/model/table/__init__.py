"""What is known about a table: columns, domains, counts, cells."""
