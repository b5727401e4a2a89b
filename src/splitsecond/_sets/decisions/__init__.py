"""The record of a decision: which tree of a set was chosen, from what, and why."""
