"""What a release says of where it comes from; that its workflow calls what exists."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import dporacle
from support.cases import table
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")


add_urls = module_at(ROOT / "tools" / "add_urls.py")


def test_a_release_names_the_place_it_was_made_at() -> None:
    """And the repository none: it cannot know who publishes it."""
    assert "urls" not in tomllib.loads(PROJECT)["project"]
    content = add_urls.added(PROJECT, "https://code.example/somebody/dporacle", "v0.3.0")
    read = tomllib.loads(content)
    urls = read["project"].pop("urls")
    assert read == tomllib.loads(PROJECT)
    assert urls["Source"] == "https://code.example/somebody/dporacle"
    for name, url in urls.items():
        assert url.startswith(urls["Source"]), name
        if "/blob/v0.3.0/" in url:
            assert (ROOT / url.partition("/blob/v0.3.0/")[2]).is_file(), name
    with pytest.raises(ValueError, match="already"):
        add_urls.added(content, "https://code.example/somebody/dporacle", "v0.3.0")


@pytest.mark.parametrize(("home", "tag"), table("what_is_no_address_is_refused"))
def test_what_is_no_address_is_refused(home: str, tag: str) -> None:
    with pytest.raises(ValueError, match="not "):
        add_urls.added(PROJECT, home, tag)


def test_one_version_everywhere() -> None:
    version = tomllib.loads(PROJECT)["project"]["version"]
    assert dporacle.__version__ == version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == version
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest, *_ = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert newest == version


def test_the_changes_of_a_version_fit_a_screen_and_have_kinds() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for part in re.split("^## ", changes, flags=re.MULTILINE)[1:]:
        assert len(part.splitlines()) <= 60
        kinds = re.findall(r"^\*\*(.+)\*\*$", part, re.MULTILINE)
        assert kinds == [kind for kind in ("Added", "Changed", "Fixed") if kind in kinds]
        assert kinds


def test_the_workflow_builds_what_the_page_promises() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    wheels = jobs["wheels"]
    (env,) = (step["env"] for step in wheels["steps"] if "env" in step)
    promised = re.findall(r"Python :: 3\.(\d+)", PROJECT)
    assert env["CIBW_BUILD"] == " ".join(f"cp3{minor}-*" for minor in promised)
    systems = wheels["strategy"]["matrix"]["os"]
    assert {name.partition("-")[0] for name in systems} == {"ubuntu", "macos"}
    assert jobs["publish"]["needs"] == ["try", "wheels"]
    assert "windows-latest" in jobs["try"]["strategy"]["matrix"]["os"]
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert "`pip install dporacle`, once a release is published" in page


def test_the_workflow_calls_what_exists_and_tries_what_is_promised() -> None:
    text = WORKFLOW.read_text("utf-8")
    for tool in re.findall(r"tools/\w+\.py", text):
        assert (ROOT / tool).is_file(), tool
    matrix = yaml.safe_load(text)["jobs"]["try"]["strategy"]["matrix"]
    promised = re.findall(r"Python :: (3\.\d+)", PROJECT)
    assert matrix["python"] == promised
    assert {"resolution": "lowest-direct", "os": "ubuntu-latest", "python": promised[0]} in matrix[
        "include"
    ]
