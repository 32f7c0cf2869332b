"""The failure atlas: kinds of failure of answering over passages, and one stored run that shows each."""
