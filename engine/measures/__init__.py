"""The equations of the methods and of their evaluation, one pure function each.

NumPy in, NumPy or float out; entropies and log-probabilities in nats. Nothing here loads a model, reads a file or knows
another folder of the project. An input that has no honest answer (NaN, empty, out of range) raises ValueError with the
facts; a result that is undefined for a legal input is NaN, as its docstring says.

The papers' methods:

    token_entropy         H of a next-token distribution, and its bounds when only the top k are known
    entropy_trend         ETC: differences of the entropy sequence, smoothing, triggers
    retrieval_timing      DRAGIN's RIND, FLARE's confidence
    attention_query       DRAGIN's QFS: the words that an uncertain word attends to
    response_graph        DENSE: degree-based semantic entropy and the labels of chunks
    rewording_interval    how far DENSE's entropy moves with other rewordings
    rewording_shares      shares over the sentences of a rewording
    context_refinement    DENSE-RAG: which context is best, when to stop, which chunk comes in
    semantic_clusters     answers that mean the same, from pairwise entailment
    semantic_entropy      Kuhn et al. / Farquhar et al., as SUGAR uses it
    semantic_perplexity   SePer and ΔSePer, soft and hard
    draw_intervals        intervals of SePer and ΔSePer over the draws
    chunk_utility         what one chunk does to belief, from the bands of two ΔSePer
    co_occurrence         QuCo-RAG: decisions from corpus counts
    graph_uncertainty     baselines of Lin et al. 2023 and Nikitin et al. 2024
    dissent               a common cut for them: half way between unanimity and one dissent

The checks:

    sufficiency           how likely a model says that a text holds the answer
    contradictions        how far two sentences contradict each other
    question_parts        which piece of an answer answers which part of a question

Answers as texts:

    answer_match          exact match, token F1, containment
    answer_marks          right, wrong, or none, as every page colours it
    answer_words          a text as words, each with its place
    abstention            does a text state an answer at all?
    language              is a text in another language than English?

Many questions, and people:

    ranking               AUROC, AURAC, AUARC, rejection area, Pearson's r
    decision_threshold    where to put a threshold
    resampling            intervals of a statistic over questions, values in bins
    share_intervals       Wilson's and Clopper and Pearson's interval of a share
    paired_shares         before against after on the same questions
    repeated_draws        is a difference between two runs more than noise?
    annotator_agreement   Cohen's and Fleiss' kappa, Krippendorff's alpha, over resamples

What the others stand on:

    checks                the shapes and ranges that they insist on
    levels                values that differ by rounding are one value
"""
