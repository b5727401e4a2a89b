"""The crossing into the core: an exact objective and a typed request in, a solution out."""
