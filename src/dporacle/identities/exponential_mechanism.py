"""Noisy max with Gumbel noise: by two candidates' probabilities, and by power series."""

from collections.abc import Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _eta(ctx: Context, given: Given) -> Real:
    return real(ctx, 2 * given["sensitivity"] / given["scale"])


def _spare(ctx: Context, given: Given) -> int:
    """Return the bits that numbers next to 1 lose where η is small."""
    return int(3 * max(0, -ctx.mag(_eta(ctx, given))))


def _delta(ctx: Context, given: Given) -> Real:
    """P − e^ε Q of two candidates, one of them named with odds of v to 1, then of e^η v to 1."""
    if given["epsilon"] >= 2 * given["sensitivity"] / given["scale"]:
        return ctx.zero
    with ctx.extraprec(_spare(ctx, given)):
        eta, epsilon = _eta(ctx, given), real(ctx, given["epsilon"])
        half = ctx.exp(-(eta + epsilon) / 2)
        v = (1 - half) / (ctx.exp((eta - epsilon) / 2) - 1)
        return 1 / (1 + v) - ctx.exp(epsilon) / (1 + ctx.exp(eta) * v)


def _epsilon(ctx: Context, given: Given) -> Real:
    """2 ln a of the root a of (a − e^{η/2})² = δ(e^η − 1) below e^{η/2}, or 0."""
    if given["delta"] == 1:
        return ctx.zero
    with ctx.extraprec(_spare(ctx, given)):
        eta, delta = _eta(ctx, given), real(ctx, given["delta"])
        top = ctx.exp(eta / 2)
        root = top - ctx.sqrt(delta * (top - 1) * (top + 1))
        return 2 * ctx.log(root) if root > 1 else ctx.zero


def _rho(ctx: Context, given: Given) -> Real:
    """Σ B_2n η^2n (1 + 1/2n)/(2n)! below η = 2, else η − 1 − ln η + Σ e^{−kη}(η − 1/k)."""
    eta = _eta(ctx, given)
    if eta < 2:
        return ctx.fsum(
            ctx.bernoulli(n) * eta**n / ctx.factorial(n) * (1 + ctx.one / n)
            for n in range(2, ctx.prec + 8, 2)
        )
    terms = int(ctx.prec / eta) + 8
    tail = (ctx.exp(-k * eta) * (eta - ctx.one / k) for k in range(1, terms))
    return eta - 1 - ctx.log(eta) + ctx.fsum(tail)


def _repeated(ctx: Context, given: Given) -> Real:
    """The largest ∫ over t of how fast a test of n releases gains less beyond its best t."""
    epsilon, eta, n = given["epsilon"], given["selection_epsilon"], int(given["releases"])
    if epsilon >= n * eta:
        return ctx.zero
    low, high = 0, max(j for j in range(n) if (n - j) * eta > epsilon)
    fine, ctx.prec = ctx.prec, 60
    while high - low > 2:  # by thirds, as if there were one maximum: another one would show
        third = (high - low) // 3
        sides = [
            _past_the_best(ctx, epsilon, eta, n, j, degree=3) for j in (low + third, high - third)
        ]
        low, high = (low + third, high) if sides[0] < sides[1] else (low, high - third)
    ctx.prec = fine
    return max(_past_the_best(ctx, epsilon, eta, n, j) for j in range(low, high + 1))


def _past_the_best(
    ctx: Context, epsilon: Fraction, eta: Fraction, n: int, last: int, degree: int = 6
) -> Real:
    """Return n C(n−1,J) e^ε/D ∫₀^g y^J q^{n−1−J} e^{−t}(e^{(n+1)u} − 1) du, t = η − g + u.

    D = 1 − e^{−η}; q = (e^{−t} − e^{−η})/D and y = 1 − q are the other law's.
    """
    gap = real(ctx, ((n - last) * eta - epsilon) / (n + 1))
    start = real(ctx, (epsilon + (last + 1) * eta) / (n + 1))
    whole = -ctx.expm1(-real(ctx, eta))

    def rate(u: Real) -> Real:
        t = start + u
        q = ctx.exp(-t) * -ctx.expm1(u - gap) / whole
        y = -ctx.expm1(-t) / whole
        return y**last * q ** (n - 1 - last) * ctx.exp(-t) * ctx.expm1((n + 1) * u)

    # The quadrature looks at absolute errors: so the integrand is divided by one of its values.
    size = max(rate(gap * k / 64) for k in range(1, 64))
    pieces = 4 if gap * n < 64 else 16
    ends = [ctx.mpf(k) / pieces for k in range(pieces + 1)]
    front = n * ctx.binomial(n - 1, last) * ctx.exp(real(ctx, epsilon)) / whole
    return (
        front
        * gap
        * size
        * ctx.quad(lambda v: rate(gap * v) / size, ends, method="gauss-legendre", maxdegree=degree)
    )


IDENTITIES: Mapping[str, Identity] = {
    "exponential_mechanism_delta": _delta,
    "exponential_mechanism_epsilon": _epsilon,
    "exponential_mechanism_zcdp_rho": _rho,
    "exponential_mechanism_repeated_delta": _repeated,
}

PROFILES: Mapping[str, Identity] = {"exponential_mechanism_repeated_epsilon": _repeated}
