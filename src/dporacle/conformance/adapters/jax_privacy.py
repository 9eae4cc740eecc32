"""jax-privacy (Google DeepMind): one noisy step and DP-SGD, by its PLD and RDP accountants.

| function | quantity | mapping |
|---|---|---|
| accounting.calibrate_noise_multiplier(DpsgdTrainingAccountant, …) | calibrate_sigma | Δ = 1 |
| SingleReleaseTrainingAccountant.compute_epsilon(1, …) | epsilon_at_delta | Δ = 1 |
| calibrate_noise_multiplier(…, num_updates=k) | repeated_sigma | Δ = 1 |
| DpsgdTrainingAccountant.compute_epsilon(k, …) | repeated_epsilon | Δ = 1 |
| DpsgdTrainingAccountant.compute_epsilon(T, …) | subsampled_epsilon | batches of b in n |
| calibrate_noise_multiplier(…, num_updates=T) | subsampled_sigma | batches of b in n |
| DpsgdTrainingAccountant, FIXED_BATCH_SIZE | fixed_size_epsilon | replace-one |
| … of a batch of all | repeated_epsilon | replace-one |
| experimental.accounting.dpsgd_event(σ, T, sampling_prob=q) | subsampled_epsilon | replace-one |
| experimental.accounting.fixed_dpsgd_event(σ, T, …) | fixed_size_epsilon | replace-one |
| matrix_factorization.toeplitz.minsep_sensitivity_squared(c, …) | two quantities | coefficients c |
| sensitivity.get_min_sep_sensitivity_upper_bound_for_X(CᵀC, 1, K) | tree_sensitivity | a tree |
| sensitivity.single_participation_sensitivity(C) and three more | two quantities | C written out |
| auditing.CanaryScoreAuditor(…).epsilon_clopper_pearson(α, δ, False) | audit_epsilon | Explicit |
| … .epsilon_one_run(α, δ) | one_run_epsilon | Explicit |

Of an audit all scores are 1 or 0, and the threshold ½ is given beforehand: those of the runs that
the attack takes for runs with the record, and of the others; of one run the canaries for which it
guessed that they were in, and those for which it said nothing. one_sided=False is for both orders.

The two are sqrt_toeplitz_sensitivity_squared, with c from optimal_max_error_strategy_coefs, and
decaying_toeplitz_sensitivity_squared; the first `bands` of c are given, in float64 (enable_x64).
Of C written out, single_participation_sensitivity is asked where a record takes part once,
get_sensitivity_banded where columns that it meets are orthogonal, fixed_epoch_sensitivity where
K epochs are all steps, and else get_min_sep_sensitivity_upper_bound; the answer is squared.

A batch of all examples in one update is one release of the Gaussian mechanism. The counts b and n
have exactly the rate for their quotient.

SamplingMethod.FIXED_BATCH_SIZE is "Compatible with replace adjacency (and thus zero-out)", and its
noise is "The noise multiplier, excluding the clipping norm" (accounting/analysis.py), σ/C.

The events are composed by dp-accounting's PLDAccountant(REPLACE_ONE), and by its
RdpAccountant(REPLACE_ONE), of which experimental/accounting.py says "The without-replacement event
is compatible with the RDP accountant under the REPLACE_ONE neighboring relation". They hold
dp-accounting's GaussianDpEvent, "defined as s / C"; and clipping.py says that under REPLACE_ONE
the sensitivity is 2 * self.l2_norm_bound.
"""

import math

import dp_accounting
import jax
import numpy as np
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from jax_privacy import accounting, auditing
from jax_privacy.experimental import accounting as events
from jax_privacy.matrix_factorization import sensitivity, toeplitz

DISTRIBUTION = "jax-privacy"
_CONFIGS = {"PLD": accounting.PldAccountantConfig, "RDP": accounting.RdpAccountantConfig}


def _calibrate(config):
    return lambda epsilon, delta: _repeated_sigma(config)(epsilon, delta, 1)


def _repeated_sigma(config):
    return lambda epsilon, delta, releases: accounting.calibrate_noise_multiplier(
        target_epsilon=epsilon,
        accountant=accounting.DpsgdTrainingAccountant(dp_accountant_config=config()),
        batch_sizes=1,
        num_updates=int(releases),
        num_samples=1,
        target_delta=delta,
    )


def _repeated_epsilon(config):
    return lambda delta, sigma, releases: accounting.DpsgdTrainingAccountant(
        dp_accountant_config=config()
    ).compute_epsilon(
        int(releases),
        accounting.DpParams(noise_multipliers=sigma, batch_size=1, num_samples=1, delta=delta),
    )


def _epsilon(config):
    return lambda delta, sigma: accounting.SingleReleaseTrainingAccountant(
        dp_accountant_config=config()
    ).compute_epsilon(
        1, accounting.DpParams(noise_multipliers=sigma, batch_size=1, num_samples=1, delta=delta)
    )


