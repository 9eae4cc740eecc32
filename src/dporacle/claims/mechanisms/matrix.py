"""Noise that is correlated by a matrix (X.COMP)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.decision import Decided
from dporacle.claims.losses import Extent, PrivacyLoss
from dporacle.claims.mechanisms.gaussian import least_unit
from dporacle.claims.mechanisms.mechanism import ClippedSums, LeastNoise
from dporacle.claims.mechanisms.record import FOLDER, Neighbours
from dporacle.claims.quantities import root_bounds
from dporacle.claims.wording import round_decimal
from dporacle.vocabulary.hypotheses import Hypothesis
from dporacle.vocabulary.matrices import MOST_TREE_STEPS, NAMED

if TYPE_CHECKING:
    from dporacle.enclosures.matrix.sensitivity import Participation, Sensitivity
    from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz, Tree

_DIGITS = 20
_SHOWN_DIGITS = 6

_ERROR = (
    "out of scope: the error of what is computed from the noisy rows; the nearest claim that can "
    "be decided is the same claim about `gaussian` noise, for one row"
)
_OPEN = (
    "the squared sensitivity is between {} and {}: proved; at the upper end the claim is false, at "
    "the lower end it is true"
)
Times = Annotated[int, msgspec.Meta(ge=1, le=10**18)]
Buffers = Annotated[tuple[Fraction, ...], msgspec.Meta(max_length=64)]


class _Participating(Protocol):
    @property
    def participations(self) -> int: ...

    @property
    def separation(self) -> int | UnsetType: ...

    @property
    def epochs_fixed(self) -> bool: ...


def read_participation(about: _Participating) -> Participation:
    """Return in which steps a record may take part.

    Raises:
        ValueError: naming the field that is missing or wrong.
    """
    from dporacle.mechanisms.matrix import participation

    apart = about.separation
    return participation(
        about.participations,
        None if isinstance(apart, UnsetType) else apart,
        epochs_fixed=about.epochs_fixed,
    )


def open_sensitivity(found: Sensitivity) -> str:
    """Say why a claim between the two ends of a sensitivity is open."""
    return _OPEN.format(
        round_decimal(found.low, _SHOWN_DIGITS, up=False),
        round_decimal(found.high, _SHOWN_DIGITS, up=True),
    )


class Matrix(ClippedSums, frozen=True, kw_only=True, tag="matrix", dict=True):
    """Cx + z, released row by row; x_j sums the contributions of step j, of norm at most 1 each.

    The sensitivity is proved, on both sides, and every relation is known.

    Attributes:
        matrix: a name, such as "tree", or the name of a file beside the file of claims.
        size: how many steps a matrix with a name has.
        buffer_decay: θ of each buffer of "blt".
        output_scale: ω of each.
        participations: in how many steps a record takes part at most.
        separation: how many steps apart two of these are at least; must be given if they are more.
        epochs_fixed: whether consecutive ones are exactly so many apart.
        noise_multiplier: the noise of each row over the norm of a contribution.
        clipping_norm: that norm may be stated; the privacy does not depend on it.
        neighbours: may be stated; a claim says which relation it is about.
    """

    noun: ClassVar[str] = "a matrix mechanism"
    example: ClassVar[Mapping[str, object]] = {
        "matrix": "tree",
        "size": 4,
        "participations": 1,
        "noise_multiplier": 1,
    }
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _ERROR, "loss": _ERROR}
    noise_called: ClassVar[str] = "the noise multiplier"

    matrix: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    size: Annotated[int, msgspec.Meta(ge=1, le=MOST_TREE_STEPS)] | UnsetType = UNSET
    buffer_decay: Buffers | UnsetType = UNSET
    output_scale: Buffers | UnsetType = UNSET
    participations: Times
    separation: Times | UnsetType = UNSET
    epochs_fixed: bool = False
    noise_multiplier: Fraction
    clipping_norm: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("noise_multiplier", self.noise_multiplier)
        if isinstance(self.clipping_norm, Fraction):
            arguments.positive("clipping_norm", self.clipping_norm)
        self.__dict__["_pattern"] = read_participation(self)
        self.__dict__["_strategy"] = self._read()

    def _read(self) -> Strategy | Toeplitz | Tree:
        if self.matrix.partition(":")[0] in NAMED:
            if not isinstance(self.size, int):
                raise ValueError(f"size must be given for the matrix {self.matrix!r}")
            return _named(
                self.matrix, self.size, _given(self.buffer_decay), _given(self.output_scale)
            )
        if self.size is not UNSET:
            raise ValueError(
                f"matrix must be one of {', '.join(NAMED)} where size is given, "
                f"got {arguments.show(self.matrix)}"
            )
        if _given(self.buffer_decay) or _given(self.output_scale):
            raise ValueError("buffer_decay must be given for the matrix 'blt' only")
        folder = FOLDER.get()
        if folder is None:
            raise ValueError(
                f"matrix must be one of {', '.join(NAMED)}, got {arguments.show(self.matrix)}: a "
                "file is read only beside a file of claims"
            )
        path = folder / self.matrix
        if Path(self.matrix).name != self.matrix or "\\" in self.matrix:
            raise ValueError(
                "matrix must be the name of a file in the folder of the claims, or one of "
                f"{', '.join(NAMED)}, got {arguments.show(self.matrix)}"
            )
        if path.is_symlink() or not path.is_file():
            raise ValueError(
                f"matrix must be one of {', '.join(NAMED)}, or a file in the folder of the claims: "
                f"there is no file {arguments.show(self.matrix)}"
            )
        state = path.stat()
        return _file(path, state.st_mtime_ns, state.st_size)

    @cached_property
    def found(self) -> Sensitivity:
        """The squared sensitivity for add-remove, on both sides."""
        from dporacle.enclosures.matrix.sensitivity import sensitivity

        return sensitivity(self.__dict__["_strategy"], self._asked())

    def _asked(self) -> Participation:
        return self.__dict__["_pattern"]  # type: ignore[no-any-return]

    def count(self) -> int:
        """Return the number of steps, each of which may release a row."""
        return int(self.__dict__["_strategy"].size)

    def _ends(self, neighbours: Neighbours) -> tuple[Fraction, Fraction]:
        """Return μ² from below and from above: two contributions may be opposite."""
        factor = (4 if neighbours == "replace-one" else 1) / self.noise_multiplier**2
        return factor * self.found.low, factor * self.found.high

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        low, high = map(PrivacyLoss, self._ends(neighbours))
        return Extent((high,), (low,))

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction | None:
        """Return the μ² of the worst pair, where it is known."""
        low, high = self._ends(neighbours or self.relation())
        return low if low == high else None

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        return self.decide_by_extent(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say why a claim between the two ends is open."""
        return open_sensitivity(self.found)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise:
        """Return a noise multiplier that is (ε,δ)-DP, the least one where S² is exact."""
        ratio = least_unit(epsilon, delta) * root_bounds(self._ends(neighbours)[1], _DIGITS)[1]
        return LeastNoise(self._would_do(ratio), ratio, self.noise_called)

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say which noise multiplier has a square that is so many times the present one."""
        return self._would_do(root_bounds(square, _DIGITS)[1])

    def _would_do(self, ratio: Fraction) -> str:
        shown = round_decimal(ratio * self.noise_multiplier, _SHOWN_DIGITS, up=True)
        return f"a noise multiplier of {shown} would do"

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return who takes part when, and what else the theorem supposes."""
        from dporacle.mechanisms.matrix import hypotheses

        size = self.__dict__["_strategy"].size
        return hypotheses(self._asked(), f"each matrix of {size} steps")

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        whole = "a contribution of the full norm"
        if neighbours == "replace-one":
            whole += ", and the record in its place the opposite one"
        turned = "" if len(self.found.pattern) == 1 else ", each in the direction that adds most,"
        return (
            f"a record may take part in {self._worst()} with {whole}{turned} and every row is "
            "released"
        )

    def details(self) -> frozenset[str]:
        """Return what a full sensitivity is of a matrix among other releases."""
        turned = "" if len(self.found.pattern) == 1 else ", each in the direction that adds most"
        return frozenset(
            [f"of a matrix, by a contribution of the full norm in {self._worst()}{turned}"]
        )

    def _worst(self) -> str:
        from dporacle.mechanisms.matrix import in_words

        return in_words(self.found.pattern)

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program cannot check it."""
        return "the checker has no sensitivities of matrices"


def _given(buffers: tuple[Fraction, ...] | UnsetType) -> tuple[Fraction, ...]:
    return () if isinstance(buffers, UnsetType) else buffers


@lru_cache(maxsize=4)
def _named(
    name: str, size: int, decays: tuple[Fraction, ...], scales: tuple[Fraction, ...]
) -> Strategy | Toeplitz | Tree:
    from dporacle.mechanisms.matrix import named

    return named(name, size, decays, scales)


@lru_cache(maxsize=4)
def _file(path: Path, changed: int, length: int) -> Strategy | Toeplitz:
    """Read a file once, as long as it does not change."""
    from dporacle.mechanisms.matrix_files import read

    try:
        return read(path)
    except OSError as error:
        raise ValueError(f"matrix must be a file that can be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"matrix must be a strategy matrix: {error}") from None
