"""A hand-made run of QuCo-RAG's loop: a sentence supported, one written anew, one not measured, a conclusion."""

from dataclasses import replace

from engine.core.records import Hit, Passage
from engine.methods.quco_loop import Lookup, LoopStep, QucoLoop
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_rag import QucoResult
from tests.viz.sample_trend_results import COCHIN, GAMA, LISBON, SINES, claim, generation_of, sample_quco_result

CHECK = PreCheck(
    aggregate="mean", value=5.5, threshold=3.0, percentile=75.0, names=810, threshold_source="chosen", retrieves=False
)
HIT = Hit(
    passage=Passage(text="He died in <b>Cochin</b>.", title="Vasco <i>da</i> Gama"), rank=1, score=1.0, retriever="bm25"
)
FAILING = replace(claim(GAMA, "died in", LISBON, 0), fails=True)
STEPS = (
    LoopStep(
        text="Vasco da Gama was born in Sines.", generation=0, kind="fact", claims=(claim(GAMA, "born in", SINES, 2),),
        decision="supported",
    ),
    LoopStep(
        text="Vasco da Gama died in Lisbon.", generation=0, kind="fact", claims=(FAILING,), decision="written anew",
        lookups=(Lookup(query="Vasco da Gama died in", claim=0, hits=(HIT,)),), rewritten_in=1,
        replacement="Vasco da Gama died in <script>Cochin</script>.",
    ),
    LoopStep(
        text="He met nobody.", generation=1, kind="fact", claims=(claim(GAMA, "met", COCHIN, None),),
        decision="not measured", reason="No reply came.",
    ),
    LoopStep(text="So the answer is Cochin.", generation=1, kind="conclusion", claims=(), decision="conclusion"),
)  # fmt: skip
LOOP = QucoLoop(
    initial=None,
    generations=(generation_of("one", ()), generation_of("two", ())),
    steps=STEPS,
    text="Vasco da Gama was born in Sines. So the answer is Cochin.",
    answer="Cochin",
    closed_book_answer="Lisbon",
    retrievals=1,
    ending="answered",
)


def whole(**changed: object) -> QucoResult:
    """Return the sample evidence with this loop, changed where said."""
    return replace(sample_quco_result(), pre_check=CHECK, loop=replace(LOOP, **changed))  # type: ignore[arg-type]
