"""The regularization path: all trees over lambda."""
