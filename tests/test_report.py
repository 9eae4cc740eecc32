"""The report: structure, escaping, no network; read with the standard library's parser."""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dporacle import report
from dporacle.cli import main
from dporacle.conformance.judge.outcomes import FLAWED, Outcome
from dporacle.conformance.judge.outcomes import FLAWED as CONVICTING
from dporacle.report.classes import CLASSES
from dporacle.report.page import SCRIPT, STYLE
from support.reports import VIOLATING, Page, document, hostile, judged, page, read


def test_structure():
    safe = judged("tight", answer=(3.8).hex(), truth="3.79", excess=1e-16, ulp=0.3)
    text, parsed = page(document("mylib", VIOLATING, safe, judged("not asked")))
    assert text.startswith("<!DOCTYPE html>")
    assert parsed.all("html") == [{"lang": "en"}]
    assert any(each.get("name") == "viewport" for each in parsed.all("meta"))
    for tag in ("h1", "main", "header", "script", "style"):
        assert len(parsed.all(tag)) == 1, tag
    for tag in ("table", "thead", "tbody"):  # at a glance, and in words
        assert len(parsed.all(tag)) == 2, tag
    scopes = [each["scope"] for each in parsed.all("th")]
    assert scopes == 2 * ["col", "col", "row"]
    identifiers = [each["id"] for _, each in parsed.elements if "id" in each]
    assert len(set(identifiers)) == len(identifiers)
    links = [str(each["href"]) for each in parsed.all("a")]
    assert {"#f0-0", "#f0-0-0", "#n-calibrate_sigma-core"} <= set(links)
    assert all(link[1:] in identifiers for link in links)
    shapes = {str(each["href"]) for each in parsed.all("use")}
    assert all(shape[1:] in identifiers for shape in shapes)
    for words in (
        "0 of 1 function in 1 library is conformant",
        "2 answers were judged",
        "✖ violating 1 of 2",
        "1 by more than 1 ulp",
        "unsafe by up to 19.6 %",
        "3.0 (0x1.8000000000000p+1)",
        "3.7306316348159418138696",
        "1.4e-4, requested 1e-05",
        "where people work",
    ):
        assert words in parsed.text, words


def test_pictures_are_open_where_functions_are_few():
    """Three are open; of four none is, and a click opens one."""
    content = document("mylib", VIOLATING)
    (function,) = content["targets"][0]["functions"]
    for number in (1, 3, 4):
        functions = [json.loads(json.dumps(function)) for _ in range(number)]
        for place, each in enumerate(functions):
            each["function"]["name"] = f"sigma_{place}"
        content["targets"][0]["functions"] = functions
        shown = page(content)[1].all("details")
        pictures = [each for each in shown if each.get("class") == "function"]
        assert len(pictures) == number
        assert sum("open" in each for each in pictures) == (number if number <= 3 else 0)


def test_rounding_is_told_from_worse():
    rounding = judged("violating", answer="0x1p+0", truth="1.1", excess=-1e-16, ulp=-0.4)
    # JSON has no infinity: an error beyond all bounds comes as null.
    boundless = VIOLATING | {"truth": "0", "excess": None, "ulp": None}
    _, parsed = page(document("mylib", rounding, VIOLATING, rounding, boundless))
    assert "✖ violating 4 of 4" in parsed.text
    assert "2 by more than 1 ulp" in parsed.text


def test_no_outcome_by_colour_alone():
    """Every coloured outcome says its class in words, and has a sign."""
    text, _ = page(document("mylib", *(judged(name) for name in CLASSES)))
    found = re.findall(r'<span class="outcome (\w+)"><span[^>]*>(.)</span> ([a-z -]+)', text)
    assert len(found) > len(CLASSES)
    for tone, sign, words in found:
        shown = CLASSES[words.strip()]
        assert (tone, sign) == (shown.tone, shown.sign)


def test_the_filter_can_be_reached_by_keyboard():
    _, parsed = page(document("mylib", VIOLATING, judged("hang"), judged("tight")))
    boxes = parsed.all("input")
    other = str([*CLASSES].index("tight"))
    assert [each["value"] for each in boxes] == ["0", "1", other]
    assert {each["type"] for each in boxes} == {"checkbox"}
    assert [each["id"] for each in parsed.all("select")] == ["library", "quantity", "flag"]
    assert len(parsed.all("label")) == len(boxes) + 3
    # Each class by its number, and after a colon the numbers of its flags.
    marks = {str(each["data-m"]) for _, each in parsed.elements if "data-m" in each}
    assert marks == {f"0:0 1:0 {other}:0", "0:0", "1:0", f"{other}:0"}
    # Without the script there is no filter, and everything is shown.
    (fieldset,) = parsed.all("fieldset")
    assert "hidden" in fieldset


