"""Calibrations of the form σ = D·g(δ)/ε, and the ε up to which they are private."""
