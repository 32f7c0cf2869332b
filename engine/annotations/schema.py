"""The tables of the label store, as the newest migration leaves them.

Text that a program reads back (what is seen of an item, a label's values, the label before and after an event) is JSON
in a text column, the same in every database. Times are UTC, ISO 8601, so that text order is time order. Of an item,
``markable`` is how many of the text's first tokens may be marked as wrong, ``searchable`` what a search looks in.
"""

from sqlalchemy import MetaData, create_engine

from engine.annotations.database import SCHEMA


def newest_tables() -> MetaData:
    """Return the tables that the migration steps make, read from an empty database in memory."""
    tables, engine = MetaData(), create_engine("sqlite://")
    with engine.connect() as connection:
        for step in SCHEMA.steps:
            step(connection)
        tables.reflect(connection)
    engine.dispose()
    return tables


TABLES = newest_tables()
PROJECTS, GUIDELINES, ITEMS, LABELS, EVENTS, ADJUDICATIONS, ASSIGNMENTS, CLAIMS, PREFERENCES, ARRIVALS = (
    TABLES.tables[name]
    for name in (
        "projects", "guidelines", "items", "labels", "events", "adjudications", "assignments", "claims", "preferences",
        "arrivals",
    )
)  # fmt: skip
