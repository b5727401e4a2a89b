"""From raw columns to 0/1 columns: which questions are asked of a table."""
