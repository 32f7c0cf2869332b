"""Adjudications, assignments, claims and people's settings; every label names the guidelines it was made under.

Labels from before take the newest guidelines that were written by their last change, the first ones at least.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BACKFILL = """
UPDATE labels SET guidelines = COALESCE((
    SELECT MAX(g.version) FROM guidelines AS g JOIN items AS i ON i.project = g.project
    WHERE i.id = labels.item AND g.at <= labels.updated_at
), 1)
WHERE version > 0
"""


def upgrade() -> None:
    """Add the tables and fill the new column of the labels that are there."""
    op.add_column("labels", sa.Column("guidelines", sa.Integer, nullable=False, server_default="0"))
    op.execute(BACKFILL)
    op.create_table(
        "adjudications",
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("values_json", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "assignments",
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("annotator", sa.Text, primary_key=True),
    )
    op.create_table(
        "claims",
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
        sa.Column("annotator", sa.Text, primary_key=True),
        sa.Column("claimed_at", sa.Float, nullable=False),
    )
    op.create_table(
        "preferences",
        sa.Column("annotator", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
