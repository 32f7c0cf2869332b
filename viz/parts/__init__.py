"""What every drawing is made of: colours, words, HTML, tables, marks. Nothing here knows a method."""
