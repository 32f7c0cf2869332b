"""Never: the answer from memory, whole and unchanged."""

from engine.methods.timing.base import Policy

POLICY = Policy(
    word="never",
    title="Never",
    summary="Nothing: it writes from memory.",
    paper="DRAGIN's baseline wo-RAG",
    after="once",
)
