"""The strategy matrices that have a name, and how many steps a matrix has at most."""

MOST_STEPS = 1 << 16
MOST_TREE_STEPS = 10**6  # of which a pattern is still printed
NAMED = {
    "identity": "each step's sum alone",
    "prefix": "the sum of all steps so far",
    "tree": "the sums over the complete nodes of a binary tree, leaves among them",
    "sqrt-toeplitz": "the square root of the prefix sums; sqrt-toeplitz:B has B bands",
    "blt": "buffers, with --buffer-decay and --output-scale",
}
"""The matrices that have a name."""
