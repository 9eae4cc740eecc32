"""Importing one witness loads no other, and nothing called reference or fast is installed."""

import importlib
import importlib.util
import subprocess
import sys

import pytest

from dporacle.vocabulary.statements import WITNESSES
from dporacle.vocabulary.witnesses import RENAMED

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


@pytest.mark.parametrize("name", ["reference", "fast"])
def test_no_bare_names_are_installed(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is None or "site-packages" not in str(found.origin)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_function_is_found_under_its_old_name_for_one_release(old: str, new: str) -> None:
    holders = [importlib.import_module(f"dporacle.{witness}") for witness in WITNESSES]
    holders = [each for each in holders if hasattr(each, new)]
    assert holders
    for each in holders:
        with pytest.deprecated_call(match=new):
            assert getattr(each, old) is getattr(each, new)
        assert old not in dir(each)
