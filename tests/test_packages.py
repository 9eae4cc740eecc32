"""The editions for other languages: built, unpacked, and run in their own test frameworks."""

import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from dporacle import vectors
from dporacle.vectors.vector_file import GROUPS

ROOT = Path(__file__).resolve().parent.parent
RUNS = "it compiles, or starts, in another language"
_SPEC = importlib.util.spec_from_file_location("packages_build", ROOT / "packages" / "build.py")
assert _SPEC is not None
assert _SPEC.loader is not None
build = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(build)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made: dict[str, Path] = build.build(tmp_path_factory.mktemp("packages") / "out")
    return made


def number(digits: str) -> float:
    (value,) = struct.unpack(">d", bytes.fromhex(digits))
    assert isinstance(value, float)
    return value


def test_the_data_has_every_vector_to_the_last_bit() -> None:
    rows = [line.split("\t") for line in build.table().splitlines()]
    files = {group: vectors.load(group) for group in GROUPS}
    assert [row[1] for row in rows if row[0] == "F"] == sorted(files)
    told = {(row[1], row[2]): row for row in _named(rows)}
    for group, file in files.items():
        for each in file.vectors:
            row = told[group, each.id]
            inputs = dict(pair.split("=") for pair in row[3].split(","))
            for name, value in each.inputs.items():
                if isinstance(value, str):
                    assert inputs[name] == value
                else:
                    assert number(inputs[name]) == value
            if each.float64 is not None:
                assert number(row[4]) == each.float64
            assert row[6:8] == [each.low, each.high]
    assert len(told) == sum(len(file.vectors) + len(file.refusals) for file in files.values())


def _named(rows: list[list[str]]) -> list[list[str]]:
    """Every case with its function in front."""
    found, function = [], ""
    for row in rows:
        if row[0] == "F":
            function = row[1]
        else:
            found.append([row[0], function, *row[1:]])
    return found


def test_the_version_is_the_edition(built: dict[str, Path]) -> None:
    out = built["maven"].parent
    version = f"{max(vectors.load(group).edition for group in GROUPS)}.0.0"
    assert json.loads((out / "npm/package.json").read_text("utf-8"))["version"] == version
    assert f'version = "{version}"' in (out / "crate/Cargo.toml").read_text("utf-8")
    assert f"<version>{version}</version>" in (out / "maven/pom.xml").read_text("utf-8")
    assert built["go"].name == f"v{version}.zip"
    assert json.loads((out / "composer/composer.json").read_text("utf-8"))["version"] == version
    for name in build.DATA:
        page = (out / name / "README.md").read_text("utf-8")
        assert re.search(r"```\w+\n", page)
        assert "{runner}" not in page
        assert not list((out / name).rglob("RUNNER.md"))


def test_the_disputes_are_kept() -> None:
    page = (ROOT / "packages" / "README.md").read_text("utf-8")
    assert "| date | edition | case | what was reported | outcome |" in page


def needs(program: str, *more: str) -> str:
    """The path of a program, or the test is skipped by its name."""
    for place in (shutil.which(program), *more):
        if place and Path(place).exists():
            return place
    pytest.skip(f"{program} is not installed")


def passes_and_fails(words: list[str], folder: Path, fault: str, **environ: str) -> None:
    """Assert that the sample passes, and that its faulty variant fails by violations."""
    for sample in ("correct", "faulty"):
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **environ, "SAMPLE": sample},
            capture_output=True,
            text=True,
            timeout=300,
        )
        told = done.stdout + done.stderr
        assert (done.returncode == 0) is (sample == "correct"), told[-4000:]
        assert (fault in told) is (sample == "faulty"), told[-4000:]


@pytest.mark.thorough(RUNS)
def test_npm(built: dict[str, Path], tmp_path: Path) -> None:
    node = needs("node")
    with tarfile.open(built["npm"]) as archive:
        archive.extractall(tmp_path, filter="data")
    passes_and_fails([node, "--test"], tmp_path / "package", "violating")


