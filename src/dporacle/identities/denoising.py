"""The risks of estimators after Gaussian noise."""

from collections.abc import Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, reals


def _bayes_risk(ctx: Context, given: Given) -> Real:
    """d/(1/w² + 1/σ²)."""
    dimension, width, sigma = reals(ctx, given, "dimension", "prior_sigma", "sigma")
    return dimension / (1 / (width * width) + 1 / (sigma * sigma))


def _james_stein_prior_risk(ctx: Context, given: Given) -> Real:
    """The Bayes risk and 2σ⁴/(w²+σ²) on top."""
    _, width, sigma = reals(ctx, given, "dimension", "prior_sigma", "sigma")
    return _bayes_risk(ctx, given) + 2 * sigma**4 / (width * width + sigma * sigma)


def _james_stein_risk(ctx: Context, given: Given) -> Real:
    """dσ² − (d−2)σ²·₁F₁(1; d/2; −‖θ‖²/2σ²), by mpmath's own ₁F₁."""
    dimension, norm, sigma = reals(ctx, given, "dimension", "norm", "sigma")
    confluent = ctx.hyp1f1(1, dimension / 2, -((norm / sigma) ** 2) / 2)
    return sigma * sigma * (dimension - (dimension - 2) * confluent)


def _universal_threshold(ctx: Context, given: Given) -> Real:
    """Return σ√(ln d²)."""
    dimension, sigma = reals(ctx, given, "dimension", "sigma")
    return ctx.sqrt(ctx.log(dimension**2)) * sigma


IDENTITIES: Mapping[str, Identity] = {
    "bayes_risk": _bayes_risk,
    "james_stein_prior_risk": _james_stein_prior_risk,
    "james_stein_risk": _james_stein_risk,
    "universal_threshold": _universal_threshold,
}
