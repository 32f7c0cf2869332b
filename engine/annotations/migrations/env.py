"""What Alembic runs to migrate: in the transaction that ``engine.annotations.database`` holds."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
