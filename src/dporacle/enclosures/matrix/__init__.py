"""The sensitivity of matrix mechanisms, on both sides (X.COMP)."""
