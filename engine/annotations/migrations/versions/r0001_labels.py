"""Projects with their guidelines, items, labels and their history."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of an empty database."""
    op.create_table(
        "projects",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("overlap", sa.Integer, nullable=False),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_table(
        "guidelines",
        sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    make_items()
    make_labels()
    make_events()


def make_items() -> None:
    """Make the table of items."""
    op.create_table(
        "items",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("run_hash", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("policy", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("token", sa.Integer),
        sa.Column("markable", sa.Integer, nullable=False),
        sa.Column("searchable", sa.Text, nullable=False),
        sa.Column("view_json", sa.Text, nullable=False),
        sa.UniqueConstraint("project", "number", name="items_in_order"),
    )


def make_labels() -> None:
    """Make the table of labels."""
    op.create_table(
        "labels",
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("annotator", sa.Text, primary_key=True),
        sa.Column("values_json", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
    )


def make_events() -> None:
    """Make the table of the history."""
    op.create_table(
        "events",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("annotator", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("verb", sa.Text, nullable=False),
        sa.Column("of", sa.Text, nullable=False),
        sa.Column("before_json", sa.Text, nullable=False),
        sa.Column("after_json", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.UniqueConstraint("item", "annotator", "action", name="events_once"),
    )
    op.create_index("events_of_person", "events", ["project", "annotator", "number"])
