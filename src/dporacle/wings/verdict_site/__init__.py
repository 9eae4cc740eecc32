"""The static site of verdicts: `site` makes it of records."""
