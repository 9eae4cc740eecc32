"""Every quantity by a formula written here: as published, by a sum, or by an integral.

The witnesses share what they were derived from, and a constant that is wrong in all of them would
be seen by none. These formulas are written from the statements alone, and stay with mpmath's
elementary functions, its integrals and sums. What the fourth witness knows by an identity of its
own is compared with that.
"""

import functools
import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from dporacle import enclosures, fast, reference
from dporacle.dev.exploration.inputs import FEW_STEPS, FUNCTIONS, QUADRATURES
from dporacle.identities import IDENTITIES, PROFILES
from dporacle.vocabulary import QUANTITIES
from support.truths.laws import gaussian_profile, laplace_profile

DIGITS = 20
FLOAT = 1e-9  # float64 results are asked for more by the exploration

mp = mpmath.MPContext()
mp.dps = 40
laplace_curve = functools.partial(laplace_profile, mp=mp)
profile = functools.partial(gaussian_profile, mp=mp)


def normal(x, s=1):
    return mp.exp(-((x / mp.mpf(s)) ** 2) / 2) / (mp.mpf(s) * mp.sqrt(2 * mp.pi))


def integral(f, *points):
    return mp.quad(f, [mp.mpf(point) for point in points])


def upper(z):
    """Pr[Z > z]."""
    return integral(normal, z, z + 2, z + 6, z + 20)


def rounded(norm, dimension):
    """The grid points of some vector that is no longer: its coordinates are half a step less."""
    return (
        point
        for point in itertools.product(range(8), repeat=dimension)
        if sum((m - mp.mpf("0.5")) ** 2 for m in point if m) <= norm**2
    )


def laplace(x):
    return mp.exp(-abs(x)) / 2


def loss(x, m):
    """The privacy loss of unit Laplace noise x against the same moved by m."""
    return abs(x - m) - abs(x)


def laplace_mean(f, *corners):
    """E f(x) of unit Laplace noise; the corners are those of f between 0 and where it is even."""
    return integral(lambda x: f(x) * laplace(x), *sorted({-90, -9, 0, 9, 90, *corners}))


def quantile(p):
    """The z with Pr[Z > z] = p."""
    return mp.findroot(lambda z: mp.erfc(z / mp.sqrt(2)) / 2 - p, (mp.mpf(1), mp.mpf(1.2)))


def hockey_stick(epsilon, mu):
    """∫(p − e^ε q)₊ of unit Gaussians at distance μ."""
    start = mp.mpf(epsilon) / mu + mp.mpf(mu) / 2  # where p = e^ε q

    def gap(y):
        return normal(y - mu) - mp.exp(epsilon) * normal(y)

    return integral(gap, start, start + 2, start + 6, start + 25)


def solve(f, near):
    """The root of f next to a rough value of it."""
    return mp.findroot(f, (mp.mpf(near), mp.mpf(near) * 1.001))


def sigma_of(epsilon, delta, sensitivity, near):
    return sensitivity * solve(lambda s: mp.log(profile(epsilon, 1 / s) / delta), near)


def epsilon_of(delta, mu, near):
    return solve(lambda e: mp.log(profile(e, mu) / delta), near)


def renyi(epsilon, mu):
    """The least e^{(α−1)(αρ−ε)}(1 − 1/α)^α/(α − 1), where its logarithm is flat."""
    rho = mp.mpf(mu) ** 2 / 2

    def power(a):
        return (a - 1) * (a * rho - epsilon) + a * mp.log(1 - 1 / a) - mp.log(a - 1)

    best = min((1 + mp.exp(mp.mpf(u) / 20) for u in range(-60, 100)), key=power)
    return mp.exp(power(mp.findroot(lambda a: mp.diff(power, a), best)))


def lattice(sigma, f):
    """Σ f(x)·Pr[Y = x] for Pr[Y = x] ∝ e^{−x²/2σ²}."""
    weights = {x: mp.exp(-((x / mp.mpf(sigma)) ** 2) / 2) for x in range(-60, 61)}
    return mp.fsum(f(x) * w for x, w in weights.items()) / mp.fsum(weights.values())


def discrete_delta(epsilon, sigma, sensitivity):
    """Σ(Pr[Y = x] − e^ε Pr[Y = x + D])₊."""

    def share(x):
        ratio = mp.exp(-((2 * x + sensitivity) * sensitivity) / (2 * mp.mpf(sigma) ** 2))
        return max(mp.mpf(0), 1 - mp.exp(epsilon) * ratio)

    return lattice(sigma, share)


