"""The libraries that the judge knows, their environments, and what starts an adapter."""