class _NotAskedError(Exception):
    """The rate is no quotient of counts, or there are more canaries than an array is made for."""


SKIPS = (_NotAskedError,)


def _counts(rate):
    if not math.isfinite(rate):
        raise _NotAskedError(f"no counts have the quotient {rate!r}")
    return rate.as_integer_ratio()


def _sampled_epsilon(config):
    def epsilon(delta, sigma, rate, steps):
        batch, records = _counts(rate)
        return accounting.DpsgdTrainingAccountant(dp_accountant_config=config()).compute_epsilon(
            int(steps),
            accounting.DpParams(
                noise_multipliers=sigma, batch_size=batch, num_samples=records, delta=delta
            ),
        )

    return epsilon


def _sampled_sigma(config):
    def sigma(epsilon, delta, rate, steps):
        batch, records = _counts(rate)
        return accounting.calibrate_noise_multiplier(
            target_epsilon=epsilon,
            accountant=accounting.DpsgdTrainingAccountant(dp_accountant_config=config()),
            batch_sizes=batch,
            num_updates=int(steps),
            num_samples=records,
            target_delta=delta,
        )

    return sigma


FUNCTIONS = {
    f"calibrate_noise_multiplier({name})": ("calibrate_sigma", _calibrate(config))
    for name, config in _CONFIGS.items()
} | {
    f"SingleRelease.compute_epsilon({name})": ("epsilon_at_delta", _epsilon(config))
    for name, config in _CONFIGS.items()
}
for _name, _config in _CONFIGS.items():
    FUNCTIONS[f"calibrate_noise_multiplier({_name}), k"] = (
        "repeated_sigma",
        _repeated_sigma(_config),
    )
    FUNCTIONS[f"Dpsgd.compute_epsilon({_name}), k"] = (
        "repeated_epsilon",
        _repeated_epsilon(_config),
    )
    FUNCTIONS[f"Dpsgd.compute_epsilon({_name}), sampled"] = (
        "subsampled_epsilon",
        _sampled_epsilon(_config),
    )
    FUNCTIONS[f"calibrate_noise_multiplier({_name}), sampled"] = (
        "subsampled_sigma",
        _sampled_sigma(_config),
    )
_REPLACED = {"relation": "replace-one", "unit": "clipping norm"}


def _fixed_size(delta, sigma, rate, steps):
    batch, records = _counts(rate)
    event = events.fixed_dpsgd_event(sigma, int(steps), dataset_size=records, batch_size=batch)
    accountant = RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(event).get_epsilon(delta)


def _replaced(delta, sigma, rate, steps):
    event = events.dpsgd_event(sigma, int(steps), sampling_prob=rate)
    accountant = PLDAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(event).get_epsilon(delta)


def _of_fixed_size(config):
    def epsilon(delta, sigma, rate, steps):
        batch, records = _counts(rate)
        parameters = accounting.DpParams(
            noise_multipliers=sigma,
            batch_size=batch,
            num_samples=records,
            delta=delta,
            sampling_method=accounting.SamplingMethod.FIXED_BATCH_SIZE,
        )
        made = accounting.DpsgdTrainingAccountant(dp_accountant_config=config())
        return made.compute_epsilon(int(steps), parameters)

    return epsilon


def _of_all(config):
    return lambda delta, sigma, releases: _of_fixed_size(config)(delta, sigma, 1.0, releases)


for _name, _config in _CONFIGS.items():
    for _what, _quantity, _make in (
        ("fixed size", "fixed_size_epsilon", _of_fixed_size),
        ("k replaced", "repeated_epsilon", _of_all),
    ):
        FUNCTIONS[f"Dpsgd.compute_epsilon({_name}), {_what}"] = (
            _quantity,
            _make(_config),
            _REPLACED,
        )
FUNCTIONS["fixed_dpsgd_event, RdpAccountant(REPLACE_ONE)"] = (
    "fixed_size_epsilon",
    _fixed_size,
    _REPLACED,
)
FUNCTIONS["dpsgd_event, PLDAccountant(REPLACE_ONE)"] = ("subsampled_epsilon", _replaced, _REPLACED)


def _toeplitz(entries, length, bands, participations, separation):
    with jax.enable_x64():
        return float(
            toeplitz.minsep_sensitivity_squared(
                entries(int(min(bands, length))),
                min_sep=int(separation),
                max_participations=int(participations),
                n=int(length),
            )
        )


def _sqrt_toeplitz(length, bands, participations, separation):
    return _toeplitz(
        toeplitz.optimal_max_error_strategy_coefs, length, bands, participations, separation
    )


def _powers(decay):
    return lambda count: np.power(decay, np.arange(float(count)))


def _decaying_toeplitz(decay, length, bands, participations, separation):
    return _toeplitz(_powers(decay), length, bands, participations, separation)


