"""dp-accounting (Google): exact conversions, and the privacy loss distribution's own.

| function | quantity | mapping |
|---|---|---|
| gaussian_mechanism.get_sigma_gaussian(epsilon, delta) | calibrate_sigma | sensitivity 1 |
| gaussian_mechanism.get_epsilon_gaussian(sigma, delta) | epsilon_at_delta | sensitivity 1 |
| pld.accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity) | calibrate_sigma | |
| calibrate_dp_mechanism(PLDAccountant, GaussianDpEvent), RDP too | calibrate_sigma | Δ = 1 |
| the same accountants: compose(GaussianDpEvent(σ)), get_epsilon(δ) | epsilon_at_delta | Δ = 1 |
| pld GaussianPrivacyLoss(sigma, sensitivity).get_delta_for_epsilon(epsilon) | delta_at_epsilon | |
| get_smallest_gaussian_noise(parameters, releases, sensitivity) | repeated_sigma | |
| the accountants: compose(event, releases), get_epsilon(δ) | repeated_epsilon | Δ = 1 |
| … get_delta(ε) | repeated_delta | Δ = 1 |
| … by a ComposedDpEvent of up to 1,000 (RDP) or 30 equal events | repeated_epsilon | Δ = 1 |
| pld DiscreteGaussianPrivacyLoss(σ, Δ).get_delta_for_epsilon(ε) | discrete_delta_at_epsilon | |
| DiscreteGaussianPrivacyLoss.from_privacy_guarantee(ε, δ) | discrete_calibrate_sigma | its σ |
| pld LaplacePrivacyLoss(b, Δ).get_delta_for_epsilon(ε) | laplace_delta_at_epsilon | |
| LaplacePrivacyLoss.from_privacy_guarantee(ε, δ) | laplace_calibrate_scale | its parameter |
| get_smallest_laplace_noise(parameters, 1, Δ) | laplace_calibrate_scale | |
| the accountants: compose(LaplaceDpEvent(b)), get_epsilon(δ) | laplace_epsilon_at_delta | Δ = 1 |
| … compose(LaplaceDpEvent(b), releases), get_delta(ε) | laplace_repeated_delta | Δ = 1 |
| … with GaussianDpEvent(1/μ), get_delta(ε) | laplace_gaussian_delta | Δ = 1, 1/μ exact |
| from_privacy_parameters(ε₀, δ₀), self_compose(k), its δ at ε | box_composition_delta | |
| … its ε at δ | box_composition_epsilon | |
| from_randomized_response(p, kinds), the same | randomised_response_delta | p too small |
| … its ε at δ | randomised_response_epsilon | p too small |
| … by an accountant at REPLACE_ONE, its δ | randomised_response_delta | p too small |
| the accountants: PoissonSampledDpEvent(q, GaussianDpEvent(σ)) T times | subsampled_epsilon | |
| … get_delta(ε) | subsampled_delta | |
| the accountants, two such events | subsampled_phases_epsilon | |
| the accountants under REPLACE_ONE and REPLACE_SPECIAL | the same, under that relation | |
| calibrate_dp_mechanism(PLDAccountant, those events), RDP too | subsampled_sigma | |
| the same with SampledWithoutReplacementDpEvent(n, b, event) | fixed_size_epsilon | q = b/n |
| … get_delta(ε) | fixed_size_delta | |
| PLDAccountant: TruncatedSubsampledGaussianDpEvent(n, q, B, σ), δ | truncated_delta | T times |
| the same, ε | truncated_epsilon | T times |
| PLDAccountant: MixtureOfGaussiansDpEvent(σ, 0…k, binomial) | subsampled_group_epsilon | T times |
| … get_delta(ε) | subsampled_group_delta | |
| from_mixture_gaussian_mechanism(…, 1e-3).self_compose(T) | subsampled_group_epsilon | |
| RdpAccountant: ZCDpEvent(1/(2σ²)), get_epsilon(δ) | epsilon_at_delta | ρ rounded up |
| … RepeatAndSelectDpEvent(GaussianDpEvent(σ), 1, 1) | epsilon_at_delta | one run is selected |
| PLDAccountant: DiscreteLaplaceDpEvent(1/b, Δ), ε at 0 | laplace_epsilon_at_delta | see below |
| … (REPLACE_SPECIAL): SingleEpochTreeAggregationDpEvent(σ, 2^(k−1)) | repeated_epsilon | RDP |

Randomised response draws from all values with probability p, here 1 − 2^-48 times what it should
be: p is no float, and less noise is a bound for more. ε₀ is then beyond its point of the grid.

A tree on 2^(k−1) leaves is k releases: a record is in one leaf, and a leaf is in k nodes. So are
two trees on 2^(k/2) − 1 leaves, one after the other, and one on 2^k − 1.

Gaussian noise of σ is 1/(2σ²)-zCDP, so an ε for all of these is one for it. A geometric number of
runs whose mean is 1 is always 1. Of integers the discrete Laplace noise exp(−|x|/b) has the largest
loss that Laplace noise has, Δ/b, where Δ is whole; only ε at δ = 0 is asked.

Noise is over the clipping norm C: `GaussianDpEvent` says "If the norms of the values are bounded
||v_i|| <= C, the noise_multiplier is defined as s / C", and `LaplaceDpEvent` the same of "the L_1
norm" (dp_event.py). REPLACE_SPECIAL is "A record is replaced with a special record, such as the
'zero record'" (privacy_accountant.py). So REPLACE_ONE moves a sum by 2C.
"""

