"""What an optional part of the package is missing, said once and by the name of the extra."""

_EXTRAS = {
    "matplotlib": "plots",
    "pywt": "experiments",
    "skimage": "experiments",
    "distributed": "cluster",
    "pyarrow": "parquet",
    "uv": "conform",
    "yaml": "registry",
}
"""Module -> the extra of pyproject.toml that installs it."""


def advice(error: ImportError) -> str | None:
    """Return what to install for a failed import, None if no extra has the module."""
    module = (error.name or "").partition(".")[0]
    if module not in _EXTRAS:
        return None
    return f"this needs {module}: pip install 'dporacle[{_EXTRAS[module]}]'"
