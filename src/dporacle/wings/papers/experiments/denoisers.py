"""Denoising a release y = θ + N(0, σ²I): what is done to y once σ is known (BW18.T11, T12, F2).

All of them see the release and σ only, so that they cost no privacy.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

_WAVELET = "haar"
_LEVELS = 5
_WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of the total variation, in units of σ


def james_stein(y: Values, sigma: float) -> Values:
    """Return (1 − (d−2)σ²/‖y‖²)·y; the coordinates lie along the last axis."""
    square = np.sum(y * y, axis=-1, keepdims=True)
    return np.asarray((1 - (y.shape[-1] - 2) * sigma**2 / square) * y)


def positive_part(y: Values, sigma: float) -> Values:
    """Return max(0, 1 − (d−2)σ²/‖y‖²)·y; the coordinates lie along the last axis."""
    square = np.sum(y * y, axis=-1, keepdims=True)
    return np.asarray(np.maximum(1 - (y.shape[-1] - 2) * sigma**2 / square, 0) * y)


def soft_threshold(y: Values, sigma: float) -> Values:
    """Return sign(y)·max(0, |y| − σ√(2 ln d)); the coordinates lie along the last axis."""
    cut = sigma * math.sqrt(2 * math.log(y.shape[-1]))
    return np.asarray(np.sign(y) * np.maximum(np.abs(y) - cut, 0))


def to_wavelets(image: Values) -> Values:
    """Return the coefficients of a square image in an orthonormal wavelet basis, as a vector.

    Haar wavelets of five levels. The image is first filled up with zeros to a side that is a
    multiple of 2⁵; `from_wavelets` takes them off again. The basis is orthonormal, so that white
    noise on the filled image is white noise on the coefficients.
    """
    side = _filled(image.shape[-1])
    full = np.zeros((side, side))
    full[: image.shape[0], : image.shape[1]] = image
    import pywt

    parts = pywt.wavedec2(full, _WAVELET, mode="periodization", level=_LEVELS)
    return np.asarray(pywt.coeffs_to_array(parts)[0]).ravel()


def from_wavelets(coefficients: Values, side: int) -> Values:
    """Return the image of a side from its coefficients."""
    import pywt

    full = _filled(side)
    # The layout of the coefficients is that of any image of this size.
    parts = pywt.wavedec2(np.zeros((full, full)), _WAVELET, mode="periodization", level=_LEVELS)
    layout = pywt.coeffs_to_array(parts)[1]
    image = pywt.waverec2(
        pywt.array_to_coeffs(coefficients.reshape(full, full), layout, output_format="wavedec2"),
        _WAVELET,
        mode="periodization",
    )
    return np.asarray(image[:side, :side])


def _filled(side: int) -> int:
    step = 1 << _LEVELS
    return -(-side // step) * step


def total_variation(y: Values, sigma: float, probe: Values) -> Values:
    """Return the image of least ‖u − y‖²/2w + TV(u), with w chosen from the release alone.

    Total variation is trend filtering of order 0 on the grid. The weight w is the one of six
    multiples of σ with the least unbiased estimate of the risk (Stein 1981), ‖u(y) − y‖² +
    2σ²·div u(y), its divergence by one random probe.

    Args:
        y: the release, a square image.
        sigma: the noise's standard deviation per cell.
        probe: standard normal numbers of the same shape.
    """
    from skimage import restoration

    denoise: Any = restoration.denoise_tv_chambolle
    step = sigma / 100

    def smooth(image: Values, weight: float) -> Values:
        return np.asarray(denoise(image / sigma, weight=weight)) * sigma

    def estimate(weight: float) -> tuple[float, Values]:
        u = smooth(y, weight)
        divergence = float(np.sum(probe * (smooth(y + step * probe, weight) - u))) / step
        return float(np.sum((u - y) ** 2)) + 2 * sigma**2 * divergence, u

    return min((estimate(weight) for weight in _WEIGHTS), key=lambda each: each[0])[1]