import math
from fractions import Fraction

from dp_accounting import (
    ComposedDpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    NeighboringRelation,
    PoissonSampledDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
    SingleEpochTreeAggregationDpEvent,
    TruncatedSubsampledGaussianDpEvent,
    calibrate_dp_mechanism,
    gaussian_mechanism,
)
from dp_accounting.dp_event import (
    DiscreteLaplaceDpEvent,
    MixtureOfGaussiansDpEvent,
    RandomizedResponseDpEvent,
    RepeatAndSelectDpEvent,
    ZCDpEvent,
)
from dp_accounting.pld import (
    PLDAccountant,
    accountant,
    common,
    privacy_loss_distribution,
    privacy_loss_mechanism,
)
from dp_accounting.rdp import RdpAccountant

DISTRIBUTION = "dp-accounting"

# So long a list takes some tenths of a second; more releases are told as so many equal parts.
_MOST_LISTED = {"RDP": 1000, "PLD": 30}


def _smallest_noise(epsilon, delta, sensitivity):
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return accountant.get_smallest_gaussian_noise(parameters, 1, sensitivity)


def _delta(epsilon, sigma, sensitivity):
    loss = privacy_loss_mechanism.GaussianPrivacyLoss(sigma, sensitivity)
    return loss.get_delta_for_epsilon(epsilon)


def _calibrated(kind):
    return lambda epsilon, delta: calibrate_dp_mechanism(kind, GaussianDpEvent, epsilon, delta)


def _composed(kind):
    return lambda delta, sigma: kind().compose(GaussianDpEvent(sigma)).get_epsilon(delta)


def _repeated_noise(epsilon, delta, releases, sensitivity):
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return accountant.get_smallest_gaussian_noise(parameters, int(releases), sensitivity)


def _repeated_epsilon(kind):
    def epsilon(delta, sigma, releases):
        return kind().compose(GaussianDpEvent(sigma), int(releases)).get_epsilon(delta)

    return epsilon


def _repeated_delta(kind):
    def delta(epsilon, sigma, releases):
        return kind().compose(GaussianDpEvent(sigma), int(releases)).get_delta(epsilon)

    return delta


