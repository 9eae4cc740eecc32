"""The float64 profile of the rank-one mechanism."""
