"""All faulty specimens."""

from dporacle.specimens.faulty_inverse import OTHERS
from dporacle.specimens.faulty_laplace import LAPLACE_NOISE
from dporacle.specimens.faulty_narrow import NARROW
from dporacle.specimens.faulty_sigma import SIGMA
from dporacle.specimens.faulty_sigma_inputs import SIGMA_INPUTS

__all__ = ["FAULTY", "NARROW"]

FAULTY = (*SIGMA, *SIGMA_INPUTS, *OTHERS, *LAPLACE_NOISE)
"""The faulty calibrators; those with a `source` reproduce what a real library has done."""
