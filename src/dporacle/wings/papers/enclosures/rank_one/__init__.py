"""How the enclosures of the rank-one mechanism are computed."""