def _listed_epsilon(kind, most):
    def epsilon(delta, sigma, releases):
        count = int(releases)
        parts = [(count - 1 - i) // most + 1 for i in range(min(count, most))]
        # A count that is to be refused is handed on: no part of it would be what was asked.
        events = [SelfComposedDpEvent(GaussianDpEvent(sigma), n) for n in parts or [count]]
        return kind().compose(ComposedDpEvent(events)).get_epsilon(delta)

    return epsilon


def _discrete_delta(epsilon, sigma, sensitivity):
    loss = privacy_loss_mechanism.DiscreteGaussianPrivacyLoss(sigma, int(sensitivity))
    return loss.get_delta_for_epsilon(epsilon)


def _discrete_sigma(epsilon, delta, sensitivity):
    loss = privacy_loss_mechanism.DiscreteGaussianPrivacyLoss.from_privacy_guarantee(
        common.DifferentialPrivacyParameters(epsilon, delta), int(sensitivity)
    )
    return loss._sigma


class _NotAskedError(Exception):
    """1/μ is no float64, or q no quotient: what happens then would be the adapter's doing."""


SKIPS = (_NotAskedError,)


def _zcdp_epsilon(delta, sigma):
    exact = 1 / (2 * Fraction(sigma) ** 2)
    rho = float(exact)
    rho = rho if rho >= exact else math.nextafter(rho, math.inf)
    return RdpAccountant().compose(ZCDpEvent(rho)).get_epsilon(delta)


def _selected_epsilon(delta, sigma):
    event = RepeatAndSelectDpEvent(GaussianDpEvent(sigma), 1.0, 1.0)
    return RdpAccountant().compose(event).get_epsilon(delta)


def _discrete_laplace_epsilon(scale, sensitivity):
    if sensitivity % 1 or Fraction(1 / scale) * Fraction(scale) != 1:
        raise _NotAskedError(f"sensitivity {sensitivity!r} and scale {scale!r}")
    event = DiscreteLaplaceDpEvent(1 / scale, int(sensitivity))
    return PLDAccountant().compose(event).get_epsilon(0.0)


def _laplace_delta(epsilon, scale, sensitivity):
    loss = privacy_loss_mechanism.LaplacePrivacyLoss(scale, sensitivity)
    return loss.get_delta_for_epsilon(epsilon)


def _laplace_scale(epsilon, delta, sensitivity):
    loss = privacy_loss_mechanism.LaplacePrivacyLoss.from_privacy_guarantee(
        common.DifferentialPrivacyParameters(epsilon, delta), sensitivity
    )
    return loss.parameter


def _smallest_laplace(epsilon, delta, sensitivity):
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return accountant.get_smallest_laplace_noise(parameters, 1, sensitivity)


def _laplace_epsilon(kind):
    return lambda delta, scale: kind().compose(LaplaceDpEvent(scale)).get_epsilon(delta)


def _laplace_repeated(epsilon, scale, releases):
    return PLDAccountant().compose(LaplaceDpEvent(scale), int(releases)).get_delta(epsilon)


def _laplace_gaussian(epsilon, scale, mu):
    if not 0 < mu < math.inf or math.frexp(mu)[0] != 0.5:
        raise _NotAskedError(f"1/μ is rounded at μ={mu!r}")
    both = PLDAccountant().compose(LaplaceDpEvent(scale)).compose(GaussianDpEvent(1 / mu))
    return both.get_delta(epsilon)


def _of_boxes(box_epsilon, box_delta, releases):
    parameters = common.DifferentialPrivacyParameters(box_epsilon, box_delta)
    one = privacy_loss_distribution.from_privacy_parameters(parameters)
    return one.self_compose(int(releases))


def _boxes(epsilon, box_epsilon, box_delta, releases):
    return _of_boxes(box_epsilon, box_delta, releases).get_delta_for_epsilon(epsilon)


def _boxes_epsilon(delta, box_epsilon, box_delta, releases):
    return _of_boxes(box_epsilon, box_delta, releases).get_epsilon_for_delta(delta)


def _noise_of_reports(report_epsilon, kinds):
    share = kinds * math.exp(-report_epsilon) / (1 + (kinds - 1) * math.exp(-report_epsilon))
    return share * (1 - 2.0**-48)


def _accounted_reports(kind):
    def delta(epsilon, report_epsilon, kinds, releases):
        event = RandomizedResponseDpEvent(_noise_of_reports(report_epsilon, kinds), int(kinds))
        accountant = kind(neighboring_relation=NeighboringRelation.REPLACE_ONE)
        return accountant.compose(event, int(releases)).get_delta(epsilon)

    return delta


def _of_reports(report_epsilon, kinds, releases):
    less = _noise_of_reports(report_epsilon, kinds)
    one = privacy_loss_distribution.from_randomized_response(less, int(kinds))
    return one.self_compose(int(releases))


def _reports(epsilon, report_epsilon, kinds, releases):
    return _of_reports(report_epsilon, kinds, releases).get_delta_for_epsilon(epsilon)


def _reports_epsilon(delta, report_epsilon, kinds, releases):
    return _of_reports(report_epsilon, kinds, releases).get_epsilon_for_delta(delta)


def _run(sigma, rate, steps):
    return SelfComposedDpEvent(PoissonSampledDpEvent(rate, GaussianDpEvent(sigma)), int(steps))


def _batches(sigma, rate, steps):
    if not math.isfinite(rate):
        raise _NotAskedError(f"no counts have the quotient {rate!r}")
    batch, records = rate.as_integer_ratio()
    event = SampledWithoutReplacementDpEvent(records, batch, GaussianDpEvent(sigma))
    return SelfComposedDpEvent(event, int(steps))


def _sampled(make, answer):
    """Return what an accountant says of one phase and of two."""

    def one(given, sigma, rate, steps):
        return answer(make().compose(_run(sigma, rate, steps)), given)

    def two(given, sigma, rate, steps, later_sigma, later_rate, later_steps):
        accountant = make().compose(_run(sigma, rate, steps))
        return answer(accountant.compose(_run(later_sigma, later_rate, later_steps)), given)

    return one, two


def _subsampled_sigma(make):
    return lambda epsilon, delta, rate, steps: calibrate_dp_mechanism(
        make, lambda sigma: _run(sigma, rate, steps), epsilon, delta
    )


_ACCOUNTANTS = {"PLD": PLDAccountant, "RDP": RdpAccountant}

FUNCTIONS = {
    "get_sigma_gaussian": (
        "calibrate_sigma",
        lambda epsilon, delta: gaussian_mechanism.get_sigma_gaussian(epsilon, delta),
    ),
    "get_smallest_gaussian_noise": ("calibrate_sigma", _smallest_noise),
    "get_epsilon_gaussian": (
        "epsilon_at_delta",
        lambda delta, sigma: gaussian_mechanism.get_epsilon_gaussian(sigma, delta),
    ),
    "GaussianPrivacyLoss.get_delta_for_epsilon": ("delta_at_epsilon", _delta),
    "get_smallest_gaussian_noise, k": ("repeated_sigma", _repeated_noise),
    "DiscreteGaussianPrivacyLoss.get_delta_for_epsilon": (
        "discrete_delta_at_epsilon",
        _discrete_delta,
    ),
    "DiscreteGaussianPrivacyLoss.from_privacy_guarantee": (
        "discrete_calibrate_sigma",
        _discrete_sigma,
    ),
}
for _name, _kind in _ACCOUNTANTS.items():
    FUNCTIONS[f"{_name}Accountant.get_epsilon, Laplace"] = (
        "laplace_epsilon_at_delta",
        _laplace_epsilon(_kind),
    )
    FUNCTIONS[f"calibrate_dp_mechanism({_name})"] = ("calibrate_sigma", _calibrated(_kind))
    FUNCTIONS[f"{_name}Accountant.get_epsilon"] = ("epsilon_at_delta", _composed(_kind))
    FUNCTIONS[f"{_name}Accountant.get_epsilon, k"] = ("repeated_epsilon", _repeated_epsilon(_kind))
    FUNCTIONS[f"{_name}Accountant.get_delta, k"] = ("repeated_delta", _repeated_delta(_kind))
    FUNCTIONS[f"{_name}Accountant.get_epsilon, k events"] = (
        "repeated_epsilon",
        _listed_epsilon(_kind, _MOST_LISTED[_name]),
    )

FUNCTIONS |= {
    "LaplacePrivacyLoss.get_delta_for_epsilon": ("laplace_delta_at_epsilon", _laplace_delta),
    "LaplacePrivacyLoss.from_privacy_guarantee": ("laplace_calibrate_scale", _laplace_scale),
    "get_smallest_laplace_noise": ("laplace_calibrate_scale", _smallest_laplace),
    "PLDAccountant.get_delta, k Laplace": ("laplace_repeated_delta", _laplace_repeated),
    "from_privacy_parameters, k": ("box_composition_delta", _boxes),
    "from_randomized_response, k": ("randomised_response_delta", _reports),
    "PLDAccountant, randomised response, k": (
        "randomised_response_delta",
        _accounted_reports(PLDAccountant),
    ),
    "RdpAccountant, randomised response, k": (
        "randomised_response_delta",
        _accounted_reports(RdpAccountant),
    ),
    "from_privacy_parameters, k, ε": ("box_composition_epsilon", _boxes_epsilon),
    "from_randomized_response, k, ε": ("randomised_response_epsilon", _reports_epsilon),
    "PLDAccountant.get_delta, both": ("laplace_gaussian_delta", _laplace_gaussian),
}


def _offer_sampled(name, make):
    one, two = _sampled(make, lambda accountant, delta: accountant.get_epsilon(delta))
    FUNCTIONS[f"{name}.get_epsilon, sampled"] = (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: one(delta, sigma, rate, steps),
    )
    FUNCTIONS[f"{name}.get_epsilon, two phases"] = (
        "subsampled_phases_epsilon",
        lambda delta, sigma, rate, steps, later_sigma, later_rate, later_steps: two(
            delta, sigma, rate, steps, later_sigma, later_rate, later_steps
        ),
    )
    least, _ = _sampled(make, lambda accountant, epsilon: accountant.get_delta(epsilon))
    FUNCTIONS[f"{name}.get_delta, sampled"] = (
        "subsampled_delta",
        lambda epsilon, sigma, rate, steps: least(epsilon, sigma, rate, steps),
    )


for _name, _kind in _ACCOUNTANTS.items():
    _offer_sampled(f"{_name}Accountant", _kind)
    FUNCTIONS[f"calibrate_dp_mechanism({_name}), sampled"] = (
        "subsampled_sigma",
        _subsampled_sigma(_kind),
    )


def _mixture(sigma, rate, size):
    """Return σ, the sums of those k records that are there, and their chances, in float64."""
    if not 0 < rate <= 1:
        raise _NotAskedError(f"no chances of rate {rate!r}")
    k = int(size)
    chances = [math.comb(k, j) * rate**j * (1 - rate) ** (k - j) for j in range(k + 1)]
    return sigma, [float(j) for j in range(k + 1)], chances


def _group(sigma, rate, steps, size):
    event = MixtureOfGaussiansDpEvent(*_mixture(sigma, rate, size))
    return PLDAccountant().compose(SelfComposedDpEvent(event, int(steps)))


def _coarse_group(delta, sigma, rate, steps, size):
    loss = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        *_mixture(sigma, rate, size), value_discretization_interval=1e-3
    )
    return loss.self_compose(int(steps)).get_epsilon_for_delta(delta)


