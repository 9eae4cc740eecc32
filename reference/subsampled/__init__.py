"""The numerics of the composed Poisson-subsampled Gaussian in mpmath."""
