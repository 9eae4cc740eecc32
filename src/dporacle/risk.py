"""What an attacker gains from a mechanism, in proved figures (X.RISK).

A test of membership sees what was released and says whether a record was in the data. All its
figures are read from one curve, H of the law with the record against that without it; `Figures`
gives each as an interval of two float64, rounded outwards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import decimal
from dporacle.dp_sgd import HYPOTHESES, OF_A_GROUP, RELEASED, supposed
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds, float_above, float_below, round_decimal
from dporacle.enclosures.subsampled_gaussian import Phase
from dporacle.enclosures.tradeoff import gaussian, pairs
from dporacle.enclosures.tradeoff.area import area
from dporacle.enclosures.tradeoff.curve import BITS, DIGITS, Curve
from dporacle.enclosures.tradeoff.one_sided import mu_above
from dporacle.enclosures.tradeoff.power import Rates, rates

Interval = tuple[float, float]

BATCHES = ("cyclic", "fixed-size", "balls-and-bins")
"""The ways to draw batches, other than Poisson's, whose curves are known."""

_WHO = {
    "remove": "whether the record was used; a true positive is a record that was used",
    "add": "whether the record was left out; a true positive is a record that was left out",
    "both": "whether the record was used, or whether it was left out; no test of either finds more",
    "replace": "which of two records was used",
}
_RECORD = {
    "replace": "records that contribute the full clipping norm against each other, in one "
    "direction, whenever they are sampled",
    "group": "a group whose records contribute the full clipping norm in one direction whenever "
    "they are sampled",
    "replaced group": "groups whose records contribute the full clipping norm against each other, "
    "in one direction, whenever they are sampled",
    "fixed-size": "a record that contributes the full clipping norm in one direction whenever it "
    "is sampled, among records that contribute it in the other",
}
_SHOWN = 6  # digits of a μ in words
_LAST_ITERATE = "the upper ends remain true, except for the regret; the lower ends may not"
_ALONE = "a record that contributes the full clipping norm in one direction whenever it is sampled"


@dataclass(frozen=True, eq=False)
class Setting:
    """A mechanism and what its attacker asks.

    Attributes:
        words: the mechanism.
        asks: what the attacker wants to know.
        curve: H of the law of a true positive against the other one.
        both: the larger of that and the one in the other order.
        supposes: the pair of data sets that the figures are of.
        reached: whether that pair reaches them; else they are bounds for it.
        looks_for_record: whether the first law is of the data with the record.
        hypotheses: what the figures are proved under.
        sampled_mu: the square of the least μ of DP-SGD that samples records, if that is known.
        called: the formula of that μ.
    """

    words: str
    asks: str
    curve: Curve
    both: Curve
    supposes: str
    reached: bool = True
    looks_for_record: bool = True
    hypotheses: tuple[str, ...] = ()
    sampled_mu: Fraction | None = None
    called: str = ""


def gaussian_releases(
    *, sigma: Fraction, sensitivity: Fraction = Fraction(1), releases: int = 1
) -> Setting:
    """Return Gaussian releases together, each with the same noise."""
    curve = pairs.gaussian(releases * (sensitivity / sigma) ** 2)
    many = "" if releases == 1 else f", {releases} releases"
    return Setting(
        words=f"Gaussian noise: σ = {decimal(sigma)}, sensitivity {decimal(sensitivity)}{many}",
        asks="which of two neighbouring data sets was used",
        curve=curve,
        both=curve,
        supposes="two data sets whose answers differ by the full sensitivity, at every release",
    )