FUNCTIONS |= {
    "PLDAccountant.get_epsilon, mixture": (
        "subsampled_group_epsilon",
        lambda delta, sigma, rate, steps, size: _group(sigma, rate, steps, size).get_epsilon(delta),
    ),
    "PLDAccountant.get_delta, mixture": (
        "subsampled_group_delta",
        lambda epsilon, sigma, rate, steps, size: _group(sigma, rate, steps, size).get_delta(
            epsilon
        ),
    ),
    "from_mixture_gaussian_mechanism(…, 1e-3)": ("subsampled_group_epsilon", _coarse_group),
}

_RELATIONS = {"REPLACE_ONE": "replace-one", "REPLACE_SPECIAL": "zero-out"}
_SAYS = "dp_event.py: if ||v_i|| <= C, 'the noise_multiplier is defined as s / C'; under "


def _offer_related(name, kind, word, *events):
    """Offer an accountant under another relation than the one that it has by default."""
    label = f"{name}Accountant({word})"
    relation = {"relation": _RELATIONS[word], "unit": "clipping norm"}

    def make():
        return kind(neighboring_relation=NeighboringRelation[word])

    one, two = _sampled(make, lambda accountant, delta: accountant.get_epsilon(delta))
    least, _ = _sampled(make, lambda accountant, epsilon: accountant.get_delta(epsilon))
    known = {
        "get_epsilon": ("epsilon_at_delta", _composed(make)),
        "get_epsilon, k": ("repeated_epsilon", _repeated_epsilon(make)),
        "get_delta, k": ("repeated_delta", _repeated_delta(make)),
        "get_epsilon, Laplace": ("laplace_epsilon_at_delta", _laplace_epsilon(make)),
        "get_epsilon, sampled": (
            "subsampled_epsilon",
            lambda delta, sigma, rate, steps: one(delta, sigma, rate, steps),
        ),
        "get_delta, sampled": (
            "subsampled_delta",
            lambda epsilon, sigma, rate, steps: least(epsilon, sigma, rate, steps),
        ),
        "get_epsilon, two phases": (
            "subsampled_phases_epsilon",
            lambda delta, sigma, rate, steps, later_sigma, later_rate, later_steps: two(
                delta, sigma, rate, steps, later_sigma, later_rate, later_steps
            ),
        ),
    }
    known |= {
        "get_epsilon, fixed size": (
            "fixed_size_epsilon",
            lambda delta, sigma, rate, steps: (
                make().compose(_batches(sigma, rate, steps)).get_epsilon(delta)
            ),
        ),
        "get_delta, fixed size": (
            "fixed_size_delta",
            lambda epsilon, sigma, rate, steps: (
                make().compose(_batches(sigma, rate, steps)).get_delta(epsilon)
            ),
        ),
    }
    moves = "2C" if word == "REPLACE_ONE" else "C"
    for event in events:
        quantity, call = known[f"get_{event}"]
        FUNCTIONS[f"{label}.get_{event}"] = (quantity, call, relation)
        NOTES[f"{label}.get_{event}"] = f"{_SAYS}{word} a sum moves by {moves}"


