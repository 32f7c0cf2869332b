"""What every wing stands on: shared records, errors, progress, seeds, folders and provenance."""
