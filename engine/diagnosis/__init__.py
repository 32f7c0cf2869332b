"""What a run is asked and what it found: request, record, both as JSON text, and other pipelines' answers."""
