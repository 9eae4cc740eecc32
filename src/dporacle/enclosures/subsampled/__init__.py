"""Contour inversion for the composed Poisson-subsampled Gaussian, in balls."""
