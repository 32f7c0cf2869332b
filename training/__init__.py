"""How the shipped weights were made: data readers, pairs, resumable training scripts. Nothing in the workbench imports
it.
"""
