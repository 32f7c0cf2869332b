"""The models of this machine: which there are, what each can do, a test of one, and fetching another from a hub."""
