"""The certified vectors, a file for each quantity."""
