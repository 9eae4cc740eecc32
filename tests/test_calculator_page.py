"""The calculator: its answers, and its page in a real browser, served without a network."""

import functools
import http.server
import json
import math
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from dporacle.vocabulary import SERVED
from support.browser import CHROMIUM, Browser, chromium
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent


ANSWERS = module_at(ROOT / "calculator" / "answers.py")
QUESTIONS = json.loads(ANSWERS.questions())
ROWS = [SERVED[each["name"]] for each in QUESTIONS if ":" not in each["name"]]


def ask(question: str, digits: int = 20, **given: str) -> dict[str, Any]:
    request = {"question": question, "digits": str(digits), "arguments": given}
    answer: dict[str, Any] = json.loads(ANSWERS.answer(json.dumps(request)))
    return answer


@settings(max_examples=40, deadline=None)
@given(data=st.data(), row=st.sampled_from([row for row in ROWS if not row.costly]))
def test_the_float_to_use_is_the_proved_one(data: st.DataObject, row: Any) -> None:
    given = {
        name: str(data.draw(st.integers(1, 9), label=name))
        if argument.domain.whole
        else f"{data.draw(st.integers(1, 999), label=name)}e{data.draw(st.integers(-9, -4))}"
        for name, argument in row.rows.items()
    }
    exact = {name: (int if name in row.counts else Fraction)(text) for name, text in given.items()}
    found = ask(row.name, **given)
    if "error" in found:  # such as an order below one: the judge refuses it too
        with pytest.raises(ValueError, match=found["error"].split()[0]):
            row.of(enclosures)(**exact, digits=20)
        return
    proved = rounding.round_safely(
        lambda digits: row.of(enclosures)(**exact, digits=digits),
        safe=row.safe,
        ceiling=row.kind.ceiling,
    )
    assert float.fromhex(found["hex"]) == proved
    assert found["rounded"] == row.safe


def test_dp_sgd_is_asked_in_every_scheme_of_the_reference() -> None:
    """Its float64 is on the safe side of the exact ε, and less than two units of 6 digits off."""
    run = {"delta": "1e-5", "sigma": "1.1", "rate": "256/60000", "steps": "14063"}
    asked = [("subsampled_epsilon_replace", run)]
    one = {"delta": "1e-3", "sigma": "2", "rate": "1/2", "steps": "1"}
    asked += [(row.name, one) for row in ROWS if row.costly and {*row.arguments} == {*one}]
    assert {name for name, _ in asked} == {
        "fixed_size_epsilon",
        *(f"subsampled_epsilon{way}" for way in ("", "_add", "_remove", "_replace")),
    }
    for name, values in asked:
        found = ask(name, 6, **values)
        exact = {key: Fraction(text) for key, text in values.items()} | {
            "steps": int(values["steps"])
        }
        proved = SERVED[name].of(enclosures)(**exact, digits=12)
        low, high = map(float, rounding.bounds(proved))
        assert high <= float.fromhex(found["hex"]) < low * (1 + 2e-5)
        at = found["curve"]["at"]
        assert found["curve"]["costly"]
        assert at == pytest.approx(
            [float(found["value"]), math.log10(float(values["delta"]))], rel=1e-5
        )
    assert ask("subsampled_epsilon", 13, **run)["error"].startswith("digits must be")


