"""What a function is asked: vectors, fresh inputs, repeats, and how long for."""
