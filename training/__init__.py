"""How the shipped weights were made: data readers, pairs, and resumable training scripts. Nothing in the workbench
imports this folder."""
