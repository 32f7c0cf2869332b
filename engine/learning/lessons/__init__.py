"""What people keep of the lessons: their predictions, and how far they are."""
