"""Importing one witness loads no other, and nothing called reference or fast is installed."""

import importlib.util
import subprocess
import sys

import pytest

HEAVY = {
    "dporacle": {"numpy", "scipy", "mpmath", "flint", "click", "rich"},
    "dporacle.arguments": {"numpy", "scipy", "mpmath", "flint"},
    "dporacle.reference": {"numpy", "scipy", "flint", "dporacle.fast", "dporacle.enclosures"},
    "dporacle.fast": {"mpmath", "flint", "dporacle.reference", "dporacle.enclosures"},
    "dporacle.enclosures": {"numpy", "scipy", "mpmath", "dporacle.reference", "dporacle.fast"},
}


@pytest.mark.parametrize("module", HEAVY)
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert not HEAVY[module] & set(loaded.stdout.split())


@pytest.mark.parametrize("name", ["reference", "fast", "oracle"])
def test_no_bare_names_are_installed(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is None or "site-packages" not in str(found.origin)