# RdpAccountant takes no PoissonSampledDpEvent, PLDAccountant no LaplaceDpEvent under REPLACE_ONE,
# and no accountant but RdpAccountant(REPLACE_ONE) a batch of fixed size.
_PLAIN = ("epsilon", "epsilon, k")
_DP_SGD = ("epsilon, sampled", "delta, sampled", "epsilon, two phases")
NOTES = {}
_offer_related("PLD", PLDAccountant, "REPLACE_ONE", *_PLAIN, "delta, k", *_DP_SGD)
_FIXED = ("epsilon, fixed size", "delta, fixed size")
_SPECIAL = ("epsilon, Laplace", "epsilon, sampled", "epsilon, two phases")
_RDP = ("delta, k", "epsilon, Laplace", *_FIXED)
_offer_related("RDP", RdpAccountant, "REPLACE_ONE", *_PLAIN, *_RDP)
for _name, _kind in _ACCOUNTANTS.items():
    _offer_related(_name, _kind, "REPLACE_SPECIAL", *_PLAIN, *_SPECIAL)
_MOST_LEVELS = 40


def _tree(delta, sigma, releases, restarted):
    if releases > _MOST_LEVELS:
        raise _NotAskedError(f"no tree has {releases:g} levels")
    trees = 2 - int(releases) % 2 if restarted else 1
    levels = int(releases) // trees
    leaves = 2**levels - 1 if restarted else 2 ** (levels - 1)  # the most or the fewest
    leaves = leaves if releases >= 1 else int(releases)  # a tree has a level
    event = SelfComposedDpEvent(SingleEpochTreeAggregationDpEvent(sigma, leaves), trees)
    accountant = RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_SPECIAL)
    return accountant.compose(event).get_epsilon(delta)


