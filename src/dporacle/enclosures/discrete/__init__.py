"""Sums over the integers, and the least private σ of discrete noise."""
