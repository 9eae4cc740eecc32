"""Ball arithmetic for the enclosures and the judge: precision, roots, rounding, Φ."""
