"""Tables of the float64 witness, written by tools/make_fast_tables.py."""
