"""Traces of other pipelines: what another program asked, read and answered, as this one looks at it."""
