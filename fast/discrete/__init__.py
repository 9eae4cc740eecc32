"""What the float64 functions of the discrete Gaussian are made of."""