def test_hostile_texts_stay_texts():
    content = hostile()
    text, parsed = page(content)
    assert len(parsed.all("script")) == 1
    assert parsed.all("img") == []
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script>alert(1)</script>" in parsed.text  # shown as it is


def test_the_summary_has_the_gravest_grade_first():
    content = document("mylib", judged("tight"))
    (target,) = content["targets"]
    good = target["functions"][0]
    content["targets"] = [
        target,
        target | {"name": "other", "functions": [good, {**good, "verdicts": [VIOLATING]}]},
    ]
    rows = [row for row in report.markdown(read(content)).splitlines() if "`sigma`" in row]
    assert [row.split(" | ")[1] for row in rows] == ["`other 1.0`", "`mylib 1.0`", "`other 1.0`"]
    assert rows[0].startswith("| ✖ breaks")


def test_hostile_names_stay_code_in_markdown():
    content = hostile()
    name = "a|b`<img src=x>`[c](javascript:d) @everyone #1 **e** https://evil.example\n# f\u202e\\"
    content["targets"][0]["name"] = name
    summary = report.markdown(read(content), against=read(content | {"targets": []}))
    rows = [row for row in summary.splitlines() if row.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1
    # Apart from what is code, nothing of what the library says is left.
    bare = re.sub(r"`[^`]+`", "", summary)
    for word in ("evil", "script", "everyone", "img", "javascript", "\u202e", "`"):
        assert word not in bare, word
    assert "`a¦bˋ<img src=x>ˋ[c](javascript:d) @everyone #1 **e** https://evil" in summary


def test_no_network():
    text, parsed = page(document("mylib", VIOLATING))
    assert not re.search(r"https?:|//\w", text)
    flags = ["core", "exp-overflow", "zero-epsilon"]
    _, named = page(document("mylib", VIOLATING | {"flags": flags}))
    assert named.outside == [
        "https://github.com/google/differential-privacy/issues/430",
        "https://github.com/opendp/opendp/issues/429",
    ]
    for _, attributes in parsed.elements:
        assert not {"src", "srcset", "action", "onclick", "style"} & set(attributes)
    assert parsed.all("link") == []
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    (policy,) = (str(e["content"]) for e in parsed.all("meta") if "http-equiv" in e)
    assert "default-src 'none'" in policy
    for part in (STYLE, SCRIPT):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
        assert f">{part}</" in text


def test_style_serves_dark_screens_phones_and_keyboards():
    for rule in ("prefers-color-scheme: dark", "max-width: 45rem", ":focus-visible"):
        assert rule in STYLE


def _contrast(one, other):
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_are_readable_in_both_schemes():
    """A contrast of 4.5 is what WCAG asks of text."""
    schemes = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    assert len(schemes) == 3
    for scheme in schemes:
        colours = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        for name in ("text", "soft", "bad", "warn", "fair", "good", "none"):
            for ground in ("back", "panel"):
                assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        # Marks and axes on the unsafe side: WCAG asks 3 of what is drawn.
        for name in ("text", "bad", "warn", "fair", "good"):
            assert _contrast(colours[name], colours["shade"]) >= 3, name


def test_classes_are_those_of_the_judge():
    assert list(CLASSES) == [str(each) for each in Outcome]
    assert set(CONVICTING) == {str(each) for each in FLAWED}


def badge(*judged, **more):
    content = document("mylib", *judged, **more)
    made = json.loads(report.badge(read(content)))
    assert made["schemaVersion"] == 1
    return made["message"], made["color"]


def test_badge():
    assert badge(judged("tight")) == (
        "1 sound and tight; 1 of 1 functions conformant",
        "brightgreen",
    )
    assert badge(VIOLATING, judged("tight")) == (
        "1 breaks its promise in everyday use; 0 of 1 functions conformant",
        "red",
    )
    # Nothing was asked: nothing is known.
    assert badge(judged("skipped")) == ("1 not judged; 0 of 1 functions conformant", "lightgrey")
    assert badge(judged("tight"), failure="died")[0].endswith("incomplete")
    assert badge(functions=[]) == ("nothing judged", "lightgrey")


def run(*arguments):
    return CliRunner().invoke(main, ["report", *arguments])


def test_command_on_a_real_run(tmp_path):
    example = Path(__file__).parents[1] / "examples" / "adapter.py"
    source = tmp_path / "run.json"
    command = ["conform", "--adapter", f"{sys.executable} {example}", "--output", str(source)]
    assert CliRunner().invoke(main, command).exit_code == 0
    made = [tmp_path / name for name in ("report.html", "summary.md", "badge.json")]
    options = ("-o", str(made[0]), "--markdown", str(made[1]), "--badge", str(made[2]))
    result = run(str(source), *options)
    assert result.exit_code == 0, result.output
    told = result.stderr.splitlines()
    assert [line.partition(": ")[0] for line in told] == [f"wrote {file}" for file in made]
    assert "loose" in Page(made[0].read_text()).text
    assert json.loads(made[2].read_text())["color"] == "brightgreen"
    assert run(str(source)).output == made[1].read_text()


HOSTILE_ADAPTER = """
import json, sys
text = "<script>alert('x')</script>|`[a](javascript:b)\\"&"
asked = {"name": text, "quantity": "calibrate_sigma", "arguments": ["epsilon", "delta"]}
for line in sys.stdin:
    message = json.loads(line)
    reply = {"id": message["id"]}
    if message["command"] == "stop":
        break
    if message["command"] == "start":
        reply |= {"protocol": 1, "name": text, "version": text, "language": text}
        reply["functions"] = [asked | {"note": text}]
    elif message["arguments"].get("delta") in (0.1, (0.1).hex()):
        reply["value"] = (1e-3).hex()
    else:
        reply["error"] = text
    print(json.dumps(reply), flush=True)
"""


def test_an_adapter_that_attacks_the_report(tmp_path):
    adapter, source, made = (tmp_path / name for name in ("adapter.py", "run.json", "report.html"))
    adapter.write_text(HOSTILE_ADAPTER)
    command = ["conform", "--adapter", f"{sys.executable} {adapter}", "--output", str(source)]
    assert CliRunner().invoke(main, command).exit_code == 1
    assert run(str(source), "-o", str(made)).exit_code == 0
    text = made.read_text()
    parsed = Page(text)
    assert "<script>alert('x')" in parsed.text
    assert len(parsed.all("script")) == 1
    assert "<script>alert" not in text
    assert "✖ violating" in parsed.text
    assert "↯ crash" in parsed.text
    summary = run(str(source)).output
    assert "`<script>alert('x')</script>¦ˋ[a](javascript:b)\"& " in summary
    assert "alert" not in re.sub(r"`[^`]+`", "", summary)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"format": 1}', b'{"format":"\xff"}', b"[" * 100_000, b"\xff"]
)
def test_what_is_no_document(tmp_path, data):
    path = tmp_path / "run.json"
    path.write_bytes(data)
    result = run(str(path))
    assert result.exit_code == 2
    assert "not the JSON of a conformance run" in " ".join(result.stderr.replace("│", " ").split())


