"""How the rank-one mechanism's quantities are computed with mpmath."""
