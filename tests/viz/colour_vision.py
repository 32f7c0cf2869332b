"""Colours as WCAG 2 and as readers with a colour vision deficiency see them; published formulas only.

Contrast and relative luminance: WCAG 2.1. Simulation: Machado, Oliveira and Fernandes 2009, severity 1.0, on linear
RGB. Distance: CIE 1976 in L*a*b* (D65), where about 2.3 is the least that is seen side by side.
"""

import re

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
VISIONS: dict[str, Vector] = {
    "typical": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def channels(colour: str, ground: str = "#ffffff") -> Vector:
    """Return red, green and blue in [0, 1] of a CSS colour; one with an opacity is laid on ``ground``."""
    if colour.startswith("#"):
        return np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    red, green, blue, *alpha = (float(part) for part in re.findall(r"[\d.]+", colour))
    opacity = alpha[0] if alpha else 1.0
    return opacity * np.array([red, green, blue]) / 255 + (1 - opacity) * channels(ground)


def linear(rgb: Vector) -> Vector:
    """Return sRGB without its gamma."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(front: str, ground: str) -> float:
    """Return the contrast of WCAG 2 between a colour and the opaque one it lies on: 1 (none) to 21."""
    dark, light = sorted(float(TO_XYZ[1] @ linear(channels(colour, ground))) for colour in (front, ground))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: Vector) -> Vector:
    """Return linear RGB as L*a*b*."""
    ratio = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    bent = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


def distance(one: str, other: str, vision: str) -> float:
    """Return how far two opaque colours are apart for a kind of colour vision, in units of L*a*b*."""
    seen = [lab(VISIONS[vision] @ linear(channels(colour))) for colour in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))
