"""What methods call: language models, entailment judges, retrieval, corpus counts and text tools, with their cache."""