def length_squared(dimension, norm, f, *points):
    """E f(‖y‖²) for y ~ N(θ, I) and ‖θ‖ = norm > 0."""
    square, half = mp.mpf(norm) ** 2, mp.mpf(dimension) / 2 - 1

    def density(v):
        bessel = mp.besseli(half, mp.sqrt(square * v))
        return mp.exp(-(v + square) / 2) * (v / square) ** (half / 2) * bessel / 2

    return integral(lambda v: f(v) * density(v), *points)


def shrunk_risk(dimension, norm, factor):
    """E‖c(V)y − θ‖² with V = ‖y‖², by Stein: dimension and slope of the correction g = (c − 1)y."""
    d = mp.mpf(dimension)

    def loss(v):
        c, slope = factor(v)
        return d + (c - 1) ** 2 * v + 2 * ((c - 1) * d + 2 * v * slope)

    return length_squared(dimension, norm, loss, 0, d - 2, 2 * d, 5 * d, 20 * d + 200)


def james_stein(v, c):
    return 1 - c / v, c / v**2


def threshold_risk(theta, cut):
    """E(soft(y) − θ)² for y ~ N(θ, 1)."""

    def loss(y):
        soft = mp.sign(y) * max(mp.mpf(0), abs(y) - cut)
        return (soft - theta) ** 2 * normal(y - theta)

    return integral(loss, theta - 16, -cut, 0, cut, theta + 5, theta + 16)


def psi(delta, m):
    ratio = mp.gamma(mp.mpf(m - 1) / 2) / mp.gamma(mp.mpf(m) / 2)
    return (delta * ratio / mp.sqrt(mp.pi)) ** (mp.mpf(2) / (m - 2))


def chi_square_tail(m, least):
    """Pr[χ²_m > least]."""

    def density(x):
        return x ** (mp.mpf(m) / 2 - 1) * mp.exp(-x / 2)

    top = integral(density, least, least + 10, least + 60, least + 250)
    return top / (2 ** (mp.mpf(m) / 2) * mp.gamma(mp.mpf(m) / 2))


def largest(constant, delta):
    """The ε up to which σ = D√(2 ln(a/δ))/ε is private."""
    c = mp.sqrt(2 * mp.log(constant / mp.mpf(delta)))
    return solve(lambda e: mp.log(profile(e, e / c) / delta), 8)


def moment(m, order):
    """E L^k for L = χ²_m, by its integral."""

    def f(x):
        return x ** (mp.mpf(m) / 2 - 1 + order) * mp.exp(-x / 2)

    return integral(f, 0, 5, 20, 60, 150, 400) / (2 ** (mp.mpf(m) / 2) * mp.gamma(mp.mpf(m) / 2))


def limit_constant(epsilon, m):
    """√(2/π)·∫₀^{1/λ} … as its series: ₂F₁ by its sum."""
    factor = mp.exp(mp.mpf(epsilon) / (m - 1))
    total, term, n = mp.mpf(0), mp.mpf(1), 0
    while term > mp.mpf(10) ** -45:
        total += term
        term *= (n + mp.mpf(1) / 2) * (n + mp.mpf(m + 1) / 2) / ((n + mp.mpf(m) / 2 + 1) * (n + 1))
        term /= factor**2
        n += 1
    return mp.sqrt(2 / mp.pi) * (m - 1) / (m * factor) * total


def fails_at(error, sigma, queries=1):
    """Pr[max of k |Z| > a]."""
    inside = mp.erf(error / (mp.mpf(sigma) * mp.sqrt(2)))
    return 1 - inside**queries


def quantile_of_max(queries, beta, sigma, near):
    return solve(lambda a: fails_at(a, sigma, queries) - beta, near)


def harmonic(rows, columns):
    """¼Σ(5/i + 1/√i) over i ≤ min."""
    return mp.fsum(5 / mp.mpf(i) + 1 / mp.sqrt(i) for i in range(1, min(rows, columns) + 1)) / 4


ROTH = mp.sqrt(2 / mp.pi) * mp.exp(mp.mpf(4) / 9)
E, D = 0.75, 0.015625  # exact in binary
A = {"epsilon": E, "delta": D, "sensitivity": 2.0}
NOISY = {"epsilon": E, "sigma": 1.5, "sensitivity": 2.0}
SHRUNK = {"dimension": 5, "norm": 3.0, "sigma": 0.5}
MEANS = [0.0, 0.25, -1.5, 4.0]
PAIR = {"epsilon": E, "first": [1.0, 2.0, 4.0], "second": [5.0, 0.5, 0.5]}


