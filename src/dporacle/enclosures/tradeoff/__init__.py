"""Trade-off curves from privacy profiles: what a test of membership reaches (X.RISK)."""
