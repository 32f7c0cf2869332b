"""Never: the answer from memory, whole and unchanged."""

from engine.methods.timing.base import Policy, no_threshold

POLICY = Policy(
    word="never",
    title="Never",
    asks="Nothing: it writes from memory.",
    paper="DRAGIN's baseline wo-RAG",
    after="all",
    bar=no_threshold,
)