def log(x):
    return mp.log(mp.mpf(x))


def root(x):
    return mp.sqrt(mp.mpf(x))


def share(weights, kept):
    return mp.mpf(sum(weights[i] for i in kept)) / mp.mpf(sum(weights))


def loss_moment(variances, order):
    """E (λ₁z₁² + λ₂z₂²)^n, the powers multiplied out."""
    one, two = map(mp.mpf, variances)
    return mp.fsum(
        mp.binomial(order, k)
        * one**k
        * two ** (order - k)
        * mp.fac2(2 * k - 1)
        * mp.fac2(2 * (order - k) - 1)
        for k in range(order + 1)
    )


def angle_share(m, angle):
    """Pr[the angle of a uniform direction with an axis, or its opposite, is below this one]."""
    density = lambda t: mp.sin(t) ** (m - 2)  # noqa: E731
    return integral(density, 0, angle) / integral(density, 0, mp.pi / 2)


def chi(v, d):
    """The density of the length of a normal vector of d coordinates of variance 1/2."""
    return 2 * v ** (d - 1) * mp.exp(-v * v) / mp.gamma(mp.mpf(d) / 2)


def radial(e, b, other, d):
    """δ of two normal laws of d coordinates that differ in scale, over the length."""
    ratio = mp.mpf(b) / other

    def excess(v):
        loss = d * mp.log(ratio) - (1 - 1 / ratio**2) * v * v
        return max(mp.mpf(0), 1 - mp.exp(e - loss)) * chi(v, d)

    edge = mp.sqrt((d * mp.log(ratio) - e) / (1 - 1 / ratio**2))
    return integral(excess, *([0, edge / 2, edge] if b > other else [edge, edge + 4, edge + 20]))


def mass(k, n, p):
    """Pr[W = k], W ~ Bin(n, p)."""
    return mp.binomial(n, k) * mp.mpf(p) ** k * (1 - mp.mpf(p)) ** (n - k)


def counted(low, high, n, p):
    """Pr[low ≤ W ≤ high], W ~ Bin(n, p)."""
    return mp.fsum(mass(k, n, p) for k in range(int(low), int(high) + 1))


def limit(k, n, a, start):
    """The p at which Pr[W ≤ k] is α."""
    return mp.findroot(lambda p: log(counted(0, k, n, p) / a), (start, start * mp.mpf(1.1)))


def of_one_run(r, v, m, e, d):
    """The p-value of v right guesses of r, as published."""
    q = mp.exp(e) / (1 + mp.exp(e))
    spent = max(counted(v - i, v - 1, r, q) / i for i in range(1, int(v) + 1))
    return counted(v, r, r, q) + 2 * m * d * spent


def of_both_rates(fp, n, fn, m, e, d):
    """The joint p-value of two error rates, where the derivative along a line is 0."""

    def line(x):
        return log(counted(0, fp, n, x)) + log(counted(0, fn, m, 1 - d - mp.exp(e) * x))

    product = mp.exp(line(mp.findroot(lambda x: mp.diff(line, x), (0.09, 0.1))))
    return product * (1 - log(product))


COUNTED = {"successes": 9, "trials": 40, "alpha": 0.0625}
ATTACK = {
    "false_positives": 3,
    "negatives": 80,
    "false_negatives": 9,
    "positives": 60,
    "alpha": 0.0625,
}

