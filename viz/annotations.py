"""Figures of labelling: Table 6 with intervals, agreement, methods against people, where triggers fall; text twins."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from engine.annotations.agreement import FieldAgreement
from engine.annotations.results import MethodScore, TimingRow, TriggerPlace
from viz.theme import Theme


def table_six_figure(rows: Sequence[TimingRow], theme: Theme) -> go.Figure:
    """Return delayed and redundant ratios per policy with intervals."""
    raise NotImplementedError


def table_six_table(rows: Sequence[TimingRow]) -> pd.DataFrame:
    """Return Table 6 as text: every number with its interval and n, "not measured" where there is none."""
    raise NotImplementedError


def table_six_sentence(rows: Sequence[TimingRow]) -> str:
    """Return what Table 6 says in a sentence."""
    raise NotImplementedError


def agreement_figure(rows: Sequence[FieldAgreement], theme: Theme) -> go.Figure:
    """Return alpha and kappa per field with intervals."""
    raise NotImplementedError


def agreement_table(rows: Sequence[FieldAgreement]) -> pd.DataFrame:
    """Return agreement as text."""
    raise NotImplementedError


def agreement_sentence(rows: Sequence[FieldAgreement]) -> str:
    """Return what the agreement says in a sentence."""
    raise NotImplementedError


def methods_figure(rows: Sequence[MethodScore], theme: Theme) -> go.Figure:
    """Return precision, recall and kappa of each method's automatic label against people."""
    raise NotImplementedError


def methods_table(rows: Sequence[MethodScore]) -> pd.DataFrame:
    """Return the methods' scores as text."""
    raise NotImplementedError


def methods_sentence(rows: Sequence[MethodScore]) -> str:
    """Return what the scores say in a sentence."""
    raise NotImplementedError


def triggers_figure(places: Sequence[TriggerPlace], theme: Theme) -> go.Figure:
    """Return where each policy's retrievals fall, in tokens."""
    raise NotImplementedError


def triggers_table(places: Sequence[TriggerPlace]) -> pd.DataFrame:
    """Return where triggers fall as text."""
    raise NotImplementedError


def triggers_sentence(places: Sequence[TriggerPlace]) -> str:
    """Return where triggers fall in a sentence."""
    raise NotImplementedError
