"""What several tests share: strategies over the whole domain, and exact comparisons."""
