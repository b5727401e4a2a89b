"""Tables as counts: each pattern of answers once, with how many rows have it."""
