"""What the benchmark commands share: data, packages, timing, and the writing of results."""
