"""How runs are queued and what they cost: the job desk, its queue, estimates and warm-up."""