@pytest.mark.thorough(RUNS)
def test_crate(built: dict[str, Path], tmp_path: Path) -> None:
    cargo = needs("cargo")
    with tarfile.open(built["crate"]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    words = [cargo, "test", "--offline", "--quiet", "--tests"]
    passes_and_fails(words, folder, "Violating", CARGO_TARGET_DIR=str(tmp_path / "target"))


@pytest.mark.thorough(RUNS)
def test_go(built: dict[str, Path], tmp_path: Path) -> None:
    go = needs("go", os.environ.get("DPORACLE_GO", ""))
    with zipfile.ZipFile(built["go"]) as archive:
        archive.extractall(tmp_path)
    (module,) = (path.parent for path in tmp_path.rglob("go.mod"))
    cache = {name: str(tmp_path / name.lower()) for name in ("GOCACHE", "GOPATH")}
    passes_and_fails([go, "test", "./..."], module, "violating", **cache, GOFLAGS="-mod=mod")


@pytest.mark.thorough(RUNS)
def test_composer(built: dict[str, Path], tmp_path: Path) -> None:
    phpunit = needs("phpunit")
    with zipfile.ZipFile(built["composer"]) as archive:
        archive.extractall(tmp_path)
    words = [phpunit, "--no-configuration", "tests"]
    passes_and_fails(words, tmp_path, "violating")


JUNIT = ("jupiter-api", "jupiter-engine", "jupiter-params", "platform-engine", "platform-commons")
MAIN = """
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.*;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class Main {
  public static void main(String[] words) {
    var told = new SummaryGeneratingListener();
    var asked = LauncherDiscoveryRequestBuilder.request()
        .selectors(DiscoverySelectors.selectClass("SampleTest")).build();
    LauncherFactory.create().execute(asked, told);
    told.getSummary().printFailuresTo(new java.io.PrintWriter(System.out));
    boolean fine = told.getSummary().getTestsSucceededCount() > 20;
    System.exit(fine && told.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
  }
}
"""


def junit() -> list[Path]:
    """The jars of JUnit 5, as Maven has fetched them or as Debian installs them."""
    names = (*(f"junit-{each}" for each in JUNIT), "junit-platform-launcher")
    fetched, debian = Path.home() / ".m2/repository/org", Path("/usr/share/java")
    found = [debian / f"{name}.jar" for name in names]
    if not all(path.exists() for path in found):
        found = []
        for name in names:
            version = "1.10.2" if "platform" in name else "5.10.2"
            found += fetched.glob(f"junit/*/{name}/{version}/{name}-{version}.jar")
    if len(found) < len(names):
        pytest.skip("JUnit 5 is not installed")
    return [*found, *fetched.rglob("opentest4j-1.3.0.jar"), *debian.glob("opentest4j.jar")]


@pytest.mark.thorough(RUNS)
def test_maven(built: dict[str, Path], tmp_path: Path) -> None:
    """Maven itself takes a quarter of a minute; what it would do is done by its tools."""
    java, javac = needs("java"), needs("javac")
    tree, target, own = built["maven"], tmp_path / "dporacle-vectors.jar", tmp_path / "classes"
    on = os.pathsep.join(map(str, junit()))
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
    (tmp_path / "Main.java").write_text(MAIN, "utf-8")
    words = [javac, *(f"-J{each}" for each in quick), "-proc:none", "-cp", on]
    sources = map(str, [tmp_path / "Main.java", *tree.glob("src/**/*.java")])
    subprocess.run([*words, "-d", str(own), *sources], check=True, timeout=120)
    shutil.copytree(tree / "src/main/resources", own, dirs_exist_ok=True)
    with zipfile.ZipFile(target, "w") as jar:
        for path in (own / "dporacle").rglob("*.*"):
            jar.write(path, path.relative_to(own).as_posix())
    shutil.rmtree(own / "dporacle")
    path = os.pathsep.join([str(target), str(own), on])
    passes_and_fails([java, *quick, "-cp", path, "Main"], tmp_path, "VIOLATING")