def _truncated(sigma, rate, records, cap, steps):
    event = TruncatedSubsampledGaussianDpEvent(int(records), rate, int(cap), sigma)
    return PLDAccountant().compose(event, int(steps))


FUNCTIONS["PLDAccountant.get_delta, truncated"] = (
    "truncated_delta",
    lambda epsilon, sigma, rate, records, cap, steps: _truncated(
        sigma, rate, records, cap, steps
    ).get_delta(epsilon),
)
FUNCTIONS["PLDAccountant.get_epsilon, truncated"] = (
    "truncated_epsilon",
    lambda delta, sigma, rate, records, cap, steps: _truncated(
        sigma, rate, records, cap, steps
    ).get_epsilon(delta),
)
FUNCTIONS["RdpAccountant.get_epsilon, zCDP"] = ("epsilon_at_delta", _zcdp_epsilon)
FUNCTIONS["RdpAccountant.get_epsilon, one run selected"] = ("epsilon_at_delta", _selected_epsilon)
FUNCTIONS["PLDAccountant.get_epsilon, discrete Laplace"] = (
    "laplace_epsilon_at_delta",
    _discrete_laplace_epsilon,
)
FUNCTIONS["RdpAccountant(REPLACE_SPECIAL).get_epsilon, tree"] = (
    "repeated_epsilon",
    lambda delta, sigma, releases: _tree(delta, sigma, releases, restarted=False),
    {"relation": "zero-out", "unit": "clipping norm"},
)
FUNCTIONS["RdpAccountant(REPLACE_SPECIAL).get_epsilon, restarted tree"] = (
    "repeated_epsilon",
    lambda delta, sigma, releases: _tree(delta, sigma, releases, restarted=True),
    {"relation": "zero-out", "unit": "clipping norm"},
)
NOTES["RdpAccountant(REPLACE_SPECIAL).get_epsilon, tree"] = NOTES[
    "RdpAccountant(REPLACE_SPECIAL).get_epsilon, restarted tree"
] = "the tree of partial sums: dp_event.py: 'The ratio of the noise per node to the sensitivity'"
SLOW = {
    "get_smallest_laplace_noise",
    "get_smallest_gaussian_noise",
    *(name for name in FUNCTIONS if "(" in name or "Acc" in name or ", k" in name),
}
