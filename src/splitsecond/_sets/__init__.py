"""Sets of trees: a sequence that can be queried, and the page that shows it."""
