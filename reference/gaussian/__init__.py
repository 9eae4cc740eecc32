"""Where the statements about Gaussian noise are solved for an argument."""
