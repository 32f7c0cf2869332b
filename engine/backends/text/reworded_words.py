"""Words that the rewording rules go by: verbs without a passive, openings of clauses, phrases that mean the same."""

NO_PASSIVE = frozenset(
    "have be become resemble lack cost weigh contain include comprise mean equal fit suit last remain stay want need "
    "love like hate enjoy know see say think believe hope get let reach leave enter join marry share belong".split()
)
STATES = frozenset(
    "locate situate base know call name surround border cover make compose bind connect dedicate".split()
)
CLAUSE_OPENINGS = frozenset(
    "because although though when while after before since until unless if as whereas whenever once".split()
)
OBJECT_CASE = {"he": "him", "she": "her", "they": "them", "i": "me", "we": "us", "it": "it"}
SUBJECT_CASE = {form: subject for subject, form in OBJECT_CASE.items()}

# "the city of Paris" is Paris, and "the number of Greece" is no thing of Greece's.
NO_OWNER = frozenset(
    "city town village state kingdom republic province county district island isle river lake mount bay gulf strait "
    "number part kind type sort form piece group series rest half majority minority variety lot result case sense lack "
    "way use month year day age name title title-role likes addition word law battle siege treaty university house "
    "bank church order line top bottom side middle centre center south north east west study theory fear idea event "
    "people king queen prince princess duke duchess count countess earl lord lady emperor empress pope bishop".split()
)
# The second may stand for the first in running prose. Lower case only, so that no name is touched.
PHRASES: tuple[tuple[str, str], ...] = tuple(
    (said, other)
    for line in """
    such as | for example
    for instance | for example
    in order to | so as to
    as well as | and also
    because of | owing to
    due to | because of
    a number of | several
    approximately | about
    roughly | about
    nearly | almost
    almost | nearly
    however | nevertheless
    therefore | for this reason
    nowadays | today
    prior to | before
    subsequently | afterwards
    throughout | all through
    often | frequently
    frequently | often
    usually | normally
    typically | usually
    generally | as a rule
    mostly | for the most part
    mainly | chiefly
    primarily | mainly
    especially | in particular
    particularly | in particular
    entire | whole
    began | started
    started | began
    begins | starts
    ended | came to an end
    occurs | happens
    occurred | happened
    also known as | also called
    best known for | most famous for
    took place | was held
    takes place | is held
    is located in | lies in
    was located in | lay in
    located in | situated in
    consists of | is made up of
    consisted of | was made up of
    composed of | made up of
    is part of | belongs to
    is named after | takes its name from
    was named after | took its name from
    in the middle of | at the centre of
    close to | near
    so far | until now
    every year | each year
    each year | every year
    allows | enables
    allowed | enabled
    receives | gets
    constructed | built
    founded | established
    established | founded
    premiered | had its premiere
    debuted | made its debut
    is set in | has its setting in
    is one of the | is among the
    was one of the | was among the
    is considered to be | is regarded as
    currently | at present
    numerous | many
    various | different
    several | a number of
    famous | well known
    quickly | fast
    big | large
    main | principal
    film | movie
    movie | film
    although | even though
    as a result | consequently
    in which | where
    responsible for | in charge of
    is able to | can
    are able to | can
    more than | over
    less than | under
    died | passed away
    is used to | serves to
    are used to | serve to
    is based on | has its basis in
    was based on | had its basis in
    is similar to | resembles
    the majority of | most of
    is known for | is famous for
    was known for | was famous for
    appears in | is found in
    """.strip().splitlines()
    for said, other in [[part.strip() for part in line.split("|")]]
)
