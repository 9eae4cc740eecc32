"""What is for the project's development alone: a checkout has it, an installation does not.

`specimens` tests the judge on calibrators with known faults, `exploration` the witnesses against
each other at random inputs.
"""
