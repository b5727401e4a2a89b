"""Counting on a GPU: what `device` of the estimators means. JAX is imported when it is used."""
