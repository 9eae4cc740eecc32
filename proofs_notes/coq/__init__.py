"""The Coq development, installed beside the module that writes its theorems."""