FUNCTIONS["toeplitz.minsep_sensitivity_squared, square root"] = (
    "sqrt_toeplitz_sensitivity_squared",
    _sqrt_toeplitz,
)
FUNCTIONS["toeplitz.minsep_sensitivity_squared, decaying"] = (
    "decaying_toeplitz_sensitivity_squared",
    _decaying_toeplitz,
)
_LARGEST = 1000


def _written_out(entries, length, bands, participations, separation):
    """Return the square, rounded up, of what the function for such patterns says of the matrix."""
    if length > _LARGEST:
        raise _NotAskedError(f"a matrix of {length:g} rows is more than the adapter writes out")
    length, most, apart = int(length), int(participations), int(separation)
    with jax.enable_x64():
        coefficients = jax.numpy.asarray(entries(int(min(bands, length))), dtype=float)
        matrix = toeplitz.materialize_lower_triangular(coefficients, length)
        if min(most, -(length // -apart)) == 1:
            answer = sensitivity.single_participation_sensitivity(matrix)
        elif min(bands, length) <= apart:
            answer = sensitivity.get_sensitivity_banded(matrix, apart, most)
        elif most * apart == length:
            answer = sensitivity.fixed_epoch_sensitivity(matrix, most)
        else:
            answer = sensitivity.get_min_sep_sensitivity_upper_bound(matrix, apart, most)
        return math.nextafter(float(answer) ** 2, math.inf)


FUNCTIONS["sensitivity of the matrix, square root"] = (
    "sqrt_toeplitz_sensitivity_squared",
    lambda length, bands, participations, separation: _written_out(
        toeplitz.optimal_max_error_strategy_coefs, length, bands, participations, separation
    ),
)
FUNCTIONS["sensitivity of the matrix, decaying"] = (
    "decaying_toeplitz_sensitivity_squared",
    lambda decay, length, bands, participations, separation: _written_out(
        _powers(decay), length, bands, participations, separation
    ),
)
_MOST_PRODUCTS = 3 * 10**7


def _tree(length, participations):
    most = int(min(participations, length))
    if length**2 * most > _MOST_PRODUCTS:
        raise _NotAskedError(f"{length:g}² products, {most} times, are more than the adapter makes")
    leaves = np.arange(int(length))
    levels = np.arange(int(length).bit_length())[:, None]
    depth = np.sum((leaves >> levels) + 1 << levels <= length, axis=0)
    i, j = leaves[:, None], leaves[None, :]
    shared = depth[np.maximum(i, j)] - np.frexp(i ^ j)[1]  # the exponent is the bit length
    with jax.enable_x64():
        return sensitivity.get_min_sep_sensitivity_upper_bound_for_X(
            jax.numpy.array(np.maximum(shared, 0), dtype=float), 1, most
        )


FUNCTIONS["sensitivity.get_min_sep_sensitivity_upper_bound_for_X, tree"] = (
    "tree_sensitivity",
    _tree,
)
SLOW = set(FUNCTIONS)
_MOST_SCORES = 10**6


def _scores(ones, zeros):
    """Return the scores of an attack: those at or above the threshold are 1."""
    if not 0 <= ones + zeros <= _MOST_SCORES:
        raise _NotAskedError(f"{ones + zeros:g} scores are more than the adapter lists")
    return np.repeat([1.0, 0.0], [int(ones), int(zeros)])


def _audited_epsilon(false_positives, negatives, false_negatives, positives, alpha, delta):
    auditor = auditing.CanaryScoreAuditor(
        _scores(positives - false_negatives, false_negatives),
        _scores(false_positives, negatives - false_positives),
    )
    return auditor.epsilon_clopper_pearson(
        alpha, delta, one_sided=False, threshold_strategy=auditing.Explicit(0.5)
    )


def _one_run_epsilon(guesses, correct, canaries, alpha, delta):
    silent = canaries - guesses  # all were out, but for one where no other canary was in
    outside = silent if correct else max(silent - 1, 0)
    auditor = auditing.CanaryScoreAuditor(
        _scores(correct, silent - outside), _scores(guesses - correct, outside)
    )
    return auditor.epsilon_one_run(alpha, delta, threshold_strategy=auditing.Explicit(0.5))


FUNCTIONS["CanaryScoreAuditor.epsilon_clopper_pearson"] = ("audit_epsilon", _audited_epsilon)
FUNCTIONS["CanaryScoreAuditor.epsilon_one_run"] = ("one_run_epsilon", _one_run_epsilon)
NOTES = {name: "with the default tolerance 0.01" for name in FUNCTIONS if "calibrate" in name} | {
    name: "FIXED_BATCH_SIZE: 'Compatible with replace adjacency'; 'The noise multiplier, excluding "
    "the clipping norm'"
    for name in FUNCTIONS
    if "fixed size" in name or "replaced" in name
}
NOTES |= {
    name: "of the matrix written out; the answer is squared and rounded up"
    for name in FUNCTIONS
    if "of the matrix" in name
}