FORMULAS = {
    # ε e, δ d, σ s, the sensitivity c, a dimension m, a scale b; other letters are an entry's own.
    "calibrate_sigma": (A, lambda e, d, c: sigma_of(e, d, c, 1.9)),
    "divisor_delta": (
        {"epsilon": 0.5, "divisor": 20.0, "other_divisor": 19.0, "coordinates": 300},
        radial,
    ),
    "divisor_epsilon": (
        {"delta": D, "divisor": 19.0, "other_divisor": 20.0, "coordinates": 300},
        lambda d, b, other, n: mp.findroot(lambda e: radial(e, b, other, n) - d, 5),
    ),
    "delta_at_epsilon": (NOISY, lambda e, s, c: hockey_stick(e, c / s)),
    "log_delta_at_epsilon": (NOISY, lambda e, s, c: log(hockey_stick(e, c / s))),
    "delta_slope_mu": (NOISY, lambda e, s, c: mp.diff(lambda m: profile(e, m), c / s)),
    "delta_slope_epsilon": (
        NOISY,
        lambda epsilon, s, c: mp.diff(lambda e: profile(e, c / s), epsilon),
    ),
    "epsilon_at_delta": (
        {"delta": D, "sigma": 1.5, "sensitivity": 2.0},
        lambda d, s, c: epsilon_of(d, c / s, 3.4),
    ),
    "classical_sigma": (A, lambda e, d, c: c * root(2 * log(1.25 / d)) / e),
    "plrv_tail_sigma": (
        A,
        lambda e, d, c: c * solve(lambda s: mp.erfc((e * s - 1 / (2 * s)) / mp.sqrt(2)) / 2 - d, 3),
    ),
    "classical_epsilon_max": ({"delta": D}, lambda d: largest(mp.mpf("1.25"), d)),
    "dwork_roth_epsilon_max": ({"delta": D}, lambda d: largest(ROTH, d)),
    "dwork_2006_epsilon_max": ({"delta": D}, lambda d: largest(mp.mpf(2), d)),
    "low_privacy_threshold": ({"epsilon": E}, lambda e: hockey_stick(e, root(2 * e))),
    "low_privacy_threshold_closed": (
        {"epsilon": E},
        lambda e: mp.mpf(1) / 2 - 1 / root(4 * mp.pi * e),
    ),
    "low_privacy_threshold_misquoted": (
        {"epsilon": E},
        lambda e: mp.mpf(1) / 2 - mp.exp(-3 * e) / root(4 * mp.pi * e),
    ),
    "variance_third_boundary": (
        {"epsilon": 0.5},
        lambda e: mp.exp(
            solve(lambda u: log(profile(e, e * root(1.5) / root(2 * (log(1.25) - u)))) - u, -6.5)
        ),
    ),
    "variance_half_boundary": (
        {"epsilon": 0.5},
        lambda e: mp.exp(
            solve(lambda u: log(profile(e, e * root(2) / root(2 * (log(1.25) - u)))) - u, -10.7)
        ),
    ),
    "finite_delta": (
        PAIR,
        lambda e, p, q: max(
            share(p, kept) - mp.exp(e) * share(q, kept)
            for kept in ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
        ),
    ),
    "finite_loss_upper_tail": (PAIR, lambda e, p, q: share(p, (1, 2))),
    "finite_loss_lower_tail": (PAIR, lambda e, p, q: share(q, (1, 2))),
    "name_and_shame_exposure": ({"records": 7, "delta": D}, lambda n, d: 1 - (1 - d) ** n),
    "lp_ball_linear_risk": (
        {"dimension": 7, "power": 3.0, "radius": 2.0, "sigma": 1.5},
        lambda m, p, r, s: 1 / mp.fsum([1 / (m * s**2), 1 / (r**2 * m ** (1 - 2 / p))]),
    ),
    "lp_ball_rate": (
        {"dimension": 7, "power": 0.5, "strength": 3.0, "sigma": 1.5},
        lambda m, p, q, s: s**2 * q * (1 + log(m / q)) ** (1 - p / 2),
    ),
    "lp_ball_threshold_bound": (
        {"dimension": 7, "strength": 3.0, "sigma": 1.5},
        lambda m, q, s: (2 * log(m) + 1) * (1 + q) * s**2,
    ),
    "rounded_norm_squared": (
        {"clipping_norm": 3.25, "grid": 1.5, "dimension": 3},
        lambda c, g, d: g**2 * max(sum(m * m for m in point) for point in rounded(c / g, d)),
    ),
    "sparse_threshold_risk": (
        {"dimension": 7, "nonzero": 2, "sigma": 0.5},
        lambda m, k, s: (
            s**2 * (k * (1 + 2 * log(m)) + (m - k) * threshold_risk(mp.mpf(0), root(2 * log(m))))
        ),
    ),
    "covariance_loss_kurtosis": (
        {"variances": [2.0, 0.5]},
        lambda v: loss_moment(v, 4) / loss_moment(v, 2) ** 2,
    ),
    "covariance_loss_skewness": (
        {"variances": [2.0, 0.5]},
        lambda v: loss_moment(v, 3) / loss_moment(v, 2) ** mp.mpf(1.5),
    ),
    "rank_one_cotangent_tail": (
        {"dimension": 9, "threshold": 0.25},
        lambda m, t: angle_share(m, mp.atan(1 / root(t))),
    ),
    "rank_one_cosecant_tail": (
        {"dimension": 9, "threshold": 1.25},
        lambda m, t: angle_share(m, mp.asin(1 / root(t))),
    ),
    "rank_one_loss": (
        {"radius": 0.5, "distance": 1.25, "sigma_star": 0.75, "dimension": 9},
        lambda r, y, v, m: integral(lambda t: (m - 1) / t + t / v, r, y),
    ),
    "rank_one_loss_bound": (
        {"radius": 0.5, "distance": 1.25, "sigma_star": 0.75, "sensitivity": 1.0},
        lambda r, y, v, c: 2 / v * (c / mp.sin(mp.acos((r**2 + y**2 - c**2) / (2 * r * y)))) ** 2,
    ),
    "gdp_bayes_success": (
        {"prior": 0.375, "mu": 1.5},
        lambda prior, mu: mp.quad(
            lambda x: max(prior * mp.npdf(x, mu, 1), (1 - prior) * mp.npdf(x)),
            [-16, mp.log((1 - prior) / prior) / mu + mu / 2, 18],
        ),
    ),
    "gdp_auc": (
        {"mu": 1.5},
        lambda mu: mp.quad(lambda x: mp.npdf(x) * mp.ncdf(mu - x), [-14, 0, 14]),
    ),
    "laplace_auc": (
        {"scale": 2.0, "sensitivity": 3.0},
        lambda b, d: mp.quad(
            lambda x: laplace(x) * (laplace(x - d / b) if x > d / b else 1 - laplace(x - d / b)),
            [-90, -9, 0, d / b, d / b + 9, 90],
        ),
    ),
    "laplace_power": (
        {"alpha": 0.25, "scale": 2.0, "sensitivity": 1.0},
        lambda a, b, c: (
            1 - mp.exp(-c / b) / (4 * a) if a > mp.exp(-c / b) / 2 else a * mp.exp(c / b)
        ),
    ),
    "laplace_bayes_success": (
        {"prior": 0.4375, "scale": 2.0, "sensitivity": 1.0},
        lambda prior, b, c: 1 - mp.sqrt(prior * (1 - prior)) * mp.exp(-c / b / 2),
    ),
    "gdp_epsilon": ({"delta": D, "mu": 1.25}, lambda d, mu: epsilon_of(d, mu, 3)),
    "rdp_delta": ({"epsilon": 3.0, "mu": 0.75}, renyi),
    "accuracy": (
        {"alpha": 0.125, "sigma": 1.5},
        lambda alpha, s: solve(lambda a: fails_at(a, s) - alpha, 2.3),
    ),
    "alpha_at_accuracy": ({"accuracy": 2.0, "sigma": 1.5}, lambda x, s: fails_at(x, s)),
    "sigma_at_accuracy": (
        {"accuracy": 2.0, "alpha": 0.125},
        lambda x, a: solve(lambda s: fails_at(x, s) - a, 1.3),
    ),
    "composed_mu": (
        {"sensitivities": [1.0, 2.0, 0.5], "sigmas": [4.0, 3.0, 2.0]},
        lambda cs, ss: root(mp.fsum(((mp.mpf(d) / s) ** 2 for d, s in zip(cs, ss, strict=True)))),
    ),
    "repeated_epsilon": (
        {"delta": D, "sigma": 4.0, "releases": 3, "sensitivity": 2.0},
        lambda d, s, n, c: epsilon_of(d, root(n) * c / s, 1.6),
    ),
    "repeated_sigma": (A | {"releases": 3}, lambda e, d, c, n: root(n) * sigma_of(e, d, c, 1.9)),
    "group_mu": ({"mu": 1.25, "size": 7}, lambda mu, k: mu * k),
    "group_delta_bound": (
        {"epsilon": E, "delta": D, "size": 5},
        lambda e, d, size: d * mp.fsum(mp.exp(k * e) for k in range(size)),
    ),
    "binomial_tail": (
        {"successes": 9, "trials": 40, "probability": 0.125},
        lambda k, n, p: counted(k, n, n, p),
    ),
    "binomial_upper": (COUNTED, lambda k, n, a: limit(k, n, a, 0.4)),
    "box_composition_epsilon": (  # only that both tell the truth has a loss above 0
        {"delta": 0.125, "box_epsilon": 0.5, "box_delta": 0.0078125, "releases": 2},
        lambda d, e, b, _: log(mp.exp(2 * e) - (1 - (1 - d) / (1 - b) ** 2) * (1 + mp.exp(e)) ** 2),
    ),
    "exponential_mechanism_repeated_epsilon": (  # only two of the larger loss are above ε > ε₀
        {"delta": 0.0078125, "selection_epsilon": 0.5, "releases": 2},
        lambda d, n, _: solve(
            lambda e: log(
                ((1 - mp.exp((e - 2 * n) / 3)) / (1 - mp.exp(-n))) ** 2
                * (1 - mp.exp((e - 2 * n) / 3))
                / d
            ),
            0.7,
        ),
    ),
    "randomised_response_epsilon": (
        {"delta": 0.125, "report_epsilon": 0.5, "kinds": 3, "releases": 2},
        lambda d, e, *_: log((mp.exp(2 * e) + 2 * mp.exp(e) - d * (mp.exp(e) + 2) ** 2) / 3),
    ),
    "monte_carlo_delta": (COUNTED, lambda k, n, a: limit(k, n, a, 0.4)),
    "monte_carlo_mean_delta": (
        {"mean": 0.25, "trials": 40, "alpha": 0.0625},
        lambda x, n, a: mp.findroot(
            lambda u: n * (x * log(x / u) + (1 - x) * log((1 - x) / (1 - u))) + log(a), 0.45
        ),
    ),
    "audit_epsilon": (
        ATTACK | {"delta": 0.03125},
        lambda fp, n, fn, m, a, d: log(
            (1 - d - limit(fn, m, a / 2, 0.3)) / limit(fp, n, a / 2, 0.1)
        ),
    ),
    "audit_delta": (
        ATTACK | {"epsilon": 0.5},
        lambda fp, n, fn, m, a, e: (
            1 - limit(fn, m, a / 2, 0.3) - mp.exp(e) * limit(fp, n, a / 2, 0.1)
        ),
    ),
    "audit_p_value": (
        {k: v for k, v in ATTACK.items() if k != "alpha"} | {"epsilon": 1.0, "delta": 0.03125},
        lambda fp, n, fn, m, e, d: (
            2
            * counted(
                0,
                fp,
                n,
                mp.findroot(
                    lambda x: log(counted(0, fp, n, x) / counted(0, fn, m, 1 - d - mp.exp(e) * x)),
                    (0.15, 0.2),
                ),
            )
        ),
    ),
    "audit_joint_p_value": (
        {k: v for k, v in ATTACK.items() if k != "alpha"} | {"epsilon": 2.0, "delta": 0.03125},
        of_both_rates,
    ),
    "audit_mu": (
        ATTACK,
        lambda fp, n, fn, m, a: (
            quantile(limit(fp, n, a / 2, 0.1)) + quantile(limit(fn, m, a / 2, 0.3))
        ),
    ),
    "one_run_p_value": (
        {"guesses": 30, "correct": 24, "canaries": 50, "epsilon": 0.5, "delta": 0.001},
        of_one_run,
    ),
    "one_run_epsilon": (
        {"guesses": 30, "correct": 28, "canaries": 50, "alpha": 0.0625, "delta": 0.001},
        lambda r, v, m, a, d: mp.findroot(lambda e: of_one_run(r, v, m, e, d) - a, 1.2),
    ),
    "noise_tail": ({"error": 2.0, "sigma": 1.5}, lambda x, s: upper(x / s)),
    "noise_tail_bound": ({"error": 2.0, "sigma": 1.5}, lambda x, s: mp.exp(-(x**2) / (2 * s**2))),
    "workload_sensitivity": (
        {"queries": 7, "records": 50},
        lambda k, n: root(mp.fsum([(1 / mp.mpf(n)) ** 2] * k)),
    ),
    "projected_sigma": (
        {"sigma": 1.5, "vector": [1.0, -2.0, 0.5]},
        lambda s, vector: root(mp.fsum((s * mp.mpf(v)) ** 2 for v in vector)),
    ),
    "max_error_quantile": (
        {"queries": 7, "beta": 0.125, "sigma": 1.5},
        lambda k, f, s: quantile_of_max(k, f, s, 3.5),
    ),
    "sample_size": (
        {"queries": 7, "error": 0.03125, "beta": 0.125, "noise_multiplier": 1.5},
        lambda k, x, f, s: mp.ceil(root(k) * quantile_of_max(k, f, s, 3.5) / x),
    ),
    "sample_size_bound": (
        {"queries": 7, "error": 0.03125, "beta": 0.125, "noise_multiplier": 1.5},
        lambda k, x, f, s: mp.ceil(root(k) * s * root(2 * log(2 * k / f)) / x),
    ),
    "loss_mean": (
        {"sigma": 1.5, "sensitivity": 2.0},
        lambda s, c: integral(lambda y: normal(y, s) * (c * y + c**2 / 2) / s**2, -20, 0, 20),
    ),
    "loss_upper_tail": (
        NOISY,
        lambda e, s, c: integral(lambda x: normal(x, s), s**2 * e / c - c / 2, 3, 8, 30),
    ),
    "loss_lower_tail": (
        NOISY,
        lambda e, s, c: integral(lambda x: normal(x, s), s**2 * e / c + c / 2, 3, 8, 30),
    ),
    "expected_loss": (
        {"dimension": 7, "sigma": 1.5},
        lambda m, s: m * 2 * integral(lambda x: x * x * normal(x, s), 0, 5, 30),
    ),
    "classical_expected_loss": (
        A | {"dimension": 7},
        lambda e, d, c, m: m * 2 * log(1.25 / d) * (c / e) ** 2,
    ),
    "analytic_loss_bound": (
        A | {"dimension": 7},
        lambda e, d, c, m: m * (quantile(d) ** 2 + e) * (c / e) ** 2,
    ),
    "mvg_loss_bound": (
        {"epsilon": E, "rows": 3, "columns": 5, "sensitivity": 2.0},
        lambda e, n, k, c: harmonic(n, k) * n * k * c**2 / (2 * e),
    ),
    "r1smg_expected_loss": (A | {"dimension": 9}, lambda e, d, c, m: 2 * c**2 / (e * psi(d, m))),
    "loss_kurtosis": ({"dimension": 6}, lambda m: moment(m, 4) / moment(m, 2) ** 2),
    "loss_skewness": ({"dimension": 6}, lambda m: moment(m, 3) / moment(m, 2) ** mp.mpf(1.5)),
    "loss_tail": ({"dimension": 7, "factor": 1.5}, lambda m, r: chi_square_tail(m, m * r)),
    "positive_part_risk": (
        SHRUNK,
        lambda m, r, s: (
            s**2
            * shrunk_risk(
                m, r / s, lambda v: james_stein(v, m - 2) if v > m - 2 else (mp.mpf(0), mp.mpf(0))
            )
        ),
    ),
    "soft_threshold_coordinate_risk": (
        {"mean": 1.5, "threshold": 1.0, "sigma": 0.5},
        lambda u, t, s: s**2 * threshold_risk(u / s, t / s),
    ),
    "soft_threshold_risk": (
        {"means": MEANS, "sigma": 0.5},
        lambda u, s: s**2 * mp.fsum(threshold_risk(abs(m) / s, root(2 * log(len(u)))) for m in u),
    ),
    "soft_threshold_oracle_bound": (
        {"means": MEANS, "sigma": 0.5},
        lambda u, s: (2 * log(len(u)) + 1) * (s**2 + mp.fsum(min(mp.mpf(m) ** 2, s**2) for m in u)),
    ),
    "discrete_calibrate_sigma": (
        {"epsilon": E, "delta": D, "sensitivity": 1},
        lambda e, d, c: solve(lambda s: log(discrete_delta(e, s, c) / d), 1.8),
    ),
    # Corners where the other's loss would have to be its least, or 0.
    "laplace_repeated_delta": (
        {"epsilon": E, "scale": 2.0, "releases": 2, "sensitivity": 2.5},
        lambda e, b, n, c: laplace_mean(
            lambda x: laplace_curve(e - loss(x, c / b), c / b),
            e / 2,
            c / b - e / 2,
            c / b / 2 - e / 2,
            c / b,
        ),
    ),
    "laplace_gaussian_delta": (
        {"epsilon": E, "scale": 2.0, "mu": 0.75, "sensitivity": 2.5},
        lambda e, b, mu, c: laplace_mean(lambda x: profile(e - loss(x, c / b), mu), c / b),
    ),
    "rank_one_psi": ({"delta": D, "dimension": 9}, lambda d, m: psi(d, m)),
    "rank_one_sigma_star": (A | {"dimension": 9}, lambda e, d, c, m: 2 * c**2 / (e * psi(d, m))),
    "rank_one_inner_ball_delta": (
        {"epsilon": E, "sigma_star": 0.5, "dimension": 9, "ratio": 1.5, "sensitivity": 2.0},
        lambda e, v, m, r, c: (
            (1 - mp.exp(e) * r ** (1 - m))
            * 2
            * integral(lambda x: normal(x, root(v)), 0, c / (1 + r))
        ),
    ),
    "rank_one_limit_constant": ({"epsilon": E, "dimension": 5}, lambda e, m: limit_constant(e, m)),
}


