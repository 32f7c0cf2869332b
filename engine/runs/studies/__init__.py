"""Studies: many questions asked the same way, each an ordinary run, and what all of them together show."""
