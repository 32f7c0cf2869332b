"""The receiver behind ``microscope listen``: spans come in over OTLP, runs to diagnose come out."""
