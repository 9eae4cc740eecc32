"""What an attacker gains from a mechanism, in proved figures (X.RISK).

A test of membership sees what was released and says whether a record was in the data. All its
figures are read from one curve, H of the law with the record against that without it; `Figures`
gives each as an interval of two float64, rounded outwards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact, decimal
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds, float_above, float_below, round_decimal
from dporacle.enclosures.tradeoff import gaussian, pairs
from dporacle.enclosures.tradeoff.area import area
from dporacle.enclosures.tradeoff.curve import BITS, DIGITS, TradeoffCurve
from dporacle.enclosures.tradeoff.one_sided import mu_above
from dporacle.enclosures.tradeoff.power import Rates, rates
from dporacle.mechanisms import sampling as drawing
from dporacle.mechanisms.training import TrainingRun, enclosed_word, read_training
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.relations import FORMER

Interval = tuple[float, float]

BATCHES = ("cyclic", "fixed-size", "balls-and-bins", "random-allocation")
"""The ways to draw batches, other than Poisson's, of which a curve is known.

Of random allocation it is a bound, that of its blocks.
"""

_WHO = {
    "remove": "whether the record was used; a true positive is a record that was used",
    "add": "whether the record was left out; a true positive is a record that was left out",
    "add-remove": "whether the record was used, or whether it was left out; no test of either "
    "finds more",
    "replace-one": "which of two records was used",
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
_BLOCKS = (
    "every record: to bound it, blocks of batches are told, in each of which the record is in one"
)
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
        is_bound: whether the curve is above that of every pair, and perhaps nowhere equal to one.
        looks_for_record: whether the first law is of the data with the record.
        hypotheses: what the figures are proved under.
        sampled_mu: the square of the least μ of DP-SGD that samples records, if that is known.
        called: the formula of that μ.
    """

    words: str
    asks: str
    curve: TradeoffCurve
    both: TradeoffCurve
    supposes: str
    reached: bool = True
    is_bound: bool = False
    looks_for_record: bool = True
    hypotheses: tuple[Hypothesis, ...] = ()
    sampled_mu: Fraction | None = None
    called: str = ""


def gaussian_releases(*, sigma: Exact, sensitivity: Exact = 1, releases: int = 1) -> Setting:
    """Return Gaussian releases together, each with the same noise.

    Raises:
        TypeError, ValueError: naming the argument that is outside of its domain.
    """
    noise, moved = (
        arguments.positive("sigma", sigma),
        arguments.positive("sensitivity", sensitivity),
    )
    times = arguments.count("releases", releases)
    curve = pairs.gaussian(times * (moved / noise) ** 2)
    many = "" if times == 1 else f", {times} releases"
    return Setting(
        words=f"Gaussian noise: σ = {decimal(noise)}, sensitivity {decimal(moved)}{many}",
        asks="which of two neighbouring data sets was used",
        curve=curve,
        both=curve,
        supposes="two data sets whose answers differ by the full sensitivity, at every release",
    )