def dp_sgd(
    *,
    noise_multiplier: Fraction,
    rate: Fraction,
    steps: int,
    direction: str = "remove",
    group: int | None = None,
    cap: int | None = None,
    digits: int = DIGITS,
) -> Setting:
    """Return DP-SGD with Poisson sampling.

    Args:
        noise_multiplier: σ over the clipping norm.
        rate: q, in (0, 1].
        steps: T.
        direction: "remove", "add", "both" or "replace".
        group: k, the records of a group, or of a user, instead of one.
        cap: how many clipping norms a group moves a sum at most.
        digits: the tightness of δ.

    Raises:
        ValueError: naming the argument that is outside of its domain.
    """
    sigma, q = arguments.positive("sigma", noise_multiplier), arguments.positive("rate", rate)
    if q > 1:
        raise ValueError(f"rate must be at most 1, got {arguments.show(rate)}")
    times = arguments.count("steps", steps)
    _known(direction, pairs.DIRECTIONS, "Poisson")
    phase: Phase = (sigma, q, times, ())
    words = f"DP-SGD: noise multiplier {decimal(sigma)}, sampling rate {decimal(q)}, {times} steps"
    record, called = _RECORD["replace"] if direction == "replace" else _ALONE, "√(ΣTᵢ/σᵢ²)"
    hypotheses: tuple[str, ...] = HYPOTHESES
    asks = _WHO[direction]
    if group is not None:
        from dporacle.enclosures.groups import phase_of

        phase = phase_of(sigma, q, times, group, cap, direction)
        least = "" if cap is None else f", which move a sum by at most {cap} clipping norms"
        words += f", a group of {group} records{least}"
        record = _RECORD["replaced group" if direction == "replace" else "group"]
        called = f"{sigma / phase[0]}√T/σ"
        hypotheses = (*hypotheses, OF_A_GROUP)
        asks = asks.replace("record", "group")
    return _sampled(
        lambda way: pairs.steps([phase], way, digits=digits),
        direction,
        asks=asks,
        words=words,
        supposes=record,
        hypotheses=hypotheses,
        sampled_mu=None if q == 1 else times / phase[0] ** 2,
        called=called,
    )


def batches(
    *,
    noise_multiplier: Fraction,
    sampling: str,
    size: int | Fraction,
    times: int,
    direction: str = "remove",
    digits: int = DIGITS,
) -> Setting:
    """Return DP-SGD whose batches are drawn otherwise than by Poisson sampling.

    Args:
        noise_multiplier: σ over the clipping norm.
        sampling: one of BATCHES.
        size: B/n for a fixed size, the batches of an epoch for the others.
        times: the steps for a fixed size, the epochs for the others.
        direction: "remove", "add" or "both"; for cyclic batches "replace" too.
        digits: the tightness of δ.

    Raises:
        ValueError: naming the argument that is outside of its domain, or has no known curve.
        ArithmeticError: if there are too many batches.
    """
    sigma = arguments.positive("sigma", noise_multiplier)
    if sampling not in BATCHES:
        raise ValueError(
            f"sampling must be one of {', '.join(BATCHES)}, got {arguments.show(sampling)}"
        )
    ways = pairs.DIRECTIONS if sampling == "cyclic" else ("remove", "add", "both")
    _known(direction, ways, sampling)
    record, square, called = _ALONE, None, ""
    if sampling == "fixed-size":
        words = f"batches of a fixed size, sampling rate {decimal(Fraction(size))}, {times} steps"
        if size == 1:
            raise ValueError("rate must be below 1: one record less is too few for a batch")
        phase = (sigma / 2, Fraction(size), times)
        record, square, called = _RECORD["fixed-size"], times * (2 / sigma) ** 2, "2√T/σ"

        def curve(way: str) -> Curve:
            return pairs.steps([phase], way, digits=digits)

    else:
        words = f"{sampling} batches, {size} an epoch, {times} epoch{'s' if times > 1 else ''}"
        if sampling == "cyclic" or size == 1:
            move = 2 if direction == "replace" else 1
            record = _RECORD["replace"] if move == 2 else _ALONE

            def curve(way: str) -> Curve:
                return pairs.gaussian(times * (move / sigma) ** 2, digits=digits)

        else:
            if times != 1:
                raise ValueError(
                    "epochs must be 1 for balls-and-bins batches: for several epochs only bounds "
                    f"are known, got {times}"
                )
            square, called = 1 / sigma**2, "1/σ"

            def curve(way: str) -> Curve:
                return pairs.balls_and_bins(sigma, int(size), way, digits=digits)

    return _sampled(
        curve,
        direction,
        asks=_WHO[direction],
        words=f"DP-SGD: noise multiplier {decimal(sigma)}, {words}",
        supposes=record,
        hypotheses=supposed(sampling),
        sampled_mu=square,
        called=called,
    )


def _known(direction: str, ways: tuple[str, ...], sampling: str) -> None:
    if direction not in ways:
        raise ValueError(
            f"direction must be one of {', '.join(ways)} under {sampling} sampling, "
            f"got {arguments.show(direction)}"
        )


def _sampled(
    curve: Callable[[str], Curve], direction: str, hypotheses: tuple[str, ...], **common: Any
) -> Setting:
    """Return the setting of a direction, from the curve of each."""
    own = curve(direction)
    return Setting(
        curve=own,
        both=own if direction in ("both", "replace") else curve("both"),
        reached=direction != "both",
        looks_for_record=direction != "add",
        hypotheses=tuple(
            RELEASED + _LAST_ITERATE if each.startswith(RELEASED) else each for each in hypotheses
        ),
        **common,
    )


