"""OpenDP: the Gaussian measurement under zCDP, converted to (ε, δ), and its accuracy functions.

| function | quantity | mapping |
|---|---|---|
| binary_search_param over make_fix_delta of the same conversion | calibrate_sigma | |
| make_zCDP_to_approxDP(make_gaussian(sigma)).map(sensitivity).epsilon(delta) | epsilon_at_delta | |
| … .delta(epsilon) | delta_at_epsilon | |
| gaussian_scale_to_accuracy(scale, alpha) | accuracy | scale is σ |
| accuracy_to_gaussian_scale(accuracy, alpha) | sigma_at_accuracy | scale is σ |
| make_gaussian(1).map(μ) | zcdp_rho | sensitivity μ at scale 1 |
| binary_search_param over make_gaussian, for ρ | zcdp_sigma | |
| make_zCDP_to_approxDP(make_gaussian(1)).map(μ).delta(ε) | rdp_delta | the same conversion |
| binary_search_param over make_laplace, for ε | laplace_calibrate_scale | δ = 0 |
| make_laplace(scale).map(sensitivity) | laplace_epsilon_at_delta | δ = 0 |
| make_pureDP_to_zCDP of it | laplace_zcdp_rho | ε²/2, which bounds it |
| laplacian_scale_to_accuracy(scale, alpha) | laplace_accuracy | |
| accuracy_to_laplacian_scale(accuracy, alpha) | laplace_scale_at_accuracy | |
| the same over integers | discrete_delta_at_epsilon | its noise is then the discrete Gaussian |
| discrete_gaussian_scale_to_accuracy(scale, alpha) − 1 | discrete_accuracy | see below |
| accuracy_to_discrete_gaussian_scale(a + 1, alpha) | discrete_sigma_at_accuracy | see below |
| make_composition of k make_gaussian(1), .map(μ) | repeated_rho | |
| make_zCDP_to_approxDP of k make_gaussian(σ), .epsilon(δ) | repeated_epsilon | |
| … .delta(ε) | repeated_delta | |
| … of k make_laplace(b) by make_pureDP_to_zCDP, .delta(ε) | laplace_repeated_delta | |
| … of one and make_lipschitz_float_mul(μ) >> make_gaussian(1) | laplace_gaussian_delta | Δ = 1 |
| … of k make_randomized_response(values, p), .delta(ε) | randomised_response_delta | p too large |
| make_composition of k (ε₀, δ₀)-DP ones, .map(1) as a δ(ε) | box_composition_delta | see below |
| make_count_by >> then_laplace_threshold(b, τ), .map(1)[1] | integer_count_threshold_delta | |
| make_sum of 8 values in [−1, 1] >> then_gaussian(σ), .map(2) | epsilon_at_delta | replace-one |
| … >> then_laplace(b), .map(2) | laplace_epsilon_at_delta | replace-one |
| the same of a sum whose metric is ChangeOneDistance, .map(1) | epsilon_at_delta | replace-one |
| make_sum of values in [−1, 1], of any number, .map(1) | the same two | add-remove |
| make_sum of any number of values, .map(1) | sum_sensitivity | |
| make_sum of a fixed number of values, .map(2) | sum_sensitivity_replace | |
| make_mean, make_variance of a fixed number, .map(2) | mean_sensitivity, variance_sensitivity | |
| make_sum_of_squared_deviations of a fixed number, .map(2) | squared_deviations_sensitivity | |
| make_noisy_max under MaxDivergence, .map(1) | laplace_epsilon_at_delta | see below |
| … under ZeroConcentratedDivergence, .map(Δ) | exponential_mechanism_zcdp_rho | see below |
| make_zCDP_to_approxDP of it, .epsilon(δ), .delta(ε) | exponential_mechanism_epsilon, δ | |
| … of make_composition of n of it | exponential_mechanism_repeated_epsilon, δ too | scale 1 |
| … of make_adaptive_composition of it | exponential_mechanism_adaptive_epsilon, δ too | scale 1 |
| … by make_pureDP_to_zCDP, of MaxDivergence | permute_and_flip_repeated_epsilon, δ too | scale 1 |

| sampler | law | mapping |
|---|---|---|
| make_gaussian over a vector of floats | gaussian | scale is σ, the default grid |
| make_gaussian over a vector of integers | discrete | scale is σ |
| make_laplace over a vector of floats | laplace | scale is b, the default grid |

Distances between data sets are its SymmetricDistance, "The smallest number of additions or removals
to make two datasets equivalent" (docs.rs, opendp::metrics): 2 where one record replaces another.
ChangeOneDistance is "The smallest number of changes to make two equal-length datasets equivalent".
Values are in [−1, 1], so that C = 1; the sum of floats costs a rounding, which is on the safe side,
and where a record is more or less, the whole width of the bounds instead of C.

Of two candidates noisy max with exponential noise tells the sign of the difference of their scores
with Laplace noise of scale b, and any number of candidates gives away no more than its ε. Where
each score moves by C = 1 the difference moves by 2C, as where a record is replaced; where all rise
or all fall (`monotonic`), by C. Under zCDP it draws Gumbel noise, and is the exponential mechanism:
there `monotonic` is asked about scores that move by 2Δ, of which no difference moves by more.

Randomised response is true with probability p, which is no float: it is rounded up, and so is what
it tells. An (ε₀, δ₀) measurement is one of a user's own (make_user_measurement), and what
make_composition adds up is read as a δ(ε) by make_fixed_approxDP_to_approxDP.

Its scores of a quantile are not asked about: where the number of records is open they are whole
multiples of 10⁻⁴, so of another quantile than the one that is asked for.

Its discrete accuracy a is documented with α = Pr[error ≥ a], ours with Pr[error > a] ≤ α.
The conversion from zCDP is a bound, so its answers are above the truth by design.
"""

