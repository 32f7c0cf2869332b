"""What teaches: lessons and their slides, a class's votes, the failure atlas, planted defects."""
