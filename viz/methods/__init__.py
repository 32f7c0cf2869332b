"""Each method's result in words, figures and tables, one module a method, and its figures beside it."""
