"""The trade-off curves of the mechanisms that claims are about."""

from fractions import Fraction

from flint import arb

from dporacle import risk
from dporacle.claims.convolution import delta_of_largest, digits_of
from dporacle.claims.losses import PrivacyLoss
from dporacle.claims.mechanisms import Mechanism
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.sampled import BatchLoss
from dporacle.enclosures.tradeoff import pairs
from dporacle.enclosures.tradeoff.curve import DIGITS, TradeoffCurve

_CURVES = {
    "poisson": ("replace-one", "zero-out"),
    "cyclic": ("replace-one", "zero-out"),
    "balls-and-bins": ("replace-one", "zero-out"),
    "random-allocation": ("replace-one", "zero-out"),
}
"""How batches are drawn -> the relations of which a curve is known, beside add-remove."""
_ALL = "every pair of neighbours; that one of them reaches the figures is not known"


def setting_of(
    mechanism: Mechanism,
    neighbours: Neighbours | None = None,
    *,
    direction: str = "remove",
    digits: int = DIGITS,
) -> risk.Setting:
    """Return the curve of a mechanism, and its pair of data sets.

    Args:
        mechanism: what is released.
        neighbours: the relation; that of the mechanism's sensitivity if it is None.
        direction: of DP-SGD, unless a record is replaced.
        digits: the tightness of δ.

    Raises:
        ValueError: if its curve is not known, saying why.
    """
    relation = neighbours or mechanism.relation()
    if isinstance(mechanism, DpSgd):
        return _sampled(mechanism, relation, direction, digits)
    kind = str(mechanism.__struct_config__.tag)
    if not mechanism.knows(relation):
        raise ValueError(f"the sensitivity of {kind} for {relation} is not stated")
    extent = mechanism.extent(relation)
    losses = extent.most if extent is not None else ()
    reached = extent is not None and extent.is_exact and len(losses) == 1
    # A curve asks δ hundreds of times, which takes a second each.
    if any(isinstance(law, BatchLoss) for loss in losses for law in loss.others):
        raise ValueError(
            "mechanism must be the training run alone, or have none among its releases: the "
            "figures of attackers on both together are not known in time; claim `privacy` of them"
        )
    if extent is not None:
        curve = curve_of(losses, digits)
    else:

        def delta(epsilon: Fraction, digits: int) -> arb:
            return mechanism.delta_at_epsilon(epsilon=epsilon, neighbours=relation, digits=digits)

        curve = pairs.one_order(delta, digits=digits)
    return risk.Setting(
        words=f"{kind}, {relation}",
        asks="which of two neighbouring data sets was used",
        curve=curve,
        both=curve,
        supposes=mechanism.supposes(relation) if reached else _ALL,
        reached=reached,
        hypotheses=mechanism.hypotheses(relation),
    )


def curve_of(losses: tuple[PrivacyLoss, ...], digits: int = DIGITS) -> TradeoffCurve:
    """Return the curve of the largest δ(ε) of several losses."""
    if len(losses) == 1 and losses[0].is_gaussian:
        return pairs.gaussian(losses[0].mu_squared, digits=digits)
    digits = digits_of(losses, digits)

    def largest(epsilon: Fraction, digits: int) -> arb:
        return delta_of_largest(losses, epsilon=epsilon, digits=digits)

    return pairs.one_order(largest, digits=digits)


def known_apart(mechanism: Mechanism, neighbours: Neighbours) -> tuple[PrivacyLoss, ...] | None:
    """Return the losses that some data reach, where they are not the worst that can be.

    Returns:
        losses; none at all where no pair is known to have any. None where the worst pair is known.
    """
    extent = None if isinstance(mechanism, DpSgd) else mechanism.extent(neighbours)
    if extent is None or extent.is_exact:
        return None
    return () if extent.is_nothing else extent.least


def _sampled(mechanism: DpSgd, relation: Neighbours, direction: str, digits: int) -> risk.Setting:
    run, way = mechanism.run(), direction
    if relation != "add-remove" and relation not in _CURVES.get(run.sampling, ()):
        raise ValueError(
            f"neighbours must be add-remove, got {relation}: of {run.sampling} batches no "
            "other curve is known"
        )
    if relation == "replace-one":
        way = relation
    return risk.training(run, direction=way, relation=relation, digits=digits)