class Figures:
    """The figures of a setting.

    Args:
        setting: the mechanism and the attacker's question.

    Every method raises `ArithmeticError` if a figure would need too much work, and `ValueError`,
    naming the argument, if it is outside of its domain.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._points: dict[Fraction, Rates] = {}

    def tpr(self, fpr: Fraction) -> Interval:
        """Return the largest true positive rate at a false positive rate."""
        return _share(self._rates(fpr).found)

    def fnr(self, fpr: Fraction) -> Interval:
        """Return the least false negative rate at a false positive rate: the trade-off curve."""
        return _share(self._rates(fpr).missed)

    def reconstruction(self, baseline: Fraction) -> Interval:
        """Return a bound of a reconstruction's success whose success without the release is κ."""
        if not self.setting.looks_for_record:
            raise ValueError("baseline must be absent if a true positive is a record left out")
        return _share(self._rates(baseline, "baseline").found)

    def _rates(self, fpr: Fraction, name: str = "fpr") -> Rates:
        _inside(name, fpr)
        if fpr not in self._points:
            curve = self.setting.curve
            self._points[fpr] = rates(curve, fpr, digits=min(6, curve.digits - 1))
        return self._points[fpr]

    @property
    def advantage(self) -> Interval:
        """The largest TPR − FPR, which is also δ(0) and the total variation."""
        return _share(self.setting.curve.advantage())

    def bayes_success(self, prior: Fraction) -> Interval:
        """Return the largest probability to be right if the record is in with this one."""
        _inside("prior", prior)
        return _share(self.setting.curve.bayes_success(prior))

    @cached_property
    def auc(self) -> Interval:
        """The area under the largest TPR over FPR."""
        return _share(area(self.setting.curve))

    @cached_property
    def gdp(self) -> tuple[Interval, Interval]:
        """The μ of the nearest Gaussian trade-off curve, and its regret."""
        fit = gaussian.best_fit(self.setting.both, digits=5)
        return _outwards(fit.mu), _share(fit.regret)

    def mu_at(self, epsilon: Fraction) -> Interval:
        """Return the μ of the Gaussian curve with the same δ at an ε."""
        eps = arguments.epsilon(epsilon)
        return _outwards(gaussian.mu_at(self.setting.both, eps))

    def mu_over(self, low: Fraction, high: Fraction) -> Interval:
        """Return the least μ whose δ is enough at every ε of a range."""
        first, last = arguments.epsilon(low), arguments.epsilon(high)
        if first > last:
            raise ValueError(
                f"epsilon_range must rise, got {arguments.show(low)} and {arguments.show(high)}"
            )
        return _outwards(gaussian.mu_over(self.setting.both, first, last))

    def mu_above(self, least: Fraction) -> Interval:
        """Return the least μ whose curve is a bound where both errors are at least a number."""
        if not 0 < least < Fraction(1, 2):
            raise ValueError(f"least_error must be in (0, 1/2), got {arguments.show(least)}")
        return _outwards(mu_above(self.setting.curve, least))

    @property
    def mu_note(self) -> str:
        """What is to be said where somebody asks for the μ of DP-SGD; empty for others."""
        if self.setting.sampled_mu is None:
            return ""
        low, high = map(Fraction, strict_mu(self.setting.sampled_mu))
        shown = round_decimal(low, _SHOWN, up=False)  # the digits of what it is, cut off
        if shown != round_decimal(high, _SHOWN, up=True):
            shown += "…"
        least = f"{self.setting.called} = {shown}"
        bar = f"This DP-SGD is not μ-GDP for any μ below {least}, at any sampling rate"
        return f"{bar}. The nearest μ is an approximation; its regret says how good."


def strict_mu(square: Fraction) -> Interval:
    """Return √square, that of T-S: the least μ of DP-SGD with Σ T/σ² = square."""
    with precision(BITS):
        return _outwards(ball(square).sqrt())


def _inside(name: str, value: Fraction) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} must be in (0, 1), got {arguments.show(value)}")


def _outwards(value: arb) -> Interval:
    low, high = bounds(value)
    return max(0.0, float_below(low)), float_above(high)


def _share(value: arb) -> Interval:
    low, high = _outwards(value)
    return low, min(high, 1.0)
