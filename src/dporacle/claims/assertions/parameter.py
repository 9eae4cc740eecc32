"""The claim that a mechanism has a parameter of another notion of privacy: its total ρ, μ or ε."""

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.assertions.privacy import check_relation
from dporacle.claims.assertions.risk import LAST, OF_A_BOUND, judged
from dporacle.claims.decision import Decided, exactly
from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.mechanisms.dp_sgd import DpSgd
from dporacle.claims.quantities import root_bounds
from dporacle.claims.wording import compare, scale
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.verdicts import Decision, Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_DIGITS = 20
_NOT_STRICT = (
    "for sampled records under replace-one the least μ is between √(ΣTᵢ/σᵢ²) and twice that; more "
    "is not known"
)
_SAME = Fraction(1, 10**20)  # relatively, of two ends of one number
_BITS = 160  # of two exact ends, where they are shown
_BETWEEN = (
    "ρ is known between two ends: a divergence of order 1 of some data, and a ρ that is proved"
)
_AGREES = "the bound agrees with the exact ρ to 20 digits"
_FEW_DIGITS = 5  # of a regret, and of a μ over a range


class _Parameter(AboutMechanism, frozen=True, kw_only=True):
    """What is said of a parameter that is a rational number, or whose square is."""

    called: ClassVar[str]

    def relation(self) -> Neighbours:
        """Return the relation of the promise."""
        return self.neighbours  # type: ignore[attr-defined, no-any-return]

    def about_relation(self, about: Mechanism) -> Neighbours:
        """Return the relation of the promise."""
        return self.relation()

    def value_of(self, loss: PrivacyLoss) -> Fraction | None:
        """Return the parameter of a loss, or its square; None where it is not known exactly."""
        raise NotImplementedError

    def bound(self) -> Fraction:
        """Return the asserted parameter, or its square."""
        return self.subject()[1]

    def shown(self, value: Fraction) -> arb:
        """Enclose the parameter itself, at the working precision."""
        return ball(value)

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse a mechanism whose parameter is not known exactly."""
        check_relation(self.relation(), about)
        extent = about.extent(self.relation())
        if extent is None or not all(map(self.is_known, extent.most)):
            raise ValueError(
                f"asserts must be of another kind: out of scope: the exact {self.called} of "
                f"{about.__struct_config__.tag}; the nearest claim that can be decided is "
                f"{self.nearest(about)}"
            )

    def is_known(self, loss: PrivacyLoss) -> bool:
        """Whether something is known of the parameter of a loss."""
        return self.value_of(loss) is not None

    def nearest(self, about: Mechanism) -> str:
        """Return the nearest claim that can be decided."""
        extent = about.extent(self.relation())
        if extent is None or None in [loss.renyi(Fraction(2)) for loss in extent.most]:
            return "`privacy` at one ε"
        return "`zcdp`, or `privacy` at one ε"

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the true parameter with the asserted one."""
        assert about is not None
        extent, doubled = self._extent(about), not about.knows(self.relation())
        most, least = self._largest(extent.most), self._largest(extent.least)
        verdict = Verdict.HOLDS if most <= self.bound() else Verdict.VIOLATED
        decision = Decision(verdict, tighten(lambda: self.shown(most), _DIGITS), _DIGITS)
        decided = exactly(decision, *self.subject(), doubled=doubled)
        if extent.is_exact or (doubled and extent.is_nothing):
            return decided
        below = tighten(lambda: self.shown(least), _DIGITS) if least else arb(0)
        decided = replace(decided, below=below, doubled=doubled and verdict is Verdict.HOLDS)
        if most <= self.bound() or least > self.bound():
            return decided
        reason = about.open_reason(self.relation())
        return replace(decided, verdict=Verdict.UNDECIDED, reason=reason)

    def _extent(self, about: Mechanism) -> Extent:
        extent = about.extent(self.relation())
        assert extent is not None
        return extent

    def _largest(self, losses: tuple[PrivacyLoss, ...]) -> Fraction:
        return max(value for loss in losses if (value := self.value_of(loss)) is not None)

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off the parameter is, and the noise that would do."""
        assert about is not None
        worst = self._largest(self._extent(about).most)
        square = worst / self.bound()  # every one is inverse to σ, or to σ²
        _, ratio = root_bounds(square, _DIGITS)
        margin = compare(f"true {self.called}", decided)
        if square != 1 and (decided.verdict is Verdict.HOLDS or not decided.is_between):
            margin = f"{margin}; {scale(ratio, about.noise_called, verdict=decided.verdict)}"
        limit = about.scaled(square=square, neighbours=self.relation())
        return about.with_steps(margin, decided), limit

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist."""
        assert about is not None
        return about.supposes(self.relation())

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has none of them."""
        return "the checker has no parameters of other notions; claim the privacy that follows"


class HasZcdp(_Parameter, frozen=True, kw_only=True, tag="zcdp"):
    """The mechanism is ρ-zCDP."""

    called: ClassVar[str] = "ρ"

    rho: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.positive("rho", self.rho)

    def subject(self) -> tuple[str, Fraction]:
        """Return ρ."""
        return "rho", self.rho

    def value_of(self, loss: PrivacyLoss) -> Fraction | None:
        """Return D_2/2: of all that is answered, D_α/α is largest there (X.ZCDP, X.DG)."""
        found = loss.renyi(Fraction(2))
        return None if found is None else found / 2

    def is_known(self, loss: PrivacyLoss) -> bool:
        """Whether ρ has an upper end."""
        return not loss.leaks and loss.zcdp() is not None

    def _is_between(self, about: Mechanism) -> bool:
        """Whether ρ is no rational number that is known."""
        extent = self._extent(about)
        return None in [self.value_of(loss) for loss in extent.most + extent.least]

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare the true ρ with the asserted one: of some laws it has a closed form (C10)."""
        assert about is not None
        if not self._is_between(about):
            return super().decide(about)
        extent, doubled = self._extent(about), not about.knows(self.neighbours)
        most = max(value for loss in extent.most if (value := loss.zcdp()) is not None)
        least = max(loss.zcdp_least() for loss in extent.least)
        verdict, reason = Verdict.UNDECIDED, ""
        if most <= self.rho:
            verdict = Verdict.HOLDS
        elif least > self.rho:
            verdict = Verdict.VIOLATED
        elif most - least <= most * _SAME:
            reason = _AGREES
        else:
            said = getattr(about, "records", "same") != "unknown"
            reason = _BETWEEN if said else about.open_reason(self.neighbours)
        with precision(_BITS):
            return Decided(
                verdict, "rho", self.rho, ball(least), ball(most), _DIGITS,
                doubled=doubled and verdict is not Verdict.VIOLATED, reason=reason,
            )  # fmt: skip

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off the parameter is, and the noise that would do."""
        assert about is not None
        if not self._is_between(about):
            return super().describe(about, decided)
        return compare("true ρ", decided), ""


class HasGdp(_Parameter, frozen=True, kw_only=True, tag="gdp"):
    """The mechanism is μ-GDP; or nearly so, or over a range.

    Attributes:
        mu: μ.
        neighbours: the relation.
        regret: instead, no test's Bayes success differs from that of μ-GDP by more, at any prior.
        up_to_epsilon: instead, δ(ε) is at most that of μ-GDP at every ε from 0 to this one.
    """

    called: ClassVar[str] = "μ"

    mu: Fraction
    neighbours: Neighbours
    regret: Fraction | UnsetType = UNSET
    up_to_epsilon: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("mu", self.mu)
        if isinstance(self.regret, Fraction):
            if not isinstance(self.up_to_epsilon, UnsetType):
                raise ValueError("regret must be absent where up_to_epsilon is given")
            if not 0 < self.regret < 1:
                raise ValueError(f"regret must be in (0, 1), got {arguments.show(self.regret)}")
        if isinstance(self.up_to_epsilon, Fraction):
            arguments.epsilon(self.up_to_epsilon)

    @property
    def _is_near(self) -> bool:
        """Whether a regret or a range is stated: then μ is no exact parameter."""
        return isinstance(self.regret, Fraction) or isinstance(self.up_to_epsilon, Fraction)

    def check(self, about: Mechanism | None) -> None:
        """Refuse a mechanism that this is no question about."""
        if self._strict_squares(about) is not None:
            return
        if about is None or not self._is_near:
            super().check(about)
            return
        if not isinstance(about, DpSgd) and (why := about.refuses.get("gdp")):
            raise ValueError(why)  # of DP-SGD only the strict μ is refused
        from dporacle.claims.risks import setting_of

        setting_of(about, self.neighbours, direction="both")

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare μ, the regret at μ, or the least μ over the range with what is asserted."""
        assert about is not None
        if (squares := self._strict_squares(about)) is not None:
            return self._decide_strict(about, *squares)
        if not self._is_near:
            return super().decide(about)
        from dporacle.claims.risks import setting_of
        from dporacle.enclosures.tradeoff import gaussian

        setting = setting_of(about, self.neighbours, direction="both")
        if isinstance(self.up_to_epsilon, Fraction):
            value = gaussian.mu_over(setting.both, Fraction(0), self.up_to_epsilon)
        else:
            if getattr(about, "released", "every-step") == "last-iterate":
                raise ArithmeticError("the curve of the last iterate alone is not known")
            if setting.is_bound:  # a regret counts both ways
                return Decided(
                    Verdict.UNDECIDED,
                    *self.subject(),
                    arb(0),
                    arb(1),
                    _FEW_DIGITS,
                    reason=OF_A_BOUND,
                )
            value = gaussian.regret_of(setting.both, self.mu)
        # μ(ε) and regret are of (ε, δ), of all pairs.
        found = replace(setting, reached=not setting.is_bound)
        return self._between(about, judged([(found, value)], self.subject(), _FEW_DIGITS, about))

    def _between(self, about: Mechanism, decided: Decided) -> Decided:
        """Return what is decided where δ(ε) is known between two ends, and this is of the upper.

        A regret counts both ways: a curve that lies below another may be farther from that of μ,
        or nearer. A μ over a range grows with δ(ε), so what some data reach has one that is less.
        """
        from dporacle.claims.risks import curve_of, known_apart
        from dporacle.enclosures.tradeoff import gaussian

        losses = known_apart(about, self.neighbours)
        if losses is None or decided.reason == LAST:
            return decided
        reason = about.open_reason(self.neighbours)
        if isinstance(self.regret, Fraction):
            return replace(
                decided, verdict=Verdict.UNDECIDED, below=arb(0), above=arb(1), reason=reason
            )
        assert isinstance(self.up_to_epsilon, Fraction)
        below = arb(0)
        if losses:
            below = gaussian.mu_over(curve_of(losses), Fraction(0), self.up_to_epsilon)
        decided = replace(decided, below=below)
        if decided.verdict is Verdict.VIOLATED and rounding.side(below, self.mu) <= 0:
            return replace(decided, verdict=Verdict.UNDECIDED, reason=reason)
        return decided

    def _strict_squares(self, about: Mechanism | None) -> tuple[Fraction, Fraction] | None:
        """Return what the square of DP-SGD's least μ is between, if that is what is claimed."""
        if self._is_near or not isinstance(about, DpSgd):
            return None
        return about.strict_mu_squares(self.neighbours)

    def _decide_strict(self, about: Mechanism, least: Fraction, most: Fraction) -> Decided:
        """Compare μ with √(ΣTᵢ/σᵢ²), which is the least one at every sampling rate (T-S)."""
        above = tighten(lambda: self.shown(most), _DIGITS)
        below = above if least == most else tighten(lambda: self.shown(least), _DIGITS)
        verdict, reason = Verdict.HOLDS, ""
        if self.bound() < most:
            verdict, reason = Verdict.UNDECIDED, _NOT_STRICT
        if self.bound() < least:
            verdict, reason = Verdict.VIOLATED, ""
            if getattr(about, "released", "every-step") == "last-iterate":
                verdict, reason = Verdict.UNDECIDED, LAST
        return Decided(verdict, "mu", self.mu, below, above, _DIGITS, reason=reason)

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off the parameter is, and the noise that would do."""
        assert about is not None
        if self._strict_squares(about) is not None:
            return compare("least μ at every sampling rate", decided), ""
        if not self._is_near:
            return super().describe(about, decided)
        called = "regret" if isinstance(self.regret, Fraction) else "least μ over the range"
        return compare(f"true {called}", decided), ""

    def hypotheses(self, about: Mechanism | None) -> tuple[Hypothesis, ...]:
        """Return what is proved under; of a regret of DP-SGD, that it is of all sums."""
        found = super().hypotheses(about)
        if not found or not isinstance(self.regret, Fraction):
            return found
        return (*found, hypothesis("regret-of-every-sum"))

    def subject(self) -> tuple[str, Fraction]:
        """Return μ, or the regret."""
        return ("regret", self.regret) if isinstance(self.regret, Fraction) else ("mu", self.mu)

    def value_of(self, loss: PrivacyLoss) -> Fraction | None:
        """Return μ²."""
        return loss.mu_squared if loss.is_gaussian else None

    def bound(self) -> Fraction:
        """Return the asserted μ²."""
        return self.mu**2

    def shown(self, value: Fraction) -> arb:
        """Enclose μ."""
        return ball(value).sqrt()


class HasRdp(_Parameter, frozen=True, kw_only=True, tag="rdp"):
    """The mechanism's Rényi divergence of an order is at most epsilon."""

    called: ClassVar[str] = "Rényi divergence"

    order: Fraction
    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        if self.order <= 1:
            raise ValueError(f"order must be above 1, got {arguments.show(self.order)}")

    def subject(self) -> tuple[str, Fraction]:
        """Return ε."""
        return "divergence", self.epsilon

    def value_of(self, loss: PrivacyLoss) -> Fraction | None:
        """Return the divergence."""
        return loss.renyi(self.order)
