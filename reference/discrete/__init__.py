"""How the discrete Gaussian mechanism's privacy profile is solved for σ."""
