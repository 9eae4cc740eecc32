"""The report in a real browser: screens, colours, keyboard, filters, and nothing that loads."""

import math

import pytest

from dporacle import report
from support.browser import CHROMIUM, chromium
from support.reports import HOSTILE, VIOLATING, document, hostile, judged, page, read

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.thorough("a browser"),
]


def run(epsilon, outcome, ulp, *flags):
    made = judged(outcome, f"calibrate_sigma/epsilon={epsilon}", flags=list(flags))
    made["arguments"]["epsilon"] = epsilon.hex()
    if ulp is None:
        return made
    return made | {"answer": "0x1p+0", "truth": "1.25", "ulp": ulp, "excess": ulp * 2.0**-53}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A page of four libraries: a function with every kind of mark, others that are tight."""
    content = document(
        "first-library-with-a-long-name",
        *(run(10.0**e, "violating", -(10.0 ** (e + 4)), "core") for e in range(-3, 3)),
        *(run(10.0**e, "loose", 10.0 ** (e + 4), "core") for e in range(-3, 3)),
        run(0.0, "hang", None, "zero-epsilon"),
        run(1e300, "crash", None, "large-epsilon"),
        run(-1.0, "accepts invalid", None, "nonsense"),
        run(1.0, "tight", 0.0, "core"),
    )
    other = document("second", run(1.0, "tight", 0.5, "core"), judged("refuses valid"))
    other["targets"][0]["functions"][0]["function"]["quantity"] = "accuracy"
    content["targets"] += other["targets"]
    for name in ("third", "fourth"):  # of up to three functions the cases are open from the start
        content["targets"] += document(name, run(1.0, "tight", 0.5, "core"))["targets"]
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page(content)[0])
    return file


def visible(browser, selector):
    found = browser.ask(
        f"[...document.querySelectorAll('{selector}')].filter(e => e.checkVisibility()).length"
    )
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_screens(browser, path, width, dark):
    browser.look(width=width, dark=dark)
    browser.open(path)
    browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert browser.ask("document.documentElement.scrollWidth") <= width
    ground = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(23, 24, 27)" if dark else "rgb(253, 253, 252)")
    assert browser.complaints == []
    # Pictures side by side where there is room; their letters are large enough on a phone.
    first, second = browser.ask(
        "[...document.querySelectorAll('.picture')].slice(0, 2)"
        ".map(e => e.getBoundingClientRect().toJSON())"
    )
    assert (first["top"] == second["top"]) == (width == 1400)
    smallest = browser.ask(
        "Math.min(...[...document.querySelectorAll('.picture text')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize)"
        " * e.ownerSVGElement.getBoundingClientRect().width / 400))"
    )
    assert smallest >= 9


@pytest.mark.parametrize("extremes", [[], [1e-300], [1e300], [0.0], [1e-300, 1e300, 0.0, math.inf]])
def test_no_letters_of_a_picture_touch(browser, tmp_path, extremes):
    cases = [run(each, "crash", None) for each in [1.0, *extremes]]
    for case, delta in zip(cases, [0.1, *extremes], strict=True):
        case["arguments"]["delta"] = delta.hex()
    path = tmp_path / "report.html"
    path.write_text(page(document("mylib", *cases))[0])
    browser.look(width=390)
    browser.open(path, "#f0-0")
    boxes = browser.ask(
        "[...document.querySelectorAll('details[open] .picture')].map(picture =>"
        " [...picture.querySelectorAll('text')].map(e => e.getBoundingClientRect().toJSON()))"
    )
    assert len(boxes) == 2
    for texts in boxes:
        for index, one in enumerate(texts):
            for other in texts[:index]:
                apart = (
                    one["right"] <= other["left"]
                    or other["right"] <= one["left"]
                    or one["bottom"] <= other["top"] + 3
                    or other["bottom"] <= one["top"] + 3
                )
                assert apart, (one, other)


def test_a_link_opens_what_it_names(browser, path):
    for script in (True, False):
        browser.look(width=1400, script=script)
        browser.open(path, "#f0-0-0")
        assert visible(browser, ".function .case") == 9, script
        browser.open(path)
        assert visible(browser, ".function .case") == 0


def test_without_scripts(browser, path):
    browser.look(width=1400, script=False)
    browser.open(path, "#f0-0")
    assert visible(browser, "#filter") == 0
    assert visible(browser, ".readout") == 0
    assert visible(browser, ".picture use") == 2 * 16
    assert browser.complaints == []


def test_marks_are_read_by_keyboard(browser, path):
    browser.look(width=1400)
    browser.open(path, "#f0-0")
    browser.ask("document.querySelector('.picture').focus()")
    told = "document.querySelector('.readout').textContent"
    assert "arrow keys" in browser.ask(told)
    browser.press("Home")
    assert "hang: epsilon 0.0" in browser.ask(told)  # 0 stands at the left, with -1
    browser.press("ArrowRight")
    assert "accepts invalid: epsilon -1.0" in browser.ask(told)
    browser.press("ArrowRight")
    assert browser.ask(told).startswith(("violating: epsilon 0.001", "loose: epsilon 0.001"))
    browser.press("End")
    assert "crash: epsilon 1e+300" in browser.ask(told)


def test_the_filter_is_worked_by_keyboard(browser, path):
    browser.look(width=1400)
    browser.open(path)
    browser.ask("document.querySelector('#filter input').focus()")
    browser.press(" ")
    browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert visible(browser, ".case") == 7
    assert visible(browser, ".violations li") == 0
    assert visible(browser, ".function") == 4
    browser.press("Tab")
    assert browser.ask("document.activeElement.value") == "1"


def choose(browser, name, text):
    browser.ask(
        f"(() => {{ const select = document.getElementById('{name}');"
        f" select.value = [...select.options].find(o => o.text === '{text}').value;"
        " select.dispatchEvent(new Event('change')); })()"
    )


def test_filters(browser, path):
    browser.look(width=1400)
    browser.open(path)
    browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert [visible(browser, each) for each in (".function", "tbody tr", ".case")] == [4, 8, 10]
    choose(browser, "flag", "zero-epsilon")
    assert [visible(browser, each) for each in (".function", ".case", "use[data-m]")] == [1, 1, 2]
    choose(browser, "flag", "any flag")
    choose(browser, "library", "second 1.0")
    assert [visible(browser, each) for each in (".function", "tbody tr")] == [1, 2]
    choose(browser, "quantity", "calibrate_sigma")
    assert [visible(browser, each) for each in (".function", "thead th")] == [0, 4]
    browser.ask("document.getElementById('reset').click()")
    assert [visible(browser, each) for each in (".function", "tbody tr", ".case")] == [4, 8, 10]
    assert browser.ask("document.getElementById('told').textContent") == (
        "10 of 10 listed cases match"
    )


def test_paper(browser, path):
    browser.look(width=1400, dark=True)
    browser.open(path)
    assert browser.call("Page.printToPDF")["data"].startswith("JVBERi0")
    assert visible(browser, ".case") == 0  # folded again
    browser.look(width=1400, dark=True, media="print")
    assert visible(browser, "#filter") == 0
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_hostile_texts_do_nothing(browser, tmp_path):
    content = hostile()
    earlier = hostile()
    earlier["targets"][0]["functions"][0]["verdicts"][1]["outcome"] = "tight"
    file = tmp_path / "report.html"
    file.write_text(report.render(read(content), against=read(earlier)))
    browser.look(width=390)
    browser.open(file)
    browser.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert visible(browser, "#comparison details") == 1
    assert browser.complaints == []
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.images.length") == 0
    assert browser.ask("document.documentElement.scrollWidth") <= 390
    assert HOSTILE in browser.ask("document.querySelector('tbody th').textContent")
    assert VIOLATING["truth"] in browser.ask("document.body.textContent")
