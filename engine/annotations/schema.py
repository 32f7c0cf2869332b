"""The tables of the label store, as the newest migration leaves them.

Text that a program reads back (what is seen of an item, a label's values, the label before and after an event) is JSON
in a text column, the same in every database. Times are UTC, ISO 8601, so that text order is time order.
"""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

TABLES = MetaData()
PROJECTS = Table(
    "projects",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("overlap", Integer, nullable=False),
    Column("blind", Boolean, nullable=False),
    Column("created_at", Text, nullable=False),
)
GUIDELINES = Table(
    "guidelines",
    TABLES,
    Column("project", Text, ForeignKey("projects.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("at", Text, nullable=False),
)
# ``markable``: how many of the text's first tokens may be marked as wrong; ``searchable``: what a search looks in.
ITEMS = Table(
    "items",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("project", Text, ForeignKey("projects.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("run_hash", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("token", Integer),
    Column("markable", Integer, nullable=False),
    Column("searchable", Text, nullable=False),
    Column("view_json", Text, nullable=False),
    UniqueConstraint("project", "number", name="items_in_order"),
)
LABELS = Table(
    "labels",
    TABLES,
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("annotator", Text, primary_key=True),
    Column("values_json", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("action", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("guidelines", Integer, nullable=False),
    Column("updated_at", Text, nullable=False),
)
EVENTS = Table(
    "events",
    TABLES,
    Column("number", Integer, primary_key=True),
    Column("project", Text, ForeignKey("projects.id"), nullable=False),
    Column("item", Text, ForeignKey("items.id"), nullable=False),
    Column("annotator", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("of", Text, nullable=False),
    Column("before_json", Text, nullable=False),
    Column("after_json", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("undone", Boolean, nullable=False),
    UniqueConstraint("item", "annotator", "action", name="events_once"),
    Index("events_of_person", "project", "annotator", "number"),
)
ADJUDICATIONS = Table(
    "adjudications",
    TABLES,
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("by", Text, nullable=False),
    Column("values_json", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("at", Text, nullable=False),
)
ASSIGNMENTS = Table(
    "assignments",
    TABLES,
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("annotator", Text, primary_key=True),
)
CLAIMS = Table(
    "claims",
    TABLES,
    Column("item", Text, ForeignKey("items.id"), primary_key=True),
    Column("annotator", Text, primary_key=True),
    Column("claimed_at", Float, nullable=False),
)
PREFERENCES = Table(
    "preferences",
    TABLES,
    Column("annotator", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
