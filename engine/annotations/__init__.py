"""People's labels of what was retrieved and written: what there is to label, the store that keeps it, and the counts."""
