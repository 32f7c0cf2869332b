"""The methods, one module each."""

DEFAULT_METHODS = ("dense", "seper", "entropy_trend", "quco_rag")
