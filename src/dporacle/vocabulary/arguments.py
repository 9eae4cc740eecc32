"""The arguments: what each means, where it may lie, and where it is asked.

One row per argument. A quantity whose own domain or ranges differ says so in its own row.
"""

from dataclasses import dataclass

from dporacle.vocabulary.domains import BELOW_ONE, COUNT, NONNEGATIVE, POSITIVE, REAL, UNIT, Domain
from dporacle.vocabulary.draws import ANYWHERE, Binary, Draw, Near, One, Power, Uniform, Whole

_NAN, _INF, _TINY = float("nan"), float("inf"), 5e-324


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of quantities.

    Attributes:
        name: what it is called in every witness, in vectors and in the protocol.
        meaning: what it is, for the pages.
        domain: where it may lie; a number outside is refused.
        everyday: a value that nobody refuses.
        default: what it is for a function of a library that does not take it; None if every
            function has to.
        noise: it says how much noise there is; the kinds of answer speak of it as `noise`.
        uses: it counts how often the mechanism is used.
        role: the argument as which the kinds speak of it, where that is another one.
        data_unit: it is measured in the unit of the data, and scales with it.
        refused: what the vectors ask to be refused.
        usual: log10 of the range in which people work.
        popular: values that many people type.
        extreme: log10 of the range in which an answer has to come, and is proved in well under a
            second.
        edges: where it goes, one argument at a time: next to the ends of its domain and of the
            floats.
        asked: where changed inputs stay, if that is less than the domain.
    """

    name: str
    meaning: str
    domain: Domain
    everyday: float
    default: float | None = None
    noise: bool = False
    uses: bool = False
    role: str = ""
    data_unit: bool = False
    refused: tuple[float, ...] = ()
    usual: tuple[float, float] | None = None
    popular: tuple[float, ...] = ()
    extreme: tuple[float, float] | None = None
    edges: tuple[Draw, ...] = ()
    asked: Domain | None = None

    @property
    def counts(self) -> bool:
        """Whether it counts something: its values are whole numbers."""
        return self.domain.whole

    @property
    def reach(self) -> Domain:
        """Where changed inputs stay."""
        return self.domain if self.asked is None else self.asked


ARGUMENTS = {
    row.name: row
    for row in (
        Argument(
            name="epsilon",
            meaning="ε of (ε, δ)-differential privacy",
            domain=NONNEGATIVE,
            everyday=1.0,
            refused=(_NAN, _INF, -1.0, -_TINY),
            usual=(-3.0, 1.7),
            popular=(0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0),
            extreme=(-12.0, 4.0),
            edges=(
                One(0.0),
                Power(-300, -13),
                Power(2, 2.5),
                Power(2.5, 2.84),
                Uniform(690, 760),
                Power(4, 12),
            ),
        ),
        Argument(
            name="delta",
            meaning="δ of (ε, δ)-differential privacy",
            domain=BELOW_ONE,
            everyday=1e-5,
            refused=(_NAN, _INF, -1e-5, 0.0, 1.5),
            usual=(-12.0, -1.0),
            popular=(1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10),
            extreme=(-300.0, -0.01),
            edges=(Binary(-1023, -1073), Near(-1, 8, 53)),
        ),
        Argument(
            name="sigma",
            meaning="σ: the standard deviation of the noise; of the discrete noise, its parameter; "
            "of subsampled noise, the noise multiplier",
            domain=POSITIVE,
            everyday=1.0,
            noise=True,
            data_unit=True,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(-1.0, 2.0),
            popular=(
                0.5,
                0.6,
                0.7,
                0.8,
                0.9,
                1.0,
                1.1,
                1.2,
                1.3,
                1.5,
                2.0,
                2.5,
                3.0,
                4.0,
                5.0,
                6.0,
                8.0,
                10.0,
                15.0,
                20.0,
                30.0,
                50.0,
                100.0,
            ),
            extreme=(-10.0, 10.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="sigma_star",
            meaning="σ*: the variance of the signed length of rank-one noise",
            domain=POSITIVE,
            everyday=1e4,
            noise=True,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(1.0, 8.0),
            extreme=(-1.0, 12.0),
            edges=(Power(-1, 0), Power(10, 12)),
        ),
        Argument(
            name="scale",
            meaning="b: the scale of Laplace noise, whose standard deviation is b√2",
            domain=POSITIVE,
            everyday=1.0,
            noise=True,
            data_unit=True,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(-1.0, 2.0),
            popular=(
                0.1,
                0.2,
                0.25,
                0.5,
                1.0,
                1.5,
                2.0,
                2.5,
                3.0,
                4.0,
                5.0,
                8.0,
                10.0,
                20.0,
                50.0,
                100.0,
            ),
            extreme=(-10.0, 10.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="sensitivity",
            meaning="Δ: how far neighbouring data move the answer",
            domain=POSITIVE,
            everyday=1.0,
            default=1.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(-3.0, 3.0),
            popular=(1.0,),
            extreme=(-10.0, 10.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="alpha",
            meaning="α: the probability of a larger error; of the trade-off, the error of type I",
            domain=UNIT,
            everyday=0.05,
            refused=(_NAN, _INF, -0.05, 0.0, 1.5),
            usual=(-9.0, -0.05),
            popular=(0.001, 0.01, 0.02, 0.05, 0.1, 0.2),
            extreme=(-300.0, -0.001),
            edges=(Binary(-1023, -1073), Near(-1, 8, 53)),
            asked=BELOW_ONE,
        ),
        Argument(
            name="accuracy",
            meaning="a: the error that is exceeded with probability α",
            domain=NONNEGATIVE,
            everyday=1.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0),
            usual=(-1.0, 1.0),
            extreme=(-10.0, 10.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="mu",
            meaning="μ = Δ/σ of Gaussian differential privacy",
            domain=POSITIVE,
            everyday=1.0,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(-2.0, 0.6),
            popular=(0.1, 0.2, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0),
            extreme=(-10.0, 10.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="rho",
            meaning="ρ of zero-concentrated differential privacy",
            domain=POSITIVE,
            everyday=0.5,
            refused=(_NAN, _INF, -1.0, 0.0),
            usual=(-4.0, 1.0),
            popular=(0.01, 0.05, 0.1, 0.125, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0),
            extreme=(-300.0, 300.0),
            edges=(ANYWHERE,),
        ),
        Argument(
            name="order",
            meaning="α of Rényi differential privacy",
            domain=POSITIVE,
            everyday=2.0,
            refused=(_NAN, -1.0, 0.0),
            usual=(0.1, 3.0),
            extreme=(0.0, 10.0),
            edges=(Near(1, 8, 52), Binary(10, 1000)),
            asked=Domain(least=1),
        ),
        Argument(
            name="releases",
            meaning="k: how many releases there are",
            domain=COUNT,
            everyday=10,
            uses=True,
            refused=(0, -1),
            usual=(0.0, 4.0),
            popular=(1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0),
            extreme=(0.0, 9.0),
            edges=(One(1.0), Whole(2**29, 2**30)),
        ),
        Argument(
            name="contributions",
            meaning="k: in how many counts one person is counted, once in each",
            domain=COUNT,
            everyday=3,
            default=1.0,
            refused=(0, -1),
            usual=(0.0, 2.0),
            popular=(1.0, 2.0, 3.0, 5.0, 10.0),
            extreme=(0.0, 9.0),
            edges=(One(1.0), Whole(2**29, 2**30)),
        ),
        Argument(
            name="rate",
            meaning="q: the probability of each record to enter a batch, independently",
            domain=UNIT,
            everyday=0.5,
            refused=(_NAN, _INF, -0.1, 0.0, 1.5),
            usual=(-3.0, -0.5),
            popular=(0.001, 0.004, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2),
            extreme=(-4.0, -0.01),
            edges=(One(1.0), Near(-1, 8, 30)),
        ),
        Argument(
            name="steps",
            meaning="T: how many batches there are",
            domain=COUNT,
            everyday=1,
            uses=True,
            refused=(0, -1),
            usual=(1.5, 4.0),
            popular=(100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0),
            extreme=(1.5, 5.5),
            edges=(One(1.0),),
        ),
        Argument(
            name="size",
            meaning="k: in how many records the data differ",
            domain=COUNT,
            everyday=2,
            refused=(0, -1),
            usual=(0.3, 1.0),
            popular=(2.0, 3.0, 4.0, 5.0, 8.0, 10.0),
            extreme=(0.0, 1.2),
            edges=(One(1.0), Whole(17, 32)),
        ),
        Argument(
            name="batches",
            meaning="T: how many batches an epoch has",
            domain=Domain(least=1, most=10**6, whole=True),
            everyday=100,
            refused=(0, -1),
            usual=(0.7, 3.5),
            popular=(10.0, 100.0, 234.0, 1000.0),
            extreme=(0.31, 5.0),
            edges=(One(1.0), Whole(2, 4)),
        ),
        Argument(
            name="later_sigma",
            meaning="σ of the second phase",
            domain=POSITIVE,
            everyday=2.0,
            noise=True,
            refused=(_NAN, -1.0, 0.0),
            usual=(-0.15, 0.7),
            extreme=(-0.2, 1.3),
            edges=(Power(1.2, 1.6),),
        ),
        Argument(
            name="later_rate",
            meaning="q of the second phase",
            domain=UNIT,
            everyday=0.1,
            role="rate",
            refused=(_NAN, 0.0, 1.5),
            usual=(-3.0, -0.5),
            extreme=(-3.5, -0.01),
            edges=(One(1.0), Near(-1, 8, 30)),
        ),
        Argument(
            name="later_steps",
            meaning="T of the second phase",
            domain=COUNT,
            everyday=100,
            role="steps",
            refused=(0,),
            usual=(1.5, 4.0),
            extreme=(1.5, 5.0),
            edges=(Whole(100, 200),),
        ),
        Argument(
            name="queries",
            meaning="k: how many answers are released at once",
            domain=COUNT,
            everyday=10,
            refused=(0, -1),
        ),
        Argument(
            name="beta",
            meaning="β: the probability that one of the errors is larger",
            domain=BELOW_ONE,
            everyday=0.05,
            refused=(_NAN, _INF, -0.05, 0.0, 1.5),
        ),
        Argument(
            name="error",
            meaning="an error bound",
            domain=NONNEGATIVE,
            everyday=3.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0),
        ),
        Argument(
            name="dimension",
            meaning="d: how many coordinates the answer has; M of rank-one noise",
            domain=COUNT,
            everyday=10,
            refused=(0, -1),
            usual=(0.5, 2.5),
            extreme=(0.5, 5.0),
            edges=(One(3.0), Whole(10**5, 10**6)),
        ),
        Argument(
            name="norm",
            meaning="‖θ‖: the length of the signal",
            domain=NONNEGATIVE,
            everyday=1.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0),
        ),
        Argument(
            name="prior",
            meaning="π: the probability of the record to be in the data",
            domain=BELOW_ONE,
            everyday=0.5,
            refused=(_NAN, _INF, -0.5, 1.5),
            usual=(-3.0, -0.05),
            popular=(0.01, 0.1, 0.25, 0.5, 0.75, 0.9),
            extreme=(-30.0, -0.001),
            edges=(Binary(-1, -60), Near(-1, 8, 20)),
        ),
        Argument(
            name="prior_sigma",
            meaning="w: the standard deviation of the prior",
            domain=POSITIVE,
            everyday=1.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0, 0.0),
        ),
        Argument(
            name="mean",
            meaning="θ: one coordinate of the signal",
            domain=REAL,
            everyday=1.0,
            data_unit=True,
            refused=(_NAN, _INF),
        ),
        Argument(
            name="threshold",
            meaning="what passes and what does not: λ of an estimate, τ of a noisy count",
            domain=NONNEGATIVE,
            everyday=1.0,
            data_unit=True,
            refused=(_NAN, _INF, -1.0),
        ),
    )
}
"""Every argument by its name."""