def test_usage(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document("mylib", VIOLATING)))
    result = run(str(path), "-o", str(tmp_path / "no" / "folder.html"))
    assert result.exit_code == 2
    path.write_text(json.dumps(document("mylib") | {"format": "another/1"}))
    assert run(str(path)).exit_code == 2


@pytest.mark.parametrize("field", ["outcome", "level"])
def test_a_class_that_this_version_does_not_know_is_refused(field: str) -> None:
    """Whether it is a good one, only a later version knows."""
    unknown = judged("violating") | {field: "of the future\x1b"}
    with pytest.raises(ValueError, match=rf"'of the future\\x1b'.*verdicts\[0\].{field}"):
        read(document("mylib", unknown))


def test_an_earlier_document_gets_the_grade_and_the_remarks_of_today() -> None:
    cases = [
        judged("conservative", excess=1e-9, ulp=1e6),
        judged("accepts invalid", flags=["nonsense"]),
        judged("violating", level="slight", ratio=1 + 1e-5, excess=-1e-6, ulp=-1e9),
        judged("violating", level="last-digits", ratio=1 + 1e-12, excess=-1e-13, ulp=-1e2),
        judged("inconsistent", level="slight", answer=(4.0).hex(), truth="3.7"),
    ]
    content = document("mylib", *cases)
    content["targets"][0]["functions"][0]["standing"] = {
        "state": "not conformant",
        "grade": "broken in everyday use",
        "reasons": ["violating: 1"],
    }
    (item,) = read(content).items
    assert [str(each.outcome) for each in item.judged] == [
        "tight", "accepts invalid", "violating", "rounded", "inconsistent"
    ]  # fmt: skip
    assert item.graded.text == "slightly unsafe: by up to 1e-5 in everyday use"
    assert item.remarks == ("1 of 1 invalid inputs get a number", "1 answer does not fit others")
    assert item.state == "not conformant"
    content["targets"][0]["functions"][0]["verdicts"] = cases[:2] + cases[3:]
    (item,) = read(content).items
    assert (item.grade, item.state) == ("rounds", "conformant")
