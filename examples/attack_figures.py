"""Compare the attack figures of gdpnum 0.1.2 and riskcal 1.5.1 with proved ones.

The settings are those of the two libraries' own introductions, so that their readers can compare.
Both libraries and dporacle must be installed in one environment:

    pip install gdpnum==0.1.2 riskcal==1.5.1

Each line has what the library answers, the interval that the exact value lies in, and whether the
answer is inside of it or how far above or below.
"""

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

from dporacle import enclosures, risk
from dporacle.enclosures.arithmetic.rounding import bounds, float_above, float_below
from dporacle.enclosures.tradeoff.gaussian import regret_of

Interval = tuple[float, float]
Figure = tuple[str, Callable[[], float], Callable[[], Interval]]

LARGE = {"noise_multiplier": 9.4, "sample_rate": 0.328, "num_steps": 2000}
SMALL = {"noise_multiplier": 0.5, "sample_rate": 0.002, "num_steps": 100}
LONG = {"sample_rate": 0.002, "num_steps": 10_000}


def exact(value: float | str) -> Fraction:
    """Return a number as it is typed: 0.1 is one tenth."""
    return Fraction(str(value))


def proved(run: dict[str, float], noise_multiplier: float | None = None) -> risk.Figures:
    """Return the proved figures of DP-SGD, of the worse of adding and removing a record."""
    sigma = run["noise_multiplier"] if noise_multiplier is None else noise_multiplier
    rate, steps = exact(run["sample_rate"]), int(run["num_steps"])
    return _figures(exact(sigma), rate, steps)


@cache
def _figures(sigma: Fraction, rate: Fraction, steps: int) -> risk.Figures:
    setting = risk.dp_sgd(noise_multiplier=sigma, rate=rate, steps=steps, direction="both")
    return risk.Figures(setting)


def regret(run: dict[str, float], mu: float) -> Interval:
    """Return how far the Gaussian trade-off curve of a μ is from the training's."""
    low, high = bounds(regret_of(proved(run).setting.both, Fraction(mu), digits=6))
    return float_below(low), float_above(high)


def laplace_risk(prior: float) -> Interval:
    """Return the least share of wrong answers at a prior: Laplace noise, scale 1, sensitivity 1."""
    right = enclosures.laplace_bayes_success(
        prior=exact(prior), scale=Fraction(1), sensitivity=Fraction(1), digits=25
    )
    low, high = bounds(right)
    return float_below(1 - high), float_above(1 - low)


@cache
def gdpnum_mu() -> tuple[float, float]:
    """Return what gdpnum answers in its introduction: μ and regret."""
    import gdpnum

    mu, distance = gdpnum.dpsgd.get_mu_and_regret_for_dpsgd(**LARGE)
    return float(mu), float(distance)


@cache
def riskcal_run():
    """Return riskcal's accountant of the training in its introduction."""
    from riskcal.accountants.ctd import CTDAccountant

    accountant = CTDAccountant()
    for _ in range(int(SMALL["num_steps"])):
        accountant.step(noise_multiplier=0.5, sample_rate=0.002)
    return accountant


@cache
def sigma_for_advantage() -> float:
    """Return the noise multiplier that riskcal finds for an advantage of 0.1."""
    from riskcal.calibration.dpsgd import find_noise_multiplier_for_advantage

    return float(find_noise_multiplier_for_advantage(advantage=0.1, **LONG))


@cache
def sigma_for_rates() -> float:
    """Return the noise multiplier that riskcal finds for a TPR of 0.05 at an FPR of 0.01."""
    from riskcal.calibration.dpsgd import find_noise_multiplier_for_err_rates

    found = find_noise_multiplier_for_err_rates(beta=0.95, alpha=0.01, grid_step=1e-2, **LONG)
    return float(found)


def bayes_risk(prior: float) -> float:
    """Return what riskcal answers for Laplace noise at a prior."""
    from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism
    from riskcal.analysis import get_bayes_risk_from_pld

    return float(get_bayes_risk_from_pld(from_laplace_mechanism(1.0), prior))


def figures() -> Iterator[Figure]:
    """Yield each figure's name, the library's answer and the proved interval."""
    yield (
        "gdpnum μ, where both errors are 1e-10 or more",
        lambda: gdpnum_mu()[0],
        lambda: proved(LARGE).mu_above(Fraction(1, 10**10)),
    )
    yield ("gdpnum regret of this μ", lambda: gdpnum_mu()[1], lambda: regret(LARGE, gdpnum_mu()[0]))
    for fpr in (0.01, 0.05, 0.1):
        yield (
            f"riskcal FNR at an FPR of {fpr}",
            lambda fpr=fpr: float(riskcal_run().get_beta(alpha=fpr)),
            lambda fpr=fpr: proved(SMALL).fnr(exact(fpr)),
        )
    yield (
        "riskcal advantage",
        lambda: float(riskcal_run().get_advantage()),
        lambda: proved(SMALL).advantage,
    )
    yield (
        "advantage at riskcal's noise for 0.1",
        lambda: 0.1,
        lambda: proved(LONG, sigma_for_advantage()).advantage,
    )
    yield (
        "TPR at FPR 0.01 at riskcal's noise for 0.05",
        lambda: 0.05,
        lambda: proved(LONG, sigma_for_rates()).tpr(Fraction(1, 100)),
    )
    for prior in (0.5, 0.8, 0.95):
        yield (
            f"riskcal share of wrong answers, Laplace, prior {prior}",
            lambda prior=prior: bayes_risk(prior),
            lambda prior=prior: laplace_risk(prior),
        )


def compared(answer: float, interval: Interval) -> str:
    """Return where an answer is: inside of an interval, or how far outside."""
    low, high = interval
    if low <= answer <= high:
        return "inside"
    return f"{answer - high:.1e} above" if answer > high else f"{low - answer:.1e} below"


def main() -> None:
    """Print the table."""
    for name, answer, interval in figures():
        said, (low, high) = answer(), interval()
        place = compared(said, (low, high))
        sys.stdout.write(f"{name:52} {said:.8f}  [{low:.8f}, {high:.8f}]  {place}\n")


if __name__ == "__main__":
    main()
