"""Our own decoder for models of the Llama family: shared prompts are read once, many answers are written in one batch.

docs/decoder.md explains why it exists, how a batch runs and what is exact.
"""
