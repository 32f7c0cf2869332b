"""A whole run: its story, headline and cards, its numbers, beside another run, and as one file."""
