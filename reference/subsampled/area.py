"""The area under the curve of TPR over FPR, from the moments where Re s = −1/2 (X.RISK.AUC)."""

from dporacle.reference.numerics.precision import Real, freeze, real, working
from dporacle.reference.subsampled.moments import Phase


def area(phase: Phase, bits: int) -> Real:
    """1 less the trapezoid sum over v of |K(−1/2 + i sinh(v)/2)|²/(π cosh v), v ≥ 0.

    K is a trapezoid sum on the line Im t = b, where no power e^{iu ln w} is above 1.
    """
    sigma_exact, rate, steps = phase
    with working(bits + bits // 4 + steps.bit_length()) as ctx:  # e^{b²/2} cancels
        sigma, q, size = real(ctx, sigma_exact), real(ctx, rate), (ctx.prec + 8) * ctx.ln2
        b = min(ctx.mpf("0.45") * ctx.pi * sigma, ctx.sqrt(size) / 2)
        h = 2 * ctx.pi * b / (size + 2 * b * b)
        edge = int(ctx.sqrt(2 * size + b * b) / h) + 1
        rows = []
        for t in (ctx.mpc(k * h, b) for k in range(-edge, edge + 1)):
            loss = ctx.log(1 - q + q * ctx.exp(t / sigma - 1 / (2 * sigma**2)))
            rows.append((loss, (loss - t * t) / 2))
        width, scale = 2 * ctx.pi**2 / (5 * bits * ctx.ln2), h / ctx.sqrt(2 * ctx.pi)
        total, v, f = ctx.zero, ctx.zero, ctx.one
        while f > ctx.ldexp(1, -bits):
            turn = ctx.mpc(0, ctx.sinh(v) / 2)
            moment = scale * ctx.fsum(ctx.exp(log + turn * loss) for loss, log in rows)
            f = abs(moment) ** (2 * steps) / ctx.cosh(v)
            total += f / (1 if v else 2)
            v += width
        return freeze(1 - width * total / ctx.pi)
