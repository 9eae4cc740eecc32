"""What any room may use, and what knows nothing of privacy: files, seeds, the exit status."""
