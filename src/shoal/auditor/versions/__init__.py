"""What several versions of a release reveal together, measured on the rows that were written."""
