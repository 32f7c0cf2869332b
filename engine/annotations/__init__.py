"""People's labels of what was retrieved and written: what there is to label, the store of labels, the counts."""
