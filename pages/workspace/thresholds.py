"""Threshold lab."""