def test_the_archive_has_all_that_answers_read(tmp_path: Path) -> None:
    """Python finds nothing of the project but what the page brings."""
    for file, name in module_at(ROOT / "tools" / "make_calculator.py").python_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, tmp_path / name)
    request = {"question": "calibrate_sigma", "digits": "20"}
    request["arguments"] = {"epsilon": "1", "delta": "1e-5", "sensitivity": "1"}
    script = "import sys; sys.path[:0] = sys.argv[1:2]; import answers as a; "
    script += "print(a.answer(sys.argv[2])); print(a.questions())"
    command = [sys.executable, "-I", "-S", "-c", script, str(tmp_path), json.dumps(request)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "3.7306316348159418322" in done.stdout, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == QUESTIONS


def test_words_of_a_choice_fit_a_phone() -> None:
    for choice in ("known", "scheme", "title", "relation"):
        assert max(len(each[choice]) for each in QUESTIONS) <= 40


def test_questions_are_few_at_each_choice() -> None:
    """Four things to have; for each at most nine things to ask, and no question twice."""
    chosen = [tuple(q[c] for c in ("known", "scheme", "title", "relation")) for q in QUESTIONS]
    assert len({*chosen}) == len({q["name"] for q in QUESTIONS}) == len(QUESTIONS)
    assert len({q["known"] for q in QUESTIONS}) == 4
    for known in {q["known"] for q in QUESTIONS}:
        own = [q for q in QUESTIONS if q["known"] == known]
        assert len({q["title"] for q in own}) <= 9
        assert len({q["scheme"] for q in own}) <= 5
    assert QUESTIONS[0]["name"] == "calibrate_sigma"


def test_the_page_shows_the_first_answer_before_it_computes() -> None:
    page = (ROOT / "calculator" / "index.html").read_text("utf-8")
    first = QUESTIONS[0]
    given = {each["name"]: each["everyday"] for each in first["arguments"]}
    found = ask(first["name"], first["digits"], **given)
    for text in (found["value"], found["float64"], found["hex"] + ", rounded up"):
        assert f">{text}<" in page
    words = ", ".join(f"{name} = {value}" for name, value in given.items())
    assert f"{first['known']}, {first['title']}: {words}<" in page


@pytest.mark.parametrize("size", [2, 5])
def test_a_group_is_bounded_by_the_profile_of_one_record(size: int) -> None:
    """Not below the exact ε or δ of the group, which one step tells; above by X.GROUP alone."""
    run = {"sigma": "2", "rate": "1/2", "steps": "1"}
    exact = {"sigma": Fraction(2), "rate": Fraction(1, 2), "steps": 1}
    for known, name in (({"delta": "1e-3"}, "epsilon"), ({"epsilon": "1"}, "delta")):
        found = ask(f"subsampled_{name}", 6, group=str(size), **known, **run)
        assert found["bound"]
        told = {key: Fraction(text) for key, text in known.items()}
        truth = SERVED[f"subsampled_group_{name}"].of(enclosures)(
            **told, **exact, size=size, digits=12
        )
        assert float.fromhex(found["hex"]) > float(rounding.bounds(truth)[1])
    epsilon = Fraction(ask("subsampled_epsilon", 8, delta="1e-3", group=str(size), **run)["value"])
    one = SERVED["subsampled_delta"].of(enclosures)(epsilon=epsilon / size, **exact, digits=12)
    bound = enclosures.group_delta_bound(
        epsilon=epsilon / size, delta=rounding.bounds(one)[1], size=size
    )
    assert (
        Fraction(1, 2000)
        < rounding.bounds(bound)[1]
        <= Fraction(1, 1000) * (1 + Fraction(1, 10**6))
    )
    assert ask("subsampled_epsilon", 6, delta="1e-3", group="0", **run)["error"].startswith("group")


def test_cyclic_batches_are_releases_of_the_whole_noise() -> None:
    given = {"delta": "1e-5", "sigma": "2", "releases": "3", "sensitivity": "1"}
    cyclic = ask("cyclic:repeated_epsilon", **given)
    assert cyclic == ask("repeated_epsilon", **given)


GAINS = """
import * as gains from "GAINS";
const rows = JSON.parse(process.argv[2]);
console.log(JSON.stringify(rows.map(([e, d, a]) =>
  [gains.found(e, d, a), gains.right(e, d), gains.percent(gains.found(e, d, a))])));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_what_an_attacker_gains_is_the_bound_of_the_definition(tmp_path: Path) -> None:
    """Against exact arithmetic: the largest share in any test that (ε, δ)-privacy allows."""
    rows = [
        (e, d, a) for e in (0, 0.1, 1, 3.5, 8, 30) for d in (0, 1e-5, 0.3) for a in (0.001, 0.1)
    ]
    script = tmp_path / "gains.mjs"
    place = (ROOT / "calculator" / "embed" / "gains.js").as_uri()
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script.write_text(GAINS.replace("GAINS", place))
    done = subprocess.run(
        ["node", "--no-warnings", str(script), json.dumps(rows)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for (epsilon, delta, rate), answer in zip(rows, json.loads(done.stdout), strict=True):
        power = mpmath.exp(epsilon)
        share = min(1, power * rate + delta, 1 - max(0, 1 - delta - rate) / power)
        right = 1 - (1 - delta) / (1 + power)
        assert answer[0] == pytest.approx(float(share), rel=1e-13)
        assert answer[1] == pytest.approx(float(right), rel=1e-13)
        shown = Fraction(answer[2].removesuffix(" %")) / 100
        assert float(share) * (1 - 1e-14) <= shown <= min(1, float(share) * 1.011)
    names = {each["arguments"][-1]["meaning"][:20] for each in QUESTIONS if "sensitivity" in
             [argument["name"] for argument in each["arguments"]]}  # fmt: skip
    assert names == {"the ℓ1-sensitivity Δ", "the ℓ2-sensitivity Δ"}


def test_what_is_beyond_the_floats_says_so() -> None:
    found = ask("calibrate_sigma", epsilon="1e-400", delta="1e-400", sensitivity="1e100")
    assert found["float64"] is None
    assert found["value"].endswith("e+499")


@pytest.mark.parametrize(
    ("changed", "culprit"),
    [({"epsilon": "-1"}, "epsilon"), ({"delta": "1,5"}, "delta"), ({"digits": 1001}, "digits")],
)
def test_errors_name_the_culprit(changed: dict[str, Any], culprit: str) -> None:
    given: dict[str, Any] = {"epsilon": "1", "delta": "1e-5", "sensitivity": "1"} | changed
    assert ask("calibrate_sigma", **given)["error"].startswith(culprit)


def test_the_picture_falls_and_meets_the_answer() -> None:
    found = ask("calibrate_sigma", epsilon="1", delta="1e-5", sensitivity="2")
    points = json.loads(ANSWERS.curve(json.dumps(found["curve"])))
    heights = [height for _, height in points]
    assert heights == sorted(heights, reverse=True)
    assert found["curve"]["at"] == pytest.approx([1.0, -5.0], rel=1e-12)
    assert points[len(points) // 2] == pytest.approx([1.0, -5.0], rel=1e-12)
    assert ask("accuracy", alpha="0.05", sigma="1")["curve"] is None


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page as `make calculator` builds it, on a file server."""
    folder = tmp_path_factory.mktemp("calculator")
    build = [sys.executable, str(ROOT / "tools" / "make_calculator.py"), "--output", str(folder)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    serve = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        server.shutdown()


@pytest.mark.thorough("a browser, and Python for WebAssembly")
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_page_by_keyboard(address: str, tmp_path: Path) -> None:
    with chromium(tmp_path) as browser:
        browser.look(width=390)
        browser.open(address)
        # It opens with an answer, before Python is there and after.
        first = {"epsilon": "1", "delta": "1e-5", "sensitivity": "1"}
        begun = ask("calibrate_sigma", 30, **first)
        assert browser.ask("value.textContent") == begun["value"]
        browser.wait("!document.getElementById('figure').hidden")
        assert browser.ask("location.hash").startswith("#question=calibrate_sigma&epsilon=1&")
        to(browser, "known")
        to(browser, "title")
        to(browser, "argument-epsilon")
        browser.type("0.5")
        to(browser, "digits")
        browser.type("50")
        browser.press("Enter")
        browser.wait("value.textContent.startsWith('7.0') && !figure.hidden")
        truth = enclosures.calibrate_sigma(
            epsilon=Fraction(1, 2), delta=Fraction(1, 10**5), digits=60
        )
        assert browser.ask("value.textContent") == rounding.decimal_digits(truth, 50)
        assert browser.ask("document.documentElement.scrollWidth") <= 390
        assert browser.ask("document.querySelectorAll('#picture .point').length") == 1
        # A wrong input: said, marked, and the cursor is there.
        to(browser, "argument-delta")
        browser.type("7")
        browser.press("Enter")
        browser.wait("!error.hidden")
        assert browser.ask("error.textContent").startswith("delta must be")
        assert browser.ask("document.activeElement.getAttribute('aria-invalid')") == "true"
        # The link carries the inputs: a new visit has the same answer.
        link = browser.ask("location.href")
        browser.look(width=1400, dark=True)
        browser.open(link)
        browser.wait("!document.getElementById('figure').hidden")
        assert browser.ask("value.textContent") == rounding.decimal_digits(truth, 50)
        assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(23, 24, 27)"
        # A long computation can be stopped, and the page goes on.
        browser.ask("document.getElementById('digits').focus()")
        browser.type("1000")
        browser.press("Enter")
        browser.ask("document.getElementById('stop').click()")
        browser.wait("!document.getElementById('go').disabled")
        assert browser.ask("document.getElementById('figure').hidden")
        # Nothing is asked of any other place.
        asked = [e["params"]["request"]["url"] for e in browser.events if "request" in e["params"]]
        origin = address.rpartition("/")[0]
        assert {url for url in asked if not url.startswith((origin, "data:"))} == set()
        told = [e for e in browser.complaints if e["method"] != "Network.requestWillBeSent"]
        assert told == []


def to(browser: Browser, name: str) -> None:
    """Go to an element with the Tab key."""
    for _ in range(20):
        browser.press("Tab")
        if browser.ask("document.activeElement.id") == name:
            return
    raise AssertionError(f"{name} cannot be reached by keyboard")


def test_what_cannot_be_drawn_is_left_out() -> None:
    found = ask("delta_at_epsilon", epsilon="1e300", sigma="1", sensitivity="1")["curve"]
    assert found["at"] is None
    assert len(json.loads(ANSWERS.curve(json.dumps(found)))) == 1
    assert (
        ask("epsilon_at_delta", delta="1e-9", sigma="1e-900", sensitivity="1e900")["curve"] is None
    )
