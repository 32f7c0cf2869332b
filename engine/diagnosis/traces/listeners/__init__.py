"""Listeners inside other pipelines: one module a framework, each imported only where it is asked for.

A listener looks on while the framework runs, and keeps each run as a trace. It changes nothing in the pipeline.
"""
