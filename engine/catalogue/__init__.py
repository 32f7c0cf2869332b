"""Every number of a run answers for itself: its formula with this run's values, its inputs, its paper, its function.

base            what is said of a number (Entry), where one stands (Place), how it comes about (Working), facts (Fact)
readings        numbers that several methods share: tokens, judgements, retrieval scores, seconds
intervals       the ends of every interval
judged          what the judge said of two texts, found again in the record
dense … timing  one module per method: its entries, and the facts that are no numbers
*.toml          what is said of each number in words, and which parts of a record stay raw
entries         all of it in one table
walk            every number of a run by its address, such as dense.entropy
names           what a number is called where it stands
headlines       the few numbers a method's page is about
ranges          what a number may be; a record with an impossible one is refused
verify          a record checked against itself, by the entries and facts
"""
