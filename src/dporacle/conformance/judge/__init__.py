"""What one answer is, by balls alone: its outcome, the harm, what it gives away."""
