"""People's labels of retrievals and answers: what to label, the store, agreement and exchange."""
