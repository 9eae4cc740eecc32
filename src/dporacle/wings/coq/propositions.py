"""Propositions about given numbers, and the hints with which Coq decides them.

A hint is a precision and counts of terms. Wrong ones cannot prove anything false: the comparison
then does not come out, and Coq refuses the theorem.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

from dporacle.wings.coq.reals import Real, normal, number, power, profile

_ZERO = number(0)
_GUARD = 40  # bits: rounding of the operations around Φ, and counts of them
_PRECISIONS = (128, 512, 2048, 8192)
_MOST_TERMS = 8000
_FAR = 1024.0  # where the checker bounds Φ by a nearer point
_MOST_EPSILON = 10**5  # the checker's exponential takes time in proportion


class NotCoveredError(Exception):
    """No theorem of Coq is written for such a claim; the message says what is missing."""


class OutOfReachError(Exception):
    """The verified checker would need too long for these numbers."""


@dataclass(frozen=True, slots=True)
class Proposition:
    """A proposition that the checker decides, or its negation.

    Attributes:
        text: what Coq reads.
        gap: the two sides that decide it: it is true if the first is at most the second.
        arguments: where Φ is needed, and what its error is multiplied by, for each of the counts
            of terms.
        epsilon: the argument of the exponential.
        obvious: whether no value of Φ is needed.
        operations: how many roundings there are besides.
        negation: the text of the negation, where it is not "~ text".
        tactic: what proves it, with places for the hints.
        needs: the files whose names the text and the tactic use.
    """

    text: str
    gap: tuple[Real, Real]
    arguments: tuple[tuple[Real, Callable[[], mpf]], ...]
    epsilon: Real = _ZERO
    obvious: bool = False
    operations: int = 1
    negation: str = ""
    tactic: str = "by_computation {bits}%positive {terms}%nat {others}%nat."
    needs: tuple[str, ...] = ()

    def hints(self) -> tuple[int, int, int, int]:
        """Return bits and three counts of terms that should do.

        Raises:
            OutOfReachError: if they would be too many, or the two sides are too close.
        """
        if self.epsilon.value() > _MOST_EPSILON:
            raise OutOfReachError(f"ε is above {_MOST_EPSILON}")
        if self.obvious:
            return _GUARD, 0, 0, 0
        for precision in _PRECISIONS:
            with mp.workprec(precision):
                left, right = (side.value() for side in self.gap)
                error = abs(left - right)
                if error > mp.ldexp(1 + abs(left) + abs(right), 40 - precision):
                    return self._hints_for(error)
        raise OutOfReachError("the two sides agree to thousands of digits")

    def _hints_for(self, error: mpf) -> tuple[int, int, int, int]:
        bits, counts = 0, []
        for argument, factor in self.arguments:
            x, most = abs(argument.value()), error / factor() / 64
            counts.append(_terms(x, most))
            size = mp.log(1 + min(x, mpf(_FAR)), 2)
            bits = max(bits, int(-mp.log(most, 2) + 2 * size) if counts[-1] else 0)
        bits = max(bits, int(-mp.log(error, 2)) + 8)
        bits += int(mp.log(1 + self.epsilon.value(), 2)) + max(counts, default=0).bit_length()
        bits += self.operations.bit_length()
        first, second, third = [*counts, 0, 0, 0][:3]
        return max(bits, 0) + _GUARD, first, second, third

    def proof(self) -> str:
        """Return the proof, of the proposition or its negation.

        Raises:
            OutOfReachError: as for `hints`.
        """
        bits, terms, others, third = self.hints()
        return self.tactic.format(bits=bits, terms=terms, others=others, third=third)

    def negated(self) -> str:
        """Return the text of the negation."""
        return self.negation or f"~ {self.text}"


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a theorem about a whole domain.

    Attributes:
        text: what Coq reads.
        script: its proof.
        needs: the files whose names both use.
    """

    text: str
    script: str
    needs: tuple[str, ...]

    def proof(self) -> str:
        """Return the proof."""
        return self.script

    def negated(self) -> str:
        """Return the text: what is said is what refutes."""
        return self.text


def _terms(x: mpf, most: mpf) -> int:
    """Return how many terms bring the rest of the series of Φ below a bound; 0 for the tail."""
    if x > _FAR or mp.exp(-x * x / 2) < most:
        return 0
    goal, term, count = mp.log(most), mp.log(x) if x else mp.ninf, 0
    with mp.workprec(53):
        step = 2 * mp.log(x) if x else mp.ninf
        while term > goal or count < x * x / 2:
            count += 1
            term += step - mp.log(2 * count + 1)
            if count > _MOST_TERMS:
                raise OutOfReachError(f"more than {_MOST_TERMS} terms of the series of Φ")
    return count + 2


def private(epsilon: Real, delta: Real, sensitivity: Real, sigma: Real) -> Proposition:
    """Return "noise of standard deviation sigma is (epsilon,delta)-DP at this sensitivity"."""
    parts = (epsilon, delta, sensitivity, sigma)
    mu = sensitivity / sigma
    text = "gaussian_dp " + " ".join(part.text for part in parts)
    # Theorem8.v: δ = 1 is always enough, and δ = 0 never.
    obvious = not 0 < delta.value() < 1
    gap = profile(epsilon, mu), delta
    return Proposition(text, gap, _of_profile(epsilon, mu), epsilon, obvious)


def _of_profile(epsilon: Real, mu: Real) -> tuple[tuple[Real, Callable[[], mpf]], ...]:
    half, ratio = mu / number(2), epsilon / mu
    return (
        (half - ratio, lambda: mpf(1)),
        (number(0) - half - ratio, lambda: mp.exp(epsilon.value())),
    )


def accurate(error: Real, alpha: Real, sigma: Real, coordinates: int) -> Proposition:
    """Return "the largest error of so many coordinates exceeds this with probability ≤ alpha"."""
    argument = (number(0) - error) / sigma
    within = power(number(1) - number(2) * normal(argument), coordinates)
    text = f"gaussian_accuracy {error.text} {alpha.text} {sigma.text} {coordinates}"
    return Proposition(
        text, (number(1) - alpha, within), ((argument, lambda: mpf(2 * coordinates)),)
    )


def loss_within(most: Real, sigma: Real, dimension: int) -> Proposition:
    """Return "the expected squared error of so many coordinates is at most this"."""
    text = f"gaussian_loss {most.text} {sigma.text} {dimension}"
    return Proposition(text, (number(dimension) * sigma * sigma, most), ())


def at_most(
    left: Real, right: Real, *, epsilon: Real | None = None, mu: Real | None = None,
    argument: Real | None = None,
) -> Proposition:  # fmt: skip
    """Return "left ≤ right", where the profile at (epsilon, mu), or Φ at argument, occurs."""
    if epsilon is not None and mu is not None:
        return Proposition(
            f"({left.text} <= {right.text})", (left, right), _of_profile(epsilon, mu), epsilon
        )
    places = () if argument is None else ((argument, lambda: mpf(1)),)
    return Proposition(f"({left.text} <= {right.text})", (left, right), places)
