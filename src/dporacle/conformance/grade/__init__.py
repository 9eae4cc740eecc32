"""What all answers of a function, and all functions of a run, amount to."""
