"""Graph baselines that DENSE compares with: Lin et al. 2023 and kernel language entropy, Nikitin et al. 2024.

Lin et al. read a graph of answers, weighted by the probability of entailment and symmetrised, by its degrees,
by the spectrum of its normalised Laplacian, and by the spread of its spectral embedding. Kernel language
entropy turns a graph into a kernel and takes the von Neumann entropy. The released repository of the latter
weighs an edge in its "deberta" mode by the confidence of whatever class was predicted, so that a sure
contradiction binds as strongly as a sure entailment; ``relation_weights`` here follows the paper's scale.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from engine.measures.checks import Floats, entailment_classes, symmetric_weights

# Lin et al.: eigenvectors above this eigenvalue of the Laplacian are noise, not meanings.
EIGENVALUE_LIMIT = 0.9
# Eigenvalues of a kernel below this are rounding, and are left out of its entropy.
SMALLEST_EIGENVALUE = 1e-8
# An eigenvalue this near the limit lies on it: which side rounding puts it on must not decide.
ON_THE_LIMIT = 1e-9


def degree(weights: ArrayLike) -> float:
    """Returns U_deg = 1 - mean(W) of Lin et al.: the share of agreement that is missing.

    ``weights`` [n, n] in [0, 1], symmetrised, diagonal 1 -> float in [0, 1 - 1/n], higher = more uncertain.
    Raises ValueError on asymmetry or a weight out of range.

    >>> degree([[1, 0], [0, 1]])
    0.5
    """
    return 1.0 - float(symmetric_weights(weights, "weights").mean())


def eigenvalue(weights: ArrayLike) -> float:
    """Returns U_eigv of Lin et al.: the sum of max(0, 1 - lambda), a soft number of meanings.

    ``weights`` [n, n] in [0, 1], symmetrised, diagonal 1; lambda are the eigenvalues of the normalised
    Laplacian I - D^(-1/2) W D^(-1/2) -> float in [1, n], higher = more uncertain; on cliques, their number.
    Raises ValueError on asymmetry, a weight out of range, or a degree of 0.

    >>> round(eigenvalue([[1, 0], [0, 1]]), 6)
    2.0
    """
    eigenvalues, _ = np.linalg.eigh(_normalised_laplacian(weights))
    return float(np.maximum(0.0, 1.0 - eigenvalues).sum())


def eccentricity(weights: ArrayLike, limit: float = EIGENVALUE_LIMIT) -> float:
    """Returns U_ecc of Lin et al.: how far the answers lie from their centre in the spectral embedding.

    ``weights`` [n, n] in [0, 1], symmetrised, diagonal 1. Row i of the eigenvectors of the normalised
    Laplacian with eigenvalue < ``limit`` is answer i's place; the norm of the centred matrix -> float in
    [0, sqrt(n-1)], higher = more uncertain. An eigenvalue within 1e-9 of ``limit`` counts as equal to it.
    Raises ValueError on asymmetry, a weight out of range, or a degree of 0.

    >>> round(eccentricity([[1, 0], [0, 1]]), 6)
    1.0
    """
    eigenvalues, eigenvectors = np.linalg.eigh(_normalised_laplacian(weights))
    places = eigenvectors[:, eigenvalues < limit - ON_THE_LIMIT]
    return float(np.linalg.norm(places - places.mean(axis=0)))


def relation_weights(entails: ArrayLike) -> Floats:
    """Returns the graph of kernel language entropy: both directions summed, entail 1, neutral 0.5, else 0.

    ``entails`` [n, n], [i, j] = class of answer i -> answer j: 0 contradiction, 1 neutral, 2 entailment
    -> [n, n] in {0, 0.5, 1, 1.5, 2}, symmetric, diagonal 0. Raises ValueError on another shape or class.

    >>> relation_weights([[2, 2], [1, 2]])
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    strength = entailment_classes(entails, "entails") / 2
    weights: Floats = strength + strength.T
    np.fill_diagonal(weights, 0.0)
    return weights


def kernel_language_entropy(
    weights: ArrayLike,
    kernel: Literal["heat", "matern"] = "heat",
    t: float = 0.1,
    kappa: float = 3.0,
    nu: float = 3.0,
    scale: bool = True,
) -> float:
    """Returns the von Neumann entropy of the answers' graph kernel (Nikitin et al. 2024).

    ``weights`` [n, n] in [0, 2] as from ``relation_weights``; the diagonal is ignored (no self loops). With
    L = D - W: "heat" expm(-t L), "matern" (2 nu / kappa^2 I + L)^(-nu). Float, higher = more uncertain: with
    ``scale`` a share of ln n in [0, 1] (0 for one answer), else nats. Equal answers do not reach 0 (three
    with heat at t = 0.1 give .96).
    Raises ValueError on asymmetry, a weight out of range, another kernel, a parameter that is not positive.

    >>> round(kernel_language_entropy([[0, 2, 2], [2, 0, 2], [2, 2, 0]]), 6)
    0.96009
    """
    spectrum, vectors = np.linalg.eigh(_laplacian(weights))
    n = len(spectrum)
    raw = (vectors * _kernel_spectrum(spectrum, kernel, t, kappa, nu)) @ vectors.T
    norm = np.sqrt(np.diagonal(raw))
    density = np.linalg.eigvalsh(raw / np.outer(norm, norm) / n)
    density = density[density > SMALLEST_EIGENVALUE]
    entropy = max(float(-(density * np.log(density)).sum()), 0.0)
    if not scale:
        return entropy
    return 0.0 if n == 1 else entropy / float(np.log(n))


def _kernel_spectrum(spectrum: Floats, kernel: str, t: float, kappa: float, nu: float) -> Floats:
    """Returns the kernel's eigenvalues from those of the Laplacian, [n] -> [n].

    >>> _kernel_spectrum(np.array([0.0]), "heat", t=0.1, kappa=3.0, nu=3.0)
    array([1.])
    """
    if not (t > 0 and kappa > 0 and nu > 0):
        raise ValueError(f"t, kappa and nu must be positive, got {t}, {kappa} and {nu}")
    if kernel == "heat":
        return np.exp(-t * spectrum)
    if kernel == "matern":
        return np.asarray((2 * nu / kappa**2 + spectrum) ** -nu)
    raise ValueError(f"kernel must be one of heat, matern, got {kernel!r}")


def _laplacian(weights: ArrayLike) -> Floats:
    """Returns D - W of a graph without self loops, [n, n] -> [n, n].

    >>> _laplacian([[2, 1], [1, 2]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    array = symmetric_weights(weights, "weights", high=2.0)
    np.fill_diagonal(array, 0.0)
    laplacian: Floats = np.diag(array.sum(axis=1)) - array
    return laplacian


def _normalised_laplacian(weights: ArrayLike) -> Floats:
    """Returns I - D^(-1/2) W D^(-1/2), [n, n] -> [n, n], eigenvalues in [0, 2].

    >>> _normalised_laplacian([[1, 1], [1, 1]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    array = symmetric_weights(weights, "weights")
    total = array.sum(axis=1)
    if (total <= 0).any():
        raise ValueError(f"answer {int((total <= 0).argmax())} has degree 0: set w_ii = 1")
    return np.eye(len(array)) - array / np.sqrt(np.outer(total, total))
