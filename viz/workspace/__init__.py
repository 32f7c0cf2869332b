"""Models, corpora and the data folder."""
