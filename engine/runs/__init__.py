"""Keeping runs: records as text, and the store that holds them."""
