"""What the Guide says of each method: its question, its word, its figures, its limits."""

METHODS = {
    "dense": """
**What it asks.** Does the model give the same answer when one passage is put in other words? Each passage is
rewritten in turn, the question is answered again, and the answers are compared two by two.

**How to read its word.** *Understood*: the answer hardly depends on the wording. *Not understood*: other words, other
answer. *Cannot tell*: fewer than half of the rewordings kept meaning, names and numbers, or other rewordings of the
same passages put the entropy on the other side of the threshold. Of each passage it says: **certain**, reworded it
changes nothing; **necessary**, reworded it changes the answer, and so does leaving it out; **unnecessary**, reworded it
changes the answer, leaving it out does not; **not measured**, with the reason.

**How to read its figures.** In the graph every dot is an answer: the original one in the middle, around it one for
each reworded passage, in the colour of its label: green certain, amber necessary, grey unnecessary. Solid green lines
join answers that say the same both ways, dashed amber ones answers of which one implies the other, dotted red ones
answers that disagree. The bar shows the entropy on its possible range, with the threshold; its whisker is what other
rewordings give.

**Who rewords.** Rules over the parse of each sentence, and the language model where rules find too few; the page names
the author of each. What loses a name, a number or much of the content does not count.

**Limits.** The threshold 0.2 is the paper's, set with larger models. Understood does not mean right.
""",
    "dense_rag": """
**What it asks.** Where DENSE finds the passages not understood: does the model do better when the same documents are
cut by meaning, and when chunks leave and come round by round?

**How to read its word.** *Nothing to refine*: the first answer is stable. *Settled by refining*: a context was found
that is understood and, by the model's own word, suffices. *Not settled*: the search ended otherwise, the page says
why, and the best context seen counts. *Cannot tell*: no rewording of the first passages passed its checks.

**How to read its figures.** One dot for every context that was read, its DSE in nats against the threshold; filled
where the model says that the context suffices, ringed where the final answer comes from. Below, the contexts are
played one by one: what came and why, what left and why, crossed out.

**Limits.** The thresholds are the paper's. Cut by meaning, most chunks of the sample encyclopaedia are single
sentences, and a small model says of nearly any context that it suffices.
""",
    "seper": """
**What it asks.** How far did the passages move the model's belief towards the right answer? Answers are drawn several
times without and with the passages, grouped by meaning, and weighted by how likely the model finds them.

**How to read its word.** ΔSePer runs from −1 to +1. *Helped*: it is at least 0.1 and its whole interval lies above 0.
*Hurt*: the same below 0. *No clear change*: the interval holds 0, so with these few draws one cannot tell, or the
change is smaller than one sample in ten would make. *Cannot tell*: soft and hard contradict each other, one moves
clearly and the other does not or the other way. It *needs a reference answer*: without one the meanings are still
shown, and the change is not measured.

**How to read its figures.** Two bars for every meaning, without and with passages, as shares of belief; gold with a
star is the right answer. Below, belief in the right answer before and after on a line from 0 to 1; the whiskers are
where the values fall when the draws are repeated.

**Limits.** Ten draws a side by default: a rare meaning may be missed altogether.
""",
    "entropy_trend": """
**What it asks.** Where, while writing its answer from memory, should the model have looked something up? ETC watches
how the uncertainty of the words *bends*, not how high it is.

**How to read its word.** *Look it up before …* names the first word at which the smoothed second difference of
entropy reaches α, and shows the query. *No lookup needed*: it never does. Only the first trigger would happen; after
it the text would be written anew, so later ones are greyed.

**How to read its figure.** Three panels over the same words: entropy in nats, its first difference, and its second
difference with ±α as dashed lines. Filled dots are content words; hollow ones are skipped. When α is moved, the
triggers move: the signals are stored, and nothing is computed again.

**Limits.** α = 1.0 is the paper's, for models of 7 billion parameters and more.
""",
    "timing": """
**What it asks.** *When* to retrieve, seen two ways. First every policy judges the same answer, written from memory:
where would each have looked something up? Then the policies you choose write their own answers, with the same prompts,
corpus, seeds and budget.

**How to read its word.** It says how many of the policies would have looked something up, and which of those that
wrote their own answer got it right. It takes no side: one question ranks no policy.

**How to read its figures.** A lane for every policy over the tokens of one answer: a full mark is the first lookup,
hollow ones would not be reached, because the text would be written anew. *Delay* is a policy's first lookup minus
ETC's, in tokens. In the second figure each lane is the policy's own answer with its lookups. The staircase is SePer
before and after each lookup; a step within its noise band suggests that the lookup was redundant.

**Limits.** Thresholds are the papers', for models of 7 billion parameters and more: a small model is unsure so often
that most policies fire early. Moving a threshold replays stored signals, and says where the replay stops being true.
""",
    "quco_rag": """
**What it asks.** Is there any evidence in a corpus for what the answer claims? The things in the question are
counted, and the two ends of each claim are looked for close to each other.

**How to read its word.** It is about the short answer. *Supported*: the two ends of each of its judged claims meet
somewhere; amber where the longer text from memory claims a pair that never meets. *Without evidence*: one of its own
pairs never meets, which is not the same as false; a small corpus knows little. *No claim*: nothing in it had two ends.
*Nothing to check*: neither text made such a claim.

**How to read its figures.** A dot for every thing, larger where it is named more often; a line for every claim, full
and green where the two ends meet, with the number of documents, dashed and red where they never do, dotted and grey
where that was not measured. The places where they meet are quoted below.

**The whole loop.** One click runs the method to its end: the question is looked up first where it names rare things,
each sentence is verified, one that fails is looked up by head and relation and written anew, and the answer stands
beside the one from memory.

**Limits.** The paper counts in trillions of words; here it is the corpus of this question, unless you turn on the
public infini-gram service, which is sent every name. Claims come from a parser or a model you name, not from the
paper's fine-tuned extractor.
""",
    "sugar": """
**What it asks.** Did the question need a lookup at all? The samples from memory are grouped by meaning; the entropy of
the meanings, against two thresholds, chooses between no lookup, one, and several rounds.

**How to read its word.** *No lookup*: the samples agree. *One lookup*, *several lookups*: they do not, a little or a
lot. Several rounds go on while the entropy stays above the lower threshold and rounds are left; each searches for the
question and the last answer, and reads what is new. Where there is nothing to search, a lookup was *not possible*.

**How to read its figure.** The entropy in nats, from memory and after each measured round, over the three zones of
the decision. When thresholds are moved the decision is replayed; what another decision would read needs a new run.

**Limits.** 0.4 and 0.9 are cuts the paper prints for two data sets and a model of 7 billion parameters. Sure is not
right: ten equal wrong answers need no lookup here.
""",
    "uncertainty": """
**What it asks.** Do other measures of uncertainty say the same as DENSE's, on the very same answers? Nine of them read
DENSE's answers and SePer's samples, without and with passages.

**How to read its word.** How many measures say *uncertain*, set by set of answers. For each, higher = more uncertain; a
value compares within its column only, because cuts depend on how many answers there are. Where a paper prints a cut it
is used; for the others it lies half way between all answers agreeing and one standing alone, which is this program's
rule.

**How to read its figure.** A row for every measure, a column for every set of answers; colour and word say certain or
uncertain. What rests on likelihoods is *not measured* on DENSE's answers: they are no draws from one distribution.
""",
    "chunk_utility": """
**What it asks.** What does each single passage do to belief in the right answer? It is left out once, and shown alone
once. This needs a reference answer, and many samples: it runs only where it is asked for.

**How to read its word.** *Useful*: having it raises belief, among the others or alone. *Harmful*: it lowers it.
*Useless*: no change worth speaking of either way. *Alone*: it does so only where it is the one passage. *Cannot tell*:
the noise of the draws is larger than the change.

**How to read its figure.** Two dots a passage on one line from −1 to +1: filled, what it adds to the others; hollow,
what it does alone. Whiskers are the noise; all of them hold together.

**Limits.** Ten draws a condition leave much that cannot be told. Draws that are all alike show no noise, which is not
certainty.
""",
}


def what_it_asks(method: str) -> str:
    """Return the first paragraph on a method, as Markdown: what it asks. Raises KeyError for an unknown word."""
    return METHODS[method].strip().partition("\n\n")[0]
