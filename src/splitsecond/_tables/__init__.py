"""The user's table: its columns, labels and weights, and the questions asked of it."""
