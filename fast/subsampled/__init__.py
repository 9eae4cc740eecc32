"""What stands behind the float64 witness of the Poisson-subsampled Gaussian."""
