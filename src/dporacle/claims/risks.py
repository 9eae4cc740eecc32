"""The trade-off curves of the mechanisms that claims are about."""

from fractions import Fraction

from flint import arb

from dporacle import risk
from dporacle.claims.losses import PrivacyLoss
from dporacle.claims.mechanisms import DpSgd, Mechanism
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.dp_sgd import NOT_POISSON
from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.tradeoff import pairs
from dporacle.enclosures.tradeoff.curve import DIGITS


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
        ValueError: if its worst pair has no δ(ε) in one formula.
    """
    relation = neighbours or mechanism.relation()
    kind = str(mechanism.__struct_config__.tag)
    if isinstance(mechanism, DpSgd):
        if mechanism.sampling != "poisson":
            raise ValueError(f"not this mechanism: {NOT_POISSON}")
        return risk.dp_sgd(
            noise_multiplier=mechanism.noise_multiplier,
            rate=mechanism.rate(),
            steps=mechanism.count(),
            direction="replace" if relation == "replace-one" else direction,
            group=mechanism.records() if mechanism.records() > 1 else None,
            cap=mechanism.group_cap if isinstance(mechanism.group_cap, int) else None,
            digits=digits,
        )
    if not mechanism.knows(relation):
        raise ValueError(f"the sensitivity of {kind} for {relation} is not stated")
    square = mechanism.mu_squared(relation)
    extent = mechanism.extent(relation)
    losses: tuple[PrivacyLoss, ...] = ()
    if extent is not None:
        if not extent.is_exact or not all(loss.has_formula for loss in extent.most):
            raise ValueError(f"the worst pair of {kind} has no δ(ε) in one formula")
        losses = tuple(extent.most)
    if square is not None:
        curve = pairs.gaussian(square, digits=digits)
    else:

        def delta(epsilon: Fraction, digits: int) -> arb:
            if not losses:
                return mechanism.delta_at_epsilon(
                    epsilon=epsilon, neighbours=relation, digits=digits
                )
            values = [loss.delta_at_epsilon(epsilon=epsilon, digits=digits) for loss in losses]
            with precision(bits_for(digits) + 64):
                largest = values[0]
                for value in values[1:]:
                    largest = largest.max(value)
                return largest

        curve = pairs.one_order(delta, digits=digits)
    return risk.Setting(
        words=f"{kind}, {relation}",
        asks="which of two neighbouring data sets was used",
        curve=curve,
        both=curve,
        supposes=mechanism.supposes(relation),
        reached=square is not None or len(losses) == 1,
    )
