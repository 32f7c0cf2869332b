"""How the lessons are drawn."""
