"""Rules between passive and active: of the main clause, of a relative clause, and of a participle behind a noun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.backends.text.parser import Span, Token
from engine.backends.text.sentence_parts import (
    NOUNS,
    around,
    body,
    cased,
    child,
    closed,
    decapitalised,
    described,
    inflected,
    is_person,
    own_words,
    plural,
    sentence_of,
    shares_subject,
    subject_of,
    subtree,
    text_at,
    unbroken,
    verbs_between,
    words_of,
)
from engine.backends.text.word_lists import MADE_ONCE, NO_PASSIVE, OBJECT_CASE, SUBJECT_CASE

LONGEST_AGENT = 14
LINKS = frozenset({"and", "or", ","})
# "Be" by (past, plural).
BE = {(False, False): "is", (False, True): "are", (True, False): "was", (True, True): "were"}


def passive_to_active(sentence: Span) -> Iterator[str]:
    """Yield a passive sentence with its agent as subject: "X was written by Y" to "Y wrote X"."""
    root = sentence.root
    verbs = verbs_together(root)
    subject, agent = child(root, "nsubjpass"), agent_of(verbs)
    doer = child(agent, "pobj") if agent else None
    if subject is None or agent is None or doer is None or root.tag_ != "VBN" or child(root, "neg"):
        return
    if dangles(root) or (shares_subject(root) if len(verbs) == 1 else any(v not in verbs for v in second_verbs(root))):
        return
    by, patient = [agent, *own_words(doer)], subtree(subject)
    helpers = [part for part in root.lefts if part.dep_ in {"aux", "auxpass"}]
    forms = active_forms(verbs, helpers, plural(doer))
    partly = by[0].nbor(-1).pos_ == "ADV"  # "written mainly by Y"
    if partly or not by_phrase(by, doer) or by[0].i < verbs[-1].i or not forms or not unbroken(patient):
        return
    before = [token for token in body(sentence) if token.i < patient[0].i]
    inside = [token for token in sentence if patient[-1].i < token.i < root.i and token not in helpers]
    behind = [token for token in body(sentence) if token.i > verbs[-1].i and token not in by]
    said = closed(cased(by[1:], SUBJECT_CASE))
    object_said = cased(patient, OBJECT_CASE) if len(patient) == 1 else decapitalised(patient)
    lead, form = forms
    yield sentence_of(words_of(before), said, lead, words_of(inside), form, object_said, words_of(behind))


def dangles(root: Token) -> bool:
    """Return whether something in the sentence takes the subject of its verb for its own: "…, scoring twice"."""
    loose = [part for part in root.children if part.dep_ == "advcl" and subject_of(part) is None]
    return bool(loose) or any(part.dep_ == "pcomp" and part.pos_ == "VERB" for part in root.sent)


def by_phrase(by: Sequence[Token], doer: Token) -> bool:
    """Return whether a phrase names an agent that can be a subject: "by Y", not "by winning" or "by 1912"."""
    return (
        unbroken(by)
        and len(by) <= LONGEST_AGENT
        and doer.pos_ in {*NOUNS, "PRON"}
        and doer.ent_type_ not in {"DATE", "TIME"}
    )


def verbs_together(root: Token) -> list[Token]:
    """Return a participle and those joined to it with nothing between: "written, composed and produced"."""
    verbs = [root]
    while True:
        last = verbs[-1]
        joined = next((part for part in last.rights if part.dep_ == "conj" and part.tag_ in {"VBN", "VBD"}), None)
        if joined is None or subject_of(joined) is not None or child(joined, "aux", "auxpass") is not None:
            return verbs
        if any(token.lower_ not in LINKS for token in root.doc[last.i + 1 : joined.i]):
            return verbs
        verbs.append(joined)


def agent_of(verbs: Sequence[Token]) -> Token | None:
    """Return the agent of participles that stand together: the only one that any of them has."""
    agents = [part for verb in verbs for part in verb.children if part.dep_ == "agent"]
    return agents[0] if len(agents) == 1 else None


def second_verbs(root: Token) -> list[Token]:
    """Return the verbs of the sentence that are joined to another one and have no subject of their own."""
    return [part for part in root.sent if part.dep_ == "conj" and part.pos_ in {"VERB", "AUX"}
            and subject_of(part) is None]  # fmt: skip


def active_forms(verbs: Sequence[Token], helpers: Sequence[Token], many: bool) -> tuple[str, str] | None:
    """Return (helpers, verbs) of the active for a passive: "has been written" to ("has", "written").

    None where the helpers are none that a passive has.
    """
    if not helpers or helpers[-1].lemma_ != "be":
        return None
    tags = {"was": "VBD", "were": "VBD", "been": "VBN", "be": "VB", "being": "VBG"}
    tag = tags.get(helpers[-1].lower_) or ("VBP" if many else "VBZ")
    forms = [inflected(verb.lemma_, tag) for verb in verbs]
    lead = " ".join(agreeing(helper, many) for helper in helpers[:-1])
    return (lead, joined_verbs(verbs, [form for form in forms if form])) if all(forms) else None


def agreeing(helper: Token, many: bool) -> str:
    """Return a helper verb as a subject of that number has it: "has" or "have"."""
    if helper.lemma_ == "have" and helper.tag_ in {"VBZ", "VBP"}:
        return "have" if many else "has"
    if helper.lower_ in {"is", "are", "was", "were"}:
        return BE[helper.tag_ == "VBD", many]
    return str(helper.text)


def joined_verbs(verbs: Sequence[Token], forms: Sequence[str]) -> str:
    """Return forms with what stood between the verbs."""
    said = forms[0]
    for before, verb, form in zip(verbs, verbs[1:], forms[1:], strict=False):
        said += before.whitespace_ + verb.doc[before.i + 1 : verb.i].text_with_ws + form
    return said


def active_to_passive(sentence: Span) -> Iterator[str]:
    """Yield an active sentence with its object as subject: "Y wrote X in 1867" to "X was written by Y in 1867"."""
    root, tokens = sentence.root, body(sentence)
    subject, thing = child(root, "nsubj"), child(root, "dobj")
    if subject is None or thing is None or root.pos_ != "VERB" or root.lemma_ in NO_PASSIVE:
        return
    barred = {"neg", "xcomp", "ccomp", "dative", "oprd", "prt"}
    doer, done = subtree(subject), own_words(thing)
    if (
        shares_subject(root)
        or any(part.dep_ in barred for part in root.children)
        or not (unbroken(doer) and unbroken(done))
    ):
        return
    if dangles(root):
        return
    owned = any(token.lower_ in {"his", "her", "its", "their", "himself", "herself", "itself"} for token in done)
    if owned or len(done) > LONGEST_AGENT or done[0].lower_ == "that":
        return
    if thing.pos_ not in NOUNS or subject.lower_ in {"which", "that", "who", "there"}:
        return
    if not doer[-1].i < root.i < done[0].i or len(doer) > LONGEST_AGENT:
        return
    helpers = [part for part in root.lefts if part.dep_ == "aux"]
    helper, form = passive_helper(root, helpers, plural(thing)), inflected(root.lemma_, "VBN")
    before = [token for token in tokens if token.i < doer[0].i]
    inside = [token for token in tokens if doer[-1].i < token.i < root.i and token not in helpers]
    between = [token for token in tokens if root.i < token.i < done[0].i]
    behind = [token for token in tokens if token.i > done[-1].i]
    if verbs_between(sentence, sentence.start, doer[0].i) or verbs_between(sentence, root.i + 1, done[0].i):
        return
    said = cased(doer, OBJECT_CASE) if len(doer) == 1 else decapitalised(doer)
    if [token.lower_ for token in behind[:2] if token.text != ","][:1] in (["and"], ["or"], ["but"]):
        return  # what is done goes on there, and the parser cut it
    if form and helper and not any(token.is_punct for token in inside):
        yield sentence_of(
            words_of(before), closed(words_of(done)), helper, words_of(inside), form, words_of(between), "by", said,
            words_of(behind),
        )  # fmt: skip


def passive_helper(root: Token, helpers: Sequence[Token], many: bool) -> str:
    """Return the helpers of the passive for an active verb: "wrote" to "was", "has written" to "has been".

    "" where the form has no plain passive.
    """
    if not helpers:
        past = root.tag_ == "VBD"
        return BE[past, many] if root.tag_ in {"VBD", "VBZ", "VBP"} else ""
    before = " ".join(agreeing(helper, many) for helper in helpers)
    if helpers[-1].lemma_ == "have" and root.tag_ == "VBN":
        return f"{before} been"
    if helpers[-1].tag_ == "MD" and root.tag_ == "VB":
        return f"{before} be"
    return f"{before} being" if helpers[-1].lemma_ == "be" and root.tag_ == "VBG" and len(helpers) == 1 else ""


def participle_to_active(sentence: Span) -> Iterator[str]:
    """Yield what was done by somebody as what somebody did: "a song written by Y" to "a song that Y wrote"."""
    doc = sentence.doc
    for verb in sentence:
        if verb.tag_ != "VBN" or verb.dep_ not in {"acl", "relcl"} or verb.head.pos_ not in NOUNS:
            continue
        verbs = verbs_together(verb)
        agent, who, helper = agent_of(verbs), child(verb, "nsubjpass"), child(verb, "auxpass")
        doer = child(agent, "pobj") if agent is not None else None
        first = verb.left_edge
        past = helper.tag_ == "VBD" if helper is not None else sentence.root.tag_ == "VBD" or made_once(verbs)
        plain = first == verb if verb.dep_ == "acl" else bare_passive(verb, who, helper)
        if agent is None or doer is None or not past or not plain or is_person(described(verb.head)):
            continue
        by = subtree(agent)
        apart = text_at(doc, first.i - 1) == ","
        adjacent = apart or first.i == verb.head.i + 1
        if not by_phrase(by, doer) or by[0].i != verbs[-1].i + 1 or not adjacent or "," in {t.text for t in by}:
            continue
        forms = [inflected(one.lemma_, "VBD") for one in verbs]
        if all(forms) and doer.lower_ not in {"which", "whom", "who", "that"}:
            done = joined_verbs(verbs, [form for form in forms if form])
            link = "which" if apart else "that"
            yield around(sentence, first.i, by[-1].i + 1, link, cased(by[1:], SUBJECT_CASE), done)


def made_once(verbs: Sequence[Token]) -> bool:
    """Return whether participles name what is over once it is done: a written song was written."""
    return all(verb.lemma_ in MADE_ONCE for verb in verbs)


def bare_passive(verb: Token, who: Token | None, helper: Token | None) -> bool:
    """Return whether a passive relative clause begins "which was" and its verb follows at once."""
    return (
        who is not None
        and helper is not None
        and who == verb.left_edge
        and who.lower_ in {"that", "which"}
        and helper.i == who.i + 1
        and helper.lower_ in {"was", "were"}
        and verb.i == helper.i + 1
    )


def active_to_participle(sentence: Span) -> Iterator[str]:
    """Yield what somebody did as what was done by somebody: "a song that Y wrote" to "a song written by Y"."""
    doc = sentence.doc
    for verb in sentence:
        who, subject = child(verb, "dobj"), child(verb, "nsubj")
        if verb.dep_ != "relcl" or verb.tag_ != "VBD" or who is None or subject is None or verb.lemma_ in NO_PASSIVE:
            continue
        doer = subtree(subject)
        between = list(doc[doer[-1].i + 1 : verb.i]) if doer else []
        plain = who == verb.left_edge and who.lower_ in {"that", "which"} and doer[0].i == who.i + 1
        barred = any(
            part.dep_ in {"aux", "neg", "conj", "prt", "xcomp", "ccomp", "dative", "oprd"} for part in verb.children
        )
        if (
            not plain
            or barred
            or between
            or not unbroken(doer)
            or len(doer) > LONGEST_AGENT
            or verb.head.i != who.i - 1
        ):
            continue
        form = inflected(verb.lemma_, "VBN")
        if form and not is_person(described(verb.head)):
            yield around(sentence, who.i, verb.i + 1, form, "by", cased(doer, OBJECT_CASE))