import math
import os
from fractions import Fraction

# Its Python turns Rust's backtraces on, with which a refusal takes sixty milliseconds; to set this
# is its own way to turn them off. Searches are asked with them, as users have them: where refusals
# are many, these are what takes the time.
os.environ["RUST_BACKTRACE"] = "0"

import opendp.prelude as dp
from opendp.accuracy import (
    accuracy_to_discrete_gaussian_scale,
    accuracy_to_gaussian_scale,
    accuracy_to_laplacian_scale,
    discrete_gaussian_scale_to_accuracy,
    gaussian_scale_to_accuracy,
    laplacian_scale_to_accuracy,
)
from opendp.mod import OpenDPException

DISTRIBUTION = "opendp"
REFUSALS = (OpenDPException,)

dp.enable_features("contrib")
_MOST_RELEASES = 1000
_MOST_VALUES = 10_000


class _NotAskedError(Exception):
    """More releases than can be listed, or what a conversion does not speak of."""


SKIPS = (_NotAskedError,)
_DOMAIN = dp.atom_domain(T=float, nan=False)
_METRIC = dp.absolute_distance(T=float)


def _converted(sigma):
    return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(_DOMAIN, _METRIC, sigma))


def _sigma(epsilon, delta, sensitivity):
    def make(scale):
        return dp.c.make_fix_delta(_converted(scale), delta)

    return _searched(make, sensitivity, (epsilon, delta))


def _searched(make, *given):
    os.environ.update(RUST_BACKTRACE="1")  # read when the first error is made
    return dp.binary_search_param(make, *given, T=float)


def _zcdp_sigma(rho, sensitivity):
    return _searched(lambda scale: dp.m.make_gaussian(_DOMAIN, _METRIC, scale), sensitivity, rho)


def _laplace(scale):
    return dp.m.make_laplace(_DOMAIN, _METRIC, scale)


def _laplace_scale(epsilon, sensitivity):
    return _searched(_laplace, sensitivity, epsilon)


def _discrete_delta(epsilon, sigma, sensitivity):
    measurement = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), sigma)
    return dp.c.make_zCDP_to_approxDP(measurement).map(int(sensitivity)).delta(epsilon)


def _together(measurement, releases):
    if releases > _MOST_RELEASES:
        raise _NotAskedError(f"{releases:g} measurements are more than the adapter makes")
    return dp.c.make_composition([measurement] * int(releases))


def _composed(mu, releases):
    return _together(dp.m.make_gaussian(_DOMAIN, _METRIC, 1.0), releases).map(mu)


def _repeated(sigma, releases, sensitivity):
    measurement = _together(dp.m.make_gaussian(_DOMAIN, _METRIC, sigma), releases)
    return dp.c.make_zCDP_to_approxDP(measurement).map(sensitivity)


