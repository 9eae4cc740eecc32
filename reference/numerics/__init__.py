"""How the specification's formulas are evaluated: precision, roots, sums over the integers."""
