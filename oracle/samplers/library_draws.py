"""Draw a library's own noise, inside its own environment: `python library_draws.py NAME SIGMA`.

Reads lines `ROWS DIMENSION VALUE`; answers each with ROWS·DIMENSION releases of VALUE, as float64
in little-endian order. It stands alone: nothing of this project is imported.
"""

import array
import sys


def opendp(sigma):
    """make_gaussian over a vector of floats, with its default grid."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
    measurement = dp.m.make_gaussian(*space, scale=sigma)
    return lambda count, value: measurement([value] * count)


def diffprivlib(sigma):
    """GaussianAnalytic at (1, 1e-5), with the sensitivity for which its scale is σ."""
    from diffprivlib.mechanisms import GaussianAnalytic

    unit = GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=1.0)._scale
    mechanism = GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=sigma / unit)
    return lambda count, value: [mechanism.randomise(value) for _ in range(count)]


def python_dp(sigma):
    """GaussianMechanism at (1, 1e-5), with the sensitivity for which its std is σ."""
    from pydp.algorithms.numerical_mechanisms import GaussianMechanism

    unit = GaussianMechanism(1.0, 1e-5, 1.0).std
    mechanism = GaussianMechanism(1.0, 1e-5, sigma / unit)
    return lambda count, value: [mechanism.add_noise(value) for _ in range(count)]


LIBRARIES = {"opendp": opendp, "diffprivlib": diffprivlib, "python-dp": python_dp}


def main():
    """Answer until the input ends."""
    draw = LIBRARIES[sys.argv[1]](float(sys.argv[2]))
    for line in sys.stdin:
        rows, dimension, value = line.split()
        drawn = array.array("d", draw(int(rows) * int(dimension), float(value)))
        if sys.byteorder == "big":
            drawn.byteswap()
        sys.stdout.buffer.write(drawn.tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
