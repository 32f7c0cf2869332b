"""What other thresholds would decide, from the numbers a run has stored: no model is asked.

Eight thresholds of five papers: DSE's (DENSE, section 5), α (ETC, section 3.2), RIND's (DRAGIN, section 3.2), FLARE's θ
(section 3.2), τ_entity and τ_cooc (QuCo-RAG, eq. 2 and 4) and SUGAR's two (section II.C). ``knobs`` finds them in a
run, ``replay`` says what other values change, ``request`` hands those on to a new run.
"""