def by_identity(row):
    """A usual input, each number another part of itself above, and what the fourth witness says."""
    where = {
        name: each.everyday if each.counts else (1 + place / 4) * each.everyday
        for place, (name, each) in enumerate(row.rows.items(), 1)
    }
    given = {name: Fraction(value) for name, value in where.items()}
    return where, lambda *_: IDENTITIES[row.name](mp, given)


FORMULAS |= {
    name: by_identity(QUANTITIES[name]) for name in IDENTITIES if not QUANTITIES[name].fixed
}


def by_profile(row):
    """A usual input, and the ε at which the fourth witness's δ(ε) passes δ, by halves."""
    where, _ = by_identity(row)
    given = {name: Fraction(value) for name, value in where.items()}

    def root(*_):
        low, high = Fraction(0), Fraction(16)
        while high - low > Fraction(1, 10 ** (DIGITS + 6)):
            middle = (low + high) / 2
            value = PROFILES[row.name](mp, given | {"epsilon": middle})
            low, high = (middle, high) if value > mp.mpf(where["delta"]) else (low, middle)
        return mp.mpf(low.numerator) / low.denominator

    return where, root


FORMULAS |= {
    name: by_profile(QUANTITIES[name])
    for name in PROFILES
    if name.startswith(("wrapped", "clamped"))
}