def _repeated_laplace(epsilon, scale, releases, sensitivity):
    measurement = _together(dp.c.make_pureDP_to_zCDP(_laplace(scale)), releases)
    return dp.c.make_zCDP_to_approxDP(measurement).map(sensitivity).delta(epsilon)


def _laplace_and_gaussian(epsilon, scale, mu):
    times = dp.t.make_lipschitz_float_mul(_DOMAIN, _METRIC, mu, bounds=(0.0, 1.0))
    both = [
        dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(_DOMAIN, _METRIC, scale)),
        times >> dp.m.then_gaussian(1.0),
    ]
    return dp.c.make_zCDP_to_approxDP(dp.c.make_composition(both)).map(1.0).delta(epsilon)


def _reports(epsilon, report_epsilon, kinds, releases):
    if not kinds <= _MOST_VALUES:
        raise _NotAskedError(f"{kinds:g} values are more than the adapter lists")
    false = (kinds - 1) * math.exp(-report_epsilon)
    false *= (1 - 2.0**-48) / (1 + false)
    true = 1 - false
    if math.isfinite(true) and Fraction(true) + Fraction(false) < 1:  # rounded down
        true = math.nextafter(true, 1)
    if true == 1 and report_epsilon < math.inf:
        raise _NotAskedError(f"no float below 1 is true so often: {report_epsilon!r}")
    one = dp.m.make_randomized_response(list(range(int(kinds))), true, T=int)
    measurement = _together(dp.c.make_pureDP_to_zCDP(one), releases)
    return dp.c.make_zCDP_to_approxDP(measurement).map(1).delta(epsilon)


def _boxes(epsilon, box_epsilon, box_delta, releases):
    dp.enable_features("honest-but-curious")  # for a measurement of one's own
    one = dp.m.make_user_measurement(
        _DOMAIN,
        _METRIC,
        dp.approximate(dp.max_divergence()),
        function=lambda _: 0.0,
        privacy_map=lambda _: (box_epsilon, box_delta),
        TO=float,
    )
    composed = dp.c.make_fixed_approxDP_to_approxDP(_together(one, releases))
    return composed.map(1.0).delta(epsilon)


FUNCTIONS = {
    "binary_search_param(make_gaussian)": ("calibrate_sigma", _sigma),
    "zCDP_to_approxDP.epsilon": (
        "epsilon_at_delta",
        lambda delta, sigma, sensitivity: _converted(sigma).map(sensitivity).epsilon(delta),
    ),
    "zCDP_to_approxDP.delta": (
        "delta_at_epsilon",
        lambda epsilon, sigma, sensitivity: _converted(sigma).map(sensitivity).delta(epsilon),
    ),
    "gaussian_scale_to_accuracy": (
        "accuracy",
        lambda alpha, sigma: gaussian_scale_to_accuracy(sigma, alpha),
    ),
    "accuracy_to_gaussian_scale": (
        "sigma_at_accuracy",
        lambda accuracy, alpha: accuracy_to_gaussian_scale(accuracy, alpha),
    ),
}
FUNCTIONS |= {
    "make_gaussian.map": ("zcdp_rho", lambda mu: dp.m.make_gaussian(_DOMAIN, _METRIC, 1.0).map(mu)),
    "binary_search_param(make_gaussian, rho)": ("zcdp_sigma", _zcdp_sigma),
    "zCDP_to_approxDP.delta, mu": (
        "rdp_delta",
        lambda epsilon, mu: _converted(1.0).map(mu).delta(epsilon),
    ),
    "zCDP_to_approxDP.delta, integers": ("discrete_delta_at_epsilon", _discrete_delta),
    "discrete_gaussian_scale_to_accuracy": (
        "discrete_accuracy",
        lambda alpha, sigma: discrete_gaussian_scale_to_accuracy(sigma, alpha) - 1,
    ),
    "accuracy_to_discrete_gaussian_scale": (
        "discrete_sigma_at_accuracy",
        lambda error, alpha: accuracy_to_discrete_gaussian_scale(error + 1, alpha),
    ),
    "make_composition(make_gaussian).map": ("repeated_rho", _composed),
    "make_composition(make_gaussian), zCDP_to_approxDP.epsilon": (
        "repeated_epsilon",
        lambda delta, sigma, releases, sensitivity: _repeated(sigma, releases, sensitivity).epsilon(
            delta
        ),
    ),
    "make_composition(make_gaussian), zCDP_to_approxDP.delta": (
        "repeated_delta",
        lambda epsilon, sigma, releases, sensitivity: _repeated(sigma, releases, sensitivity).delta(
            epsilon
        ),
    ),
    "make_composition(make_laplace), zCDP_to_approxDP.delta": (
        "laplace_repeated_delta",
        _repeated_laplace,
    ),
    "make_composition(make_laplace, make_gaussian), zCDP_to_approxDP.delta": (
        "laplace_gaussian_delta",
        _laplace_and_gaussian,
    ),
    "make_composition(make_randomized_response), zCDP_to_approxDP.delta": (
        "randomised_response_delta",
        _reports,
    ),
    "make_composition(make_user_measurement).map": ("box_composition_delta", _boxes),
}


