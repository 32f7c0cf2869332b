"""The numbers of a record that are no scores, by the name of their field, each with the reason."""

EXEMPT: dict[str, str] = {
    **dict.fromkeys(("start", "end", "cut", "characters", "kept"), "an offset: where a text stands, in characters"),
    **dict.fromkeys(
        (
            "rank", "members", "index", "final", "context", "best", "chunk", "guide", "first_token", "last_token",
            "sentence", "word", "generation", "rewritten_in", "claim", "number", "triggers", "token", "tokens", "over",
            "retrieval", "copies", "nearest", "lookup",
        ),
        "a place: which item of a list is meant",
    ),
    **dict.fromkeys(
        (
            "valid_rewrites", "candidates", "valid", "chunks", "corpus_documents", "names", "tokens_kept",
            "tokens_written", "prompt_tokens", "wordings", "changing", "checks_read", "checks_written",
        ),
        "a plain count of things that are listed beside it",
    ),
    **dict.fromkeys(
        (
            "max_tokens", "most_tokens", "k", "most_contexts", "most_chunks", "most_rounds", "resamples",
            "passages_a_round", "draws", "passages", "sentences", "pairs", "most_retrievals", "query_words",
            "most_total", "belief_resamples", "threads",
        ),
        "a budget: the most that was allowed, or was used",
    ),
    **dict.fromkeys(("schema_version", "loop_version"), "the format of the record, or which loop made it"),
    "seed": "a seed: it names the draws and measures nothing",
    "id": "a token's number in the vocabulary",
    "ids": "the name of the meaning that an answer belongs to",
    "vocabulary": "how many tokens the other model knows, as its trace says",
    "classes": "0 contradiction, 1 neutral, 2 entailment; the judgements hold the probabilities",
    "fixed_length": "a schedule: after how many tokens something is looked up",
}  # fmt: skip
