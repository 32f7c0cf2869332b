"""A study of many questions: its views, tables, pairs and report."""
