"""Risks of estimators that denoise a release, and a threshold."""

from dporacle.vocabulary.domains import Domain
from dporacle.vocabulary.kinds import ERROR_BOUND, RISK
from dporacle.vocabulary.mechanisms import DENOISED
from dporacle.vocabulary.quantities.row import Quantity

_THREE_DIMENSIONS = {"dimension": {"domain": Domain(least=3, most=1 << 53, whole=True)}}
_TO_A_MILLION = {"dimension": {"domain": Domain(least=3, most=10**6, whole=True)}}

ROWS = (
    Quantity(
        name="bayes_risk",
        mechanism=DENOISED,
        kind=RISK,
        arguments=("dimension", "prior_sigma", "sigma"),
        exact="the risk of the posterior mean under a Gaussian prior",
        harm="a smaller risk than the estimator has",
        statements=("BW18.T10",),
        arithmetic="elementary",
        float64=(2.0**-48, 2.0**-48),
    ),
    Quantity(
        name="james_stein_prior_risk",
        mechanism=DENOISED,
        kind=RISK,
        arguments=("dimension", "prior_sigma", "sigma"),
        exact="the risk of James and Stein's estimator under a Gaussian prior",
        harm="a smaller risk than the estimator has",
        statements=("BW18.T11",),
        arithmetic="elementary",
        own=_THREE_DIMENSIONS,
        float64=(2.0**-48, 2.0**-48),
    ),
    Quantity(
        name="james_stein_risk",
        mechanism=DENOISED,
        kind=RISK,
        arguments=("dimension", "norm", "sigma"),
        exact="the risk of James and Stein's estimator at a signal of this length",
        harm="a smaller risk than the estimator has",
        statements=("BW18.T11",),
        own=_TO_A_MILLION,
        # 2^-48 of dσ², and the risk is at least 2σ²/2.
        float64=(2.0**-48 * 10**4, 2.0**-48 * 10**4),
    ),
    Quantity(
        name="positive_part_risk",
        mechanism=DENOISED,
        kind=RISK,
        arguments=("dimension", "norm", "sigma"),
        exact="the risk of its positive part at a signal of this length",
        harm="a smaller risk than the estimator has",
        statements=("BW18.T11",),
        own=_TO_A_MILLION,
        float64=(2.0**-33 * 100, 2.0**-33 * 100),
    ),
    Quantity(
        name="soft_threshold_coordinate_risk",
        mechanism=DENOISED,
        kind=RISK,
        arguments=("mean", "threshold", "sigma"),
        exact="the risk of the soft threshold, of one coordinate",
        harm="a smaller risk than the estimator has",
        statements=("BW18.T12",),
        float64=(2.0**-44, 2.0**-44),
    ),
    Quantity(
        name="universal_threshold",
        mechanism=DENOISED,
        kind=ERROR_BOUND,
        arguments=("dimension", "sigma"),
        exact="σ√(2 ln d)",
        harm="a threshold that more noise passes than is meant",
        statements=("BW18.T12",),
        arithmetic="elementary",
        float64=(2.0**-48, 2.0**-48),
    ),
)