ELSEWHERE = {
    # The smallest of the maxima over all δ: found by search, in tests of the closed forms.
    "classical_epsilon_threshold",
    "dwork_roth_epsilon_threshold",
    "dwork_2006_epsilon_threshold",
    # By simulation, by directions and in three dimensions, in the tests of rank-one noise.
    "rank_one_apollonius_delta",
    "rank_one_total_variation",
    # By quadrature, closed forms and each other, in the tests of the subsampled Gaussian.
    "subsampled_delta",
    "subsampled_epsilon",
    "subsampled_schedule_delta",
    "subsampled_schedule_epsilon",
    "subsampled_sigma",
    # By those, and by all draws of small data sets, in the tests of batches drawn anew.
    "group_delta",
    "group_epsilon",
    "group_sigma",
    "fixed_size_delta",
    "fixed_size_epsilon",
    "fixed_size_sigma",
    # By an integral over one of two outputs, and by each other, in the tests of batches.
    "balls_and_bins_delta",
    "balls_and_bins_epsilon",
    # Their ends by each other, and by what all draws of few batches give, in the tests of batches.
    "random_allocation_delta",
    "random_allocation_epsilon",
    # Its ends by each other, and by every subset of few records, in the tests of truncated batches.
    "truncated_delta",
    "truncated_epsilon",
    # Their ends by each other, by strategies and small mechanisms, in the tests of selections.
    "exponential_mechanism_adaptive_delta",
    "exponential_mechanism_adaptive_epsilon",
    "permute_and_flip_repeated_delta",
    "permute_and_flip_repeated_epsilon",
    # By the test of the likelihood ratio, and by an integral of densities, in those of risk.
    "subsampled_tradeoff",
    "subsampled_power",
    "subsampled_bayes_risk",
    "subsampled_bayes_success",
    "subsampled_mu",
} | QUADRATURES


