"""The float64 kernel of the Gaussian mechanism: Mills ratio, profile, and its inverses."""
