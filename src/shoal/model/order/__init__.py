"""The order of a column's categories: recognised from the values themselves, or learned from the counts."""
