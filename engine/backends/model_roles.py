"""Which model does what beside a named one: who answers step by step, and who rewords passages.

It stands apart from the models' own code: another choice changes no number that a model computes, so it leaves what is
kept of them as it is.
"""

# The embedded reader is trained for short answers alone; the writer, which started from it, for answers step by step
# (``benchmarks/writer.py``).
WRITES, REWORDS = "embedded-writer", "embedded-base"
READER, ADAPTED = "embedded", ("embedded", "embedded-writer")


def writer_name(name: str) -> str:
    """Return the model that answers step by step beside a named one: another embedded one beside the reader.

    >>> writer_name("embedded"), writer_name("embedded-base"), writer_name("org/model")
    ('embedded-writer', 'embedded-base', 'org/model')
    """
    return WRITES if name == READER else name


def rewriter_name(name: str) -> str:
    """Return the model that rewords passages beside a named one: itself, or SmolLM2 unadapted beside an adapted one.

    >>> rewriter_name("embedded"), rewriter_name("org/model")
    ('embedded-base', 'org/model')
    """
    return REWORDS if name in ADAPTED else name