def dp_sgd(
    *,
    noise_multiplier: Exact,
    rate: Exact,
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
        direction: "remove", "add", "both" or "replace"; or a relation.
        group: k, the records of a group, or of a user, instead of one.
        cap: how many clipping norms a group moves a sum at most.
        digits: the tightness of δ.

    Raises:
        ValueError: naming the argument that is outside of its domain.
    """
    run = read_training(
        noise_multiplier=noise_multiplier,
        sampling_rate=rate,
        steps=steps,
        group=group,
        group_cap=cap,
    )
    return training(run, direction=direction, digits=digits)


def need_curve(sampling: str) -> None:
    """Refuse a way to draw batches of which no curve is known.

    Raises:
        ValueError: naming those of which one is.
    """
    (scheme, *others) = drawing.readings(sampling)
    several = others or drawing.dropping(sampling)
    if sampling in drawing.WORDS and (several or scheme not in ("poisson", *BATCHES)):
        raise ValueError(
            f"sampling must be one of poisson, {', '.join(BATCHES)} for a curve: for "
            f"{sampling} batches only bounds are known"
        )


def training(
    run: TrainingRun,
    *,
    direction: str = "remove",
    relation: str | None = None,
    digits: int = DIGITS,
) -> Setting:
    """Return a run of DP-SGD.

    Args:
        run: it, with Poisson sampling, or with batches of which a curve is known: those of BATCHES.
        direction: "remove" or "add", the relation "add-remove", which is the worse of the two, or
            "replace-one" where a curve of it is known.
        relation: whose hypotheses the figures have, if it is "zero-out", whose curves are those of
            leaving a record out; that of the direction if it is None.
        digits: the tightness of δ.

    Raises:
        ValueError: naming the argument that is outside of its domain, or has no known curve.
        ArithmeticError: if there are too many batches.
    """
    way = FORMER.get(direction, direction)
    need_curve(run.sampling)
    if run.division is not None and run.division.public and run.tells(relation or way):
        raise ValueError(
            "rate_from_n must be absent for a curve: of a rate that is computed from the number of "
            "records no curve is known"
        )
    if not run.as_sums and (run.division is None or run.tells(relation or way)):
        raise ValueError(
            f"divisor must be public or noisy-count for a curve, got {run.divisor!r}: of sums that "
            "are divided by it no curve is known"
        )
    scheme = drawing.readings(run.sampling)[0]
    replaced = scheme != "fixed-size"
    known = ("remove", "add", "add-remove", *(("replace-one",) if replaced else ()))
    if way not in known:
        raise ValueError(
            f"direction must be one of {', '.join(known)} under {run.sampling} sampling, "
            f"got {arguments.show(direction)}"
        )
    word = enclosed_word(way)
    if scheme == "poisson":
        found = _poisson(run, word, digits)
    elif scheme == "fixed-size":
        found = _fixed_size(run, digits)
    else:
        found = _epochs(run, scheme, word, digits)
    asks = _WHO[way]
    own = found.curve(word)
    return Setting(
        words=f"DP-SGD: noise multiplier {decimal(run.noise_multiplier)}, {found.words}",
        asks=asks if run.group is None else asks.replace("record", "group"),
        curve=own,
        both=own if way in ("add-remove", "replace-one") else found.curve("both"),
        supposes=found.record,
        reached=not found.is_bound and way != "add-remove" and run.released == "every-step",
        is_bound=found.is_bound,
        looks_for_record=way != "add",
        hypotheses=(*run.hypotheses(relation or way), *_of_regret(run, is_bound=found.is_bound)),
        sampled_mu=found.mu_squared,
        called=found.called,
    )


def _of_regret(run: TrainingRun, *, is_bound: bool) -> tuple[Hypothesis, ...]:
    if is_bound:
        return (hypothesis("regret-of-a-bound"),)
    return (hypothesis("regret-of-every-sum"),) if run.released == "every-step" else ()


@dataclass(frozen=True, eq=False)
class _Sampled:
    """What depends on how the batches are drawn: words, curves, the worst record, a strict μ."""

    words: str
    curve: Callable[[str], TradeoffCurve]
    record: str
    mu_squared: Fraction | None
    called: str
    is_bound: bool = False


def _poisson(run: TrainingRun, word: str, digits: int) -> _Sampled:
    (phase,) = run.as_schedule().plan(word)
    words = f"sampling rate {decimal(run.sampling_rate)}, {run.steps} steps"
    record, called = _RECORD["replace"] if word == "replace" else _ALONE, "√(ΣTᵢ/σᵢ²)"
    if run.microbatches > 1:
        words += f", {run.microbatches} batches to each sum"
        called = f"{run.noise_multiplier / phase[0]}√T/σ"
    if run.group is not None:
        cap = run.group_cap
        least = "" if cap is None else f", which move a sum by at most {cap} clipping norms"
        words += f", a group of {run.group} records{least}"
        record = _RECORD["replaced group" if word == "replace" else "group"]
        called = f"{run.noise_multiplier / phase[0]}√T/σ"
    return _Sampled(
        words,
        lambda way: pairs.steps([phase], way, digits=digits),
        record,
        None if run.sampling_rate == 1 else run.steps / phase[0] ** 2,
        called,
    )


def _fixed_size(run: TrainingRun, digits: int) -> _Sampled:
    if run.sampling_rate == 1:
        raise ValueError("sampling_rate must be below 1: one record less is too few for a batch")
    sigma = run.noise_multiplier
    phase = (sigma / 2, run.sampling_rate, run.steps)
    rate = decimal(run.sampling_rate)
    return _Sampled(
        f"batches of a fixed size, sampling rate {rate}, {run.steps} steps",
        lambda way: pairs.steps([phase], way, digits=digits),
        _RECORD["fixed-size"],
        run.steps * (2 / sigma) ** 2,
        "2√T/σ",
    )


def _epochs(run: TrainingRun, scheme: str, word: str, digits: int) -> _Sampled:
    size, times = run.need_whole_epochs()
    sigma = run.noise_multiplier
    words = f"{scheme} batches, {size} an epoch, {times} epoch{'s' if times > 1 else ''}"
    if scheme == "cyclic" or size in (1, run.participations):
        move = 2 if word == "replace" else 1
        releases = times * run.participations
        return _Sampled(
            words,
            lambda _: pairs.gaussian(releases * (move / sigma) ** 2, digits=digits),
            _RECORD["replace"] if move == 2 else _ALONE,
            None,
            "",
        )
    from dporacle.enclosures.batches.random_allocation import Allocation, blocks

    kept = run.participations

    def curve(way: str) -> TradeoffCurve:
        if kept == times == 1 and way != "replace":
            return pairs.balls_and_bins(sigma, size, way, digits=digits)
        return pairs.epochs(blocks(Allocation(sigma, size, kept, times), way), way, digits=digits)

    if kept > 1:
        words += f", each record in {kept} of them"
    return _Sampled(
        words,
        curve,
        _BLOCKS if kept > 1 else _RECORD["replace"] if word == "replace" else _ALONE,
        None if word == "replace" else kept * times / sigma**2,
        "1/σ" if kept * times == 1 else f"√{kept * times}/σ",
        is_bound=kept > 1,
    )


class Figures:
    """The figures of a setting.

    Args:
        setting: the mechanism and the attacker's question.

    Every method takes exact numbers as all of dporacle does, and text too: "1e-3". It raises
    `ArithmeticError` if a figure would need too much work, and `TypeError` or `ValueError`, naming
    the argument, if it is no number of its domain.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._points: dict[Fraction, Rates] = {}

    def tpr(self, fpr: Exact) -> Interval:
        """Return the largest true positive rate at a false positive rate."""
        return _share(self._rates(fpr).found)

    def fnr(self, fpr: Exact) -> Interval:
        """Return the least false negative rate at a false positive rate: the trade-off curve."""
        return _share(self._rates(fpr).missed)

    def reconstruction(self, baseline: Exact) -> Interval:
        """Return a bound of a reconstruction's success whose success without the release is κ."""
        if not self.setting.looks_for_record:
            raise ValueError("baseline must be absent if a true positive is a record left out")
        return _share(self._rates(baseline, "baseline").found)

    def _rates(self, fpr: Exact, name: str = "fpr") -> Rates:
        alpha = _inside(name, fpr)
        if alpha not in self._points:
            curve = self.setting.curve
            self._points[alpha] = rates(curve, alpha, digits=min(6, curve.digits - 1))
        return self._points[alpha]

    @property
    def advantage(self) -> Interval:
        """The largest TPR − FPR, which is also δ(0) and the total variation."""
        return _share(self.setting.curve.advantage())

    def bayes_success(self, prior: Exact) -> Interval:
        """Return the largest probability to be right if the record is in with this one."""
        return _share(self.setting.curve.bayes_success(_inside("prior", prior)))

    @cached_property
    def auc(self) -> Interval:
        """The area under the largest TPR over FPR."""
        return _share(area(self.setting.curve))

    @cached_property
    def gdp(self) -> tuple[Interval, Interval]:
        """The μ of the nearest Gaussian trade-off curve, and its regret."""
        fit = gaussian.best_fit(self.setting.both, digits=5)
        return _outwards(fit.mu), _share(fit.regret)

    def mu_at(self, epsilon: Exact) -> Interval:
        """Return the μ of the Gaussian curve with the same δ at an ε."""
        eps = arguments.epsilon(epsilon)
        return _outwards(gaussian.mu_at(self.setting.both, eps))

    def mu_over(self, low: Exact, high: Exact) -> Interval:
        """Return the least μ whose δ is enough at every ε of a range."""
        first, last = arguments.nonnegative("low", low), arguments.nonnegative("high", high)
        if first > last:
            raise ValueError(
                f"epsilon_range must rise, got {arguments.show(low)} and {arguments.show(high)}"
            )
        return _outwards(gaussian.mu_over(self.setting.both, first, last))

    def mu_above(self, least: Exact) -> Interval:
        """Return the least μ whose curve is a bound where both errors are at least a number."""
        error = arguments.exact("least_error", least)
        if not 0 < error < Fraction(1, 2):
            raise ValueError(f"least_error must be in (0, 1/2), got {arguments.show(least)}")
        return _outwards(mu_above(self.setting.curve, error))

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
        told = "Do not report the nearest μ as a guarantee: it is an approximation"
        return (
            f"{told}, and its regret is the error. The smallest μ that is guaranteed is {least}, "
            "at any sampling rate."
        )


def strict_mu(square: Exact) -> Interval:
    """Return √square, that of T-S: the least μ of DP-SGD with Σ T/σ² = square."""
    with precision(BITS):
        return _outwards(ball(arguments.positive("square", square)).sqrt())


def _inside(name: str, value: Exact) -> Fraction:
    number = arguments.exact(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be in (0, 1), got {arguments.show(value)}")
    return number


def _outwards(value: arb) -> Interval:
    low, high = bounds(value)
    return max(0.0, float_below(low)), float_above(high)


def _share(value: arb) -> Interval:
    low, high = _outwards(value)
    return low, min(high, 1.0)
