"""The corpora that this machine knows: a shelf of entries, and one thread that indexes them in the background."""
