"""What other thresholds would decide, from the numbers a run has stored: no model runs.

``table`` is the one list; methods and policies declare their own. ``in_run`` finds them in a run, ``replay`` says what
other values change, ``request`` hands those on to a new run. ``calibration`` fits them to a model, ``fitted`` keeps the
fits, ``apply`` puts them into a request.
"""
