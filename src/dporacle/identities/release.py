"""One Gaussian release and several: the tails of the privacy loss, by erfc."""

from collections.abc import Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, erfc_inverse, real, reals

FAR = 10**30
"""Beyond this μ, ε is μ²/2 + μz, z = −Φ⁻¹(δ), to 50 digits."""


def tails_of_the_loss(ctx: Context, epsilon: Real, eta: Real) -> Real:
    """Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] for L ~ N(η, 2η), by erfc."""
    width = 2 * ctx.sqrt(eta)
    above, below = ctx.erfc((epsilon - eta) / width), ctx.erfc((epsilon + eta) / width)
    return (above - ctx.exp(epsilon) * below) / 2


def _repeated_delta(ctx: Context, given: Given) -> Real:
    """The losses of independent releases add: L ~ N(kη, 2kη)."""
    epsilon, sigma, distance = reals(ctx, given, "epsilon", "sigma", "sensitivity")
    eta = real(ctx, given["releases"]) * (distance / sigma) ** 2 / 2
    return tails_of_the_loss(ctx, epsilon, eta)


def _delta_at_epsilon(ctx: Context, given: Given) -> Real:
    """Return it for one release."""
    return _repeated_delta(ctx, {**given, "releases": Fraction(1)})


def mu_of(inputs: Mapping[str, int | float]) -> Fraction:
    """Return μ = D/σ of one release, exactly."""
    if "mu" in inputs:
        return Fraction(inputs["mu"])
    return Fraction(inputs["sensitivity"]) / Fraction(inputs["sigma"])


def far_epsilon(ctx: Context, inputs: Mapping[str, int | float]) -> Real:
    """Return μ²/2 + μz, z = −Φ⁻¹(δ): ε is less than that, by at most 1.

    With y = ε/μ − μ/2 and w = y + μ, δ = Φ(−y) − φ(y)m(w) and m(w) < 1/w: y is below z by less
    than about 1/w, which at y ≥ −40 is less than 1/μ but for a part in 10²⁸.
    """
    mu, delta = real(ctx, mu_of(inputs)), Fraction(inputs["delta"])
    size = ctx.sqrt(2) * erfc_inverse(ctx, real(ctx, 2 * min(delta, 1 - delta)))
    return mu * mu / 2 + mu * (size if 2 * delta < 1 else -size)


def _repeated_mu(ctx: Context, given: Given) -> Real:
    """Return e^{ln μ + ln(k)/2}."""
    mu, releases = reals(ctx, given, "mu", "releases")
    return ctx.exp(ctx.log(mu) + ctx.log(releases) / 2)


IDENTITIES: Mapping[str, Identity] = {
    "repeated_mu": _repeated_mu,
    "repeated_delta": _repeated_delta,
}
PROFILES: Mapping[str, Identity] = {
    "epsilon_at_delta": _delta_at_epsilon,
    "repeated_epsilon": _repeated_delta,
}
