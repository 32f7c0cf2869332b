"""Runs: asking, keeping, comparing and changing them, the job desk, the shelf of corpora, studies of many questions."""
