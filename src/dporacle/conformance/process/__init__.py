"""Run an adapter in child processes that may do anything, and talk with it."""
