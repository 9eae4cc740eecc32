"""What papers say beside the noise of today's libraries: experiments, figures, rank-one noise."""
