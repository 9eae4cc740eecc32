"""The Coq development, as it is installed beside what writes its theorems."""
