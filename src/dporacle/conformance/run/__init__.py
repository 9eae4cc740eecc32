"""Ask several libraries at once, and judge what they answer."""