def _shown(threshold, scale):
    if not math.isfinite(threshold):
        raise _NotAskedError(f"not a whole number: {threshold!r}")
    counts = dp.t.make_count_by(dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
    return (counts >> dp.m.then_laplace_threshold(scale=scale, threshold=int(threshold))).map(1)[1]


_BOUNDED = dp.atom_domain(bounds=(-1.0, 1.0), nan=False)


def _summed(noise, size=8):
    return dp.t.make_sum(dp.vector_domain(_BOUNDED, size=size), dp.symmetric_distance()) >> noise


def _changed(sigma):
    space = dp.vector_domain(_BOUNDED, size=8), dp.change_one_distance()
    summed = dp.t.make_metric_unbounded(*space) >> dp.t.then_sum()
    return dp.c.make_zCDP_to_approxDP(summed >> dp.m.then_gaussian(sigma))


def _noisy_max(scale, monotonic, measure):
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    metric = dp.linf_distance(T=float, monotonic=monotonic)
    return dp.m.make_noisy_max(space, metric, measure, scale)


def _selection(scale, monotonic=False):
    return _noisy_max(scale, monotonic, dp.zero_concentrated_divergence())


def _selected(delta, scale, sensitivity):
    if delta == 0:
        raise _NotAskedError("from zCDP follows no pure ε: it says infinity, which is true")
    return dp.c.make_zCDP_to_approxDP(_selection(scale)).map(sensitivity).epsilon(delta)


def _selections(selection_epsilon, releases):
    if math.frexp(selection_epsilon)[1] < -1000:
        raise _NotAskedError(f"half of it may be rounded: {selection_epsilon!r}")
    selections = dp.c.make_zCDP_to_approxDP(_together(_selection(1.0), releases))
    return selections.map(selection_epsilon / 2)


def _selections_epsilon(delta, selection_epsilon, releases):
    if delta == 0:
        raise _NotAskedError("from zCDP follows no pure ε: it says infinity, which is true")
    return _selections(selection_epsilon, releases).epsilon(delta)


def _adaptive(selection, selection_epsilon, releases):
    if math.frexp(selection_epsilon)[1] < -1000:
        raise _NotAskedError(f"half of it may be rounded: {selection_epsilon!r}")
    if releases > _MOST_RELEASES:
        raise _NotAskedError(f"{releases:g} measurements are more than the adapter makes")
    moved = selection_epsilon / 2
    return dp.c.make_zCDP_to_approxDP(
        dp.c.make_adaptive_composition(
            selection.input_domain,
            selection.input_metric,
            dp.zero_concentrated_divergence(),
            d_in=moved,
            d_mids=[selection.map(moved)] * int(releases),
        )
    ).map(moved)


def _flip():
    return dp.c.make_pureDP_to_zCDP(_noisy_max(1.0, False, dp.max_divergence()))


_JOINED = {"relation": "add-remove", "unit": "clipping norm"}
_REPLACED = {"relation": "replace-one", "unit": "clipping norm"}
FUNCTIONS |= {
    "then_laplace_threshold.map": ("integer_count_threshold_delta", _shown),
    "make_sum >> then_gaussian, replaced": (
        "epsilon_at_delta",
        lambda delta, sigma: (
            dp.c.make_zCDP_to_approxDP(_summed(dp.m.then_gaussian(sigma))).map(2).epsilon(delta)
        ),
        _REPLACED,
    ),
    "make_sum of a ChangeOneDistance >> then_gaussian": (
        "epsilon_at_delta",
        lambda delta, sigma: _changed(sigma).map(1).epsilon(delta),
        _REPLACED,
    ),
    "make_sum >> then_gaussian, a record more or less": (
        "epsilon_at_delta",
        lambda delta, sigma: (
            dp.c.make_zCDP_to_approxDP(_summed(dp.m.then_gaussian(sigma), size=None))
            .map(1)
            .epsilon(delta)
        ),
        _JOINED,
    ),
    "make_sum >> then_laplace, a record more or less": (
        "laplace_epsilon_at_delta",
        lambda scale: _summed(dp.m.then_laplace(scale), size=None).map(1),
        _JOINED,
    ),
    "make_sum >> then_laplace, replaced": (
        "laplace_epsilon_at_delta",
        lambda scale: _summed(dp.m.then_laplace(scale)).map(2),
        _REPLACED,
    ),
}
FUNCTIONS |= {
    "make_noisy_max.map": (
        "laplace_epsilon_at_delta",
        lambda scale: _noisy_max(scale, monotonic=False, measure=dp.max_divergence()).map(1.0),
        _REPLACED,
    ),
    "make_noisy_max.map, monotonic": (
        "laplace_epsilon_at_delta",
        lambda scale: _noisy_max(scale, monotonic=True, measure=dp.max_divergence()).map(1.0),
        _JOINED,
    ),
    "make_noisy_max.map, zCDP": (
        "exponential_mechanism_zcdp_rho",
        lambda scale, sensitivity: _selection(scale).map(sensitivity),
    ),
    "make_noisy_max.map, zCDP, monotonic": (
        "exponential_mechanism_zcdp_rho",
        lambda scale, sensitivity: _selection(scale, monotonic=True).map(2 * sensitivity),
    ),
    "zCDP_to_approxDP(make_noisy_max).epsilon": ("exponential_mechanism_epsilon", _selected),
    "zCDP_to_approxDP(make_noisy_max).delta": (
        "exponential_mechanism_delta",
        lambda epsilon, scale, sensitivity: (
            dp.c.make_zCDP_to_approxDP(_selection(scale)).map(sensitivity).delta(epsilon)
        ),
    ),
    "make_composition(make_noisy_max), zCDP_to_approxDP.epsilon": (
        "exponential_mechanism_repeated_epsilon",
        _selections_epsilon,
    ),
    "make_composition(make_noisy_max), zCDP_to_approxDP.delta": (
        "exponential_mechanism_repeated_delta",
        lambda epsilon, selection_epsilon, releases: _selections(selection_epsilon, releases).delta(
            epsilon
        ),
    ),
    "make_adaptive_composition(make_noisy_max), zCDP_to_approxDP.epsilon": (
        "exponential_mechanism_adaptive_epsilon",
        lambda delta, selection_epsilon, releases: _adaptive(
            _selection(1.0), selection_epsilon, releases
        ).epsilon(delta),
    ),
    "make_adaptive_composition(make_noisy_max), zCDP_to_approxDP.delta": (
        "exponential_mechanism_adaptive_delta",
        lambda epsilon, selection_epsilon, releases: _adaptive(
            _selection(1.0), selection_epsilon, releases
        ).delta(epsilon),
    ),
    "make_adaptive_composition(pureDP_to_zCDP(make_noisy_max)), zCDP_to_approxDP.epsilon": (
        "permute_and_flip_repeated_epsilon",
        lambda delta, selection_epsilon, releases: _adaptive(
            _flip(), selection_epsilon, releases
        ).epsilon(delta),
    ),
    "make_adaptive_composition(pureDP_to_zCDP(make_noisy_max)), zCDP_to_approxDP.delta": (
        "permute_and_flip_repeated_delta",
        lambda epsilon, selection_epsilon, releases: _adaptive(
            _flip(), selection_epsilon, releases
        ).delta(epsilon),
    ),
}
NOTES = dict.fromkeys(
    ("accuracy_to_discrete_gaussian_scale", "discrete_gaussian_scale_to_accuracy"),
    "OpenDP's accuracy a has α = Pr[error ≥ a], ours Pr[error > a] ≤ α: error = 6 is a = 7",
)
NOTES |= {
    "make_sum of a ChangeOneDistance >> then_gaussian": "ChangeOneDistance: 'The smallest number "
    "of changes to make two equal-length datasets equivalent'; C = 1"
}
NOTES |= {
    name: "the sign of the difference of two scores with Laplace noise; each score moves by 1"
    for name in FUNCTIONS
    if name.startswith("make_noisy_max") and "zCDP" not in name
}
NOTES |= {
    name: "SymmetricDistance: 'The smallest number of additions or removals to make two datasets "
    "equivalent'; one record replaced is 2 of them, and C = 1"
    for name in FUNCTIONS
    if "replaced" in name or "more or less" in name
}
FUNCTIONS |= {
    "binary_search_param(make_laplace)": ("laplace_calibrate_scale", _laplace_scale),
    "make_laplace.map": (
        "laplace_epsilon_at_delta",
        lambda scale, sensitivity: _laplace(scale).map(sensitivity),
    ),
    "pureDP_to_zCDP(make_laplace).map": (
        "laplace_zcdp_rho",
        lambda scale, sensitivity: dp.c.make_pureDP_to_zCDP(_laplace(scale)).map(sensitivity),
    ),
    "laplacian_scale_to_accuracy": (
        "laplace_accuracy",
        lambda alpha, scale: laplacian_scale_to_accuracy(scale, alpha),
    ),
    "accuracy_to_laplacian_scale": (
        "laplace_scale_at_accuracy",
        lambda accuracy, alpha: accuracy_to_laplacian_scale(accuracy, alpha),
    ),
}


def _values(lower, upper, size=None):
    return dp.vector_domain(dp.atom_domain(bounds=(lower, upper), nan=False), size=size)


def _counted(records):
    if records >= _MOST_RECORDS:
        raise _NotAskedError(f"{records:g} records are more than a size has")
    return int(records)


_MOST_RECORDS = 2.0**31  # of its i32
FUNCTIONS |= {
    "make_sum.map": (
        "sum_sensitivity",
        lambda lower, upper: dp.t.make_sum(_values(lower, upper), dp.symmetric_distance()).map(1),
    ),
    "make_sum.map, replaced": (
        "sum_sensitivity_replace",
        lambda lower, upper: dp.t.make_sum(_values(lower, upper, 8), dp.symmetric_distance()).map(
            2
        ),
    ),
    "make_mean.map, replaced": (
        "mean_sensitivity",
        lambda lower, upper, records: dp.t.make_mean(
            _values(lower, upper, _counted(records)), dp.symmetric_distance()
        ).map(2),
    ),
    "make_variance.map, replaced": (
        "variance_sensitivity",
        lambda lower, upper, records, ddof: dp.t.make_variance(
            _values(lower, upper, _counted(records)), dp.symmetric_distance(), ddof=int(ddof)
        ).map(2),
    ),
    "make_sum_of_squared_deviations.map, replaced": (
        "squared_deviations_sensitivity",
        lambda lower, upper, records: dp.t.make_sum_of_squared_deviations(
            _values(lower, upper, _counted(records)), dp.symmetric_distance()
        ).map(2),
    ),
}
SLOW = {
    "binary_search_param(make_gaussian)",
    "binary_search_param(make_gaussian, rho)",
    "binary_search_param(make_laplace)",
    # Their conversion is asked in full as zCDP_to_approxDP.epsilon; they build a sum before it.
    *(name for name in FUNCTIONS if name.startswith("make_sum") and "gaussian" in name),
}


def _sampler(make, kind, metric, **atoms):
    space = dp.vector_domain(dp.atom_domain(T=kind, **atoms)), metric(T=kind)

    def made(scale):
        measurement = make(*space, scale)
        return lambda value, rows, dimension: measurement([kind(value)] * (rows * dimension))

    return made


_GAUSSIAN = _sampler(dp.m.make_gaussian, float, dp.l2_distance, nan=False)
_DISCRETE = _sampler(dp.m.make_gaussian, int, dp.l2_distance)
SAMPLERS = {
    "make_gaussian": ("gaussian", lambda sigma: _GAUSSIAN(sigma)),
    "make_gaussian, integers": ("discrete", lambda sigma: _DISCRETE(sigma)),
    "make_laplace": ("laplace", _sampler(dp.m.make_laplace, float, dp.l1_distance, nan=False)),
}
