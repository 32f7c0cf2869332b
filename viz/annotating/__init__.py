"""Items to label, and what people's labels say."""
