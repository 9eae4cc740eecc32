"""What an optional part of the package is missing, said once and by the name of the extra."""

_EXTRAS = {
    "matplotlib": "plots",
    "pywt": "experiments",
    "skimage": "experiments",
    "distributed": "cluster",
    "pyarrow": "parquet",
    "uv": "conform",
    "yaml": "registry",
    "hypothesis": "frozen",
}
"""Module -> the extra of pyproject.toml that installs it."""


def advice(error: ImportError) -> str | None:
    """Return what is missing for a failed import; None if it is no extra and no wing."""
    if (error.name or "").startswith("dporacle.wings."):
        return str(error)
    module = (error.name or "").partition(".")[0]
    if module not in _EXTRAS:
        return None
    return f"this needs {module}: pip install 'dporacle[{_EXTRAS[module]}]'"
