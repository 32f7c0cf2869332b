"""Drawings of records: Plotly figures and escaped HTML, without Streamlit and without a model."""
