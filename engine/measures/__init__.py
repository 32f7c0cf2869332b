"""The equations of the five methods and of their evaluation, one pure function each.

NumPy in, NumPy or float out; entropies and log-probabilities in nats. Nothing here loads a model, reads a
file or knows another folder of the project. An input that has no honest answer (NaN, empty, out of range)
raises ValueError with the facts; a result that is undefined for a legal input is NaN, as its docstring says.

    token_entropy         H of a next-token distribution, and its bounds when only the top k are known
    entropy_trend         ETC: differences of the entropy sequence, smoothing, triggers
    response_graph        DENSE: degree-based semantic entropy and the labels of chunks
    context_refinement    DENSE-RAG: which context is best, when to stop, which chunk comes in
    semantic_clusters     answers that mean the same, from pairwise entailment
    semantic_entropy      Kuhn et al. / Farquhar et al., as SUGAR uses it
    semantic_perplexity   SePer and ΔSePer, soft and hard
    draw_intervals        bootstrap intervals of SePer and ΔSePer over the draws
    chunk_utility         what one chunk does to belief, from the bands of two ΔSePer
    graph_uncertainty     baselines of Lin et al. 2023 and Nikitin et al. 2024
    dissent               a common cut for them: half way between unanimity and one dissent
    retrieval_timing      DRAGIN's RIND, FLARE's confidence
    co_occurrence         QuCo-RAG: decisions from corpus counts
    answer_match          exact match, token F1, containment
    ranking               AUROC, AURAC, AUARC, rejection area, Pearson's r
    checks                the shapes and ranges that the others insist on
"""