def test_every_function_has_a_formula():
    assert (set(FORMULAS) | ELSEWHERE) - FEW_STEPS == set(FUNCTIONS)
    assert {row.function or row.name for row in QUANTITIES.values()} <= {*FUNCTIONS, *FEW_STEPS}


def exactly(value):
    """A float in the formulas' arithmetic."""
    return mp.mpf(value) if isinstance(value, float) else value


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_every_witness_follows_the_formula(name):
    where, formula = FORMULAS[name]
    truth = formula(*map(exactly, where.values()))
    sign, mantissa, exponent, _ = mp.convert(truth)._mpf_
    with ctx.workprec(200):
        exact = arb((-int(mantissa) if sign else int(mantissa), int(exponent)))
        for digits in (6, DIGITS):
            ball = asked(enclosures, name, where, digits)
            # The formula itself is right to more digits than these.
            assert abs(ball.mid() - exact) <= ball.rad() + abs(exact) * arb(10) ** -(DIGITS + 2)
    value = asked(reference, name, where, DIGITS)
    assert abs(mp.mpf(value) - truth) <= abs(truth) * mp.mpf(10) ** (1 - DIGITS)
    if name not in fast.__all__:
        assert name == "rank_one_limit_constant"
        return
    found = float(np.asarray(getattr(fast, name)(**where)))
    assert abs(found - truth) <= FLOAT * abs(truth)


def asked(witness, name, where, digits):
    """An answer at some digits; whole numbers take none."""
    function = getattr(witness, name)
    try:
        found = function(**where, digits=digits)
    except TypeError:
        found = function(**where)
    return arb(found) if witness is enclosures and isinstance(found, int) else found
