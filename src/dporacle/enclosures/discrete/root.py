"""The least σ from which on the discrete Gaussian is private, proved over every σ (X.DG)."""

import math
from fractions import Fraction

import flint
from flint import arb

from dporacle.enclosures.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.arithmetic.normal import normal_density
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.discrete.lattice import half_sums, normaliser

_MAX_BOXES = 500  # where σ is 2 or more the certified vectors take 38 at most
_START = 12  # the first box is 2^-12 of σ, or less where σ is large
_FEW_DIGITS = 30  # of a σ that has to be above alone: rounding it up costs nothing


def least_private(eps: Fraction, target: Fraction, distance: int, digits: int) -> arb:
    """Enclose it.

    Raises:
        ArithmeticError: if the boxes do not tell.
    """
    far, size = _far(eps, target, distance)
    bits = 2 * bits_for(digits) + 160 + 6 * size
    # A root may be as close to a bend of δ(ε) as δ is to 0, relative to ε.
    near = 2 * max(0, _magnitude(eps)) + (0 if size else 2 * max(0, -_magnitude(target)))
    bits += near
    with precision(bits):
        # s rises as σ falls: [0, s] is private throughout.
        s = (1 / (2 * ball(far) ** 2)).mid()
        step = arb(2) ** -(_START + 2 * size)
        # Towards a bend boxes shrink: some per bit, at a σ where a box costs little.
        allowed = _MAX_BOXES if size > 1 else _MAX_BOXES + 4 * bits
        for _ in range(allowed):
            following = (s * (1 + step)).mid()
            private = _private_between(eps, target, distance, s, following)
            if private:
                s, step = following, step * 2 if step < 0.1 else step
                continue
            if step < arb(2) ** -_START:
                root = _crossing(eps, target, distance, s, following, digits)
                if root is not None:
                    return 1 / (2 * root).sqrt()
            step = (step / 2).mid()
    raise ArithmeticError(
        f"sigma at epsilon = {float(eps):g}, delta = {float(target):g}, sensitivity = {distance} "
        f"needs more than {allowed} boxes"
    )


def _magnitude(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length() if value else 0


def _far(eps: Fraction, target: Fraction, distance: int) -> tuple[Fraction, int]:
    """Return a σ beyond which every σ is private, and about log₂ of it where that is positive.

    By the zCDP bound, by Pinsker's, or as δ(ε) of the continuous noise and a bound of how far the
    discrete one is above it, which both fall in σ.
    """
    size = max(0, _magnitude(distance / target))
    with precision(2 * size + 128):
        log = -ball(target).log()
        high = distance / (2 * ball(target))
        if eps:
            zcdp = distance * ((log + ball(eps)).sqrt() + log.sqrt()) / (ball(eps) * arb(2).sqrt())
            high = zcdp if zcdp < high else high
        far = bounds(high.upper())[1]
    size = max(0, _magnitude(far))
    if far < 1:
        return far, size
    digits = _FEW_DIGITS + math.ceil(0.7 * size)
    smooth = bounds(calibrate_sigma(epsilon=eps, delta=target, sensitivity=distance, digits=digits))
    for shift in range(2 * size + 8):
        near = smooth[1] * (1 + Fraction(1, 1 << (2 * size + 8 - shift)))
        if near >= far:
            break
        smooth_delta = delta_at_epsilon(
            epsilon=eps, sigma=near, sensitivity=distance, digits=digits
        )
        with precision(bits_for(digits) + 64):
            if smooth_delta + _excess(eps, near, distance) < ball(target):
                return near, size
    return far, size


def _excess(eps: Fraction, sigma: Fraction, distance: int) -> arb:
    """Bound δ(ε) − δ(ε) of the continuous noise, for this σ and all above (see the note)."""
    mu, e, s = ball(distance / sigma), ball(eps), ball(sigma)
    bound = (arb("4.4") * mu + 2 * mu * mu + 2 * e) / (8 * s * s)
    kink = e / mu - mu / 2
    if kink >= 1:
        sharp = mu * normal_density(kink) * (4 + mu / kink) / (8 * s * s)
        bound = sharp if sharp < bound else bound
    return bound


def _at(eps: Fraction, s: arb, first: int, distance: int) -> tuple[arb, arb]:
    """(A_t − e^ε A_{t+D})/Z and its derivative in s."""
    norm, spread = normaliser(s)
    far, far_square = half_sums(s, first + distance, ball(eps))
    if first > 0:
        near, near_square = half_sums(s, first)
    else:
        rest = half_sums(s, 1 - first)
        near, near_square = norm - rest[0], spread - rest[1]
    value = (near - far) / norm
    return value, (far_square - near_square + spread * value) / norm


def _firsts(eps: Fraction, s: arb, distance: int) -> range:
    """The first integers t that occur for a ball of s."""
    centre = ball(eps) / (2 * s * distance) - arb(distance) / 2
    low, high = bounds(centre)
    return range(math.floor(low) + 1, math.floor(high) + 2)


def _box(low: arb, high: arb) -> tuple[arb, arb, arb]:
    middle, radius = ((low + high) / 2).mid(), ((high - low) / 2).upper()
    return middle + arb(0, radius), middle, radius


def _private_between(eps: Fraction, target: Fraction, distance: int, low: arb, high: arb) -> bool:
    """Prove δ(ε) < δ over an interval of s."""
    box, middle, radius = _box(low, high)
    firsts = _firsts(eps, box, distance)
    if len(firsts) > 8:
        return False
    for first in firsts:
        slope = _at(eps, box, first, distance)[1]
        value = _at(eps, middle, first, distance)[0]
        if not value + abs(slope) * radius < ball(target):
            return False
    return True


def _crossing(
    eps: Fraction, target: Fraction, distance: int, low: arb, high: arb, digits: int
) -> arb | None:
    """Enclose the least s in a box where δ(ε) = δ, if every member is proved to rise there."""
    box, _, _ = _box(low, high)
    firsts, roots = _firsts(eps, box, distance), []
    if len(firsts) > 8:
        return None
    wanted = bits_for(digits) + 4
    for first in firsts:
        if not _at(eps, box, first, distance)[1] > 0:
            return None
        if _at(eps, high, first, distance)[0] < ball(target):
            continue  # this member meets δ later
        found: arb | None = box
        while found is not None and found.rel_accuracy_bits() < wanted:
            found = _newton(eps, target, distance, first, found)
        if found is None:
            return None
        roots.append(found)
    if not roots:
        return None
    ends = [bounds(root) for root in roots]
    low_end, high_end = min(each[0] for each in ends), min(each[1] for each in ends)
    with precision(flint.ctx.prec + 64):
        return ball(low_end).union(ball(high_end))


def _newton(eps: Fraction, target: Fraction, distance: int, first: int, box: arb) -> arb | None:
    """Return the interval Newton step's image within a box, None if it is no smaller."""
    middle = box.mid()
    slope = _at(eps, box, first, distance)[1]
    image = middle - (_at(eps, middle, first, distance)[0] - ball(target)) / slope
    if not (image.is_finite() and image.overlaps(box)):
        return None
    image = image.intersection(box)
    return image if image.rad() < box.rad() * 0.75 else None
