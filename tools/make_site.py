"""Build the documentation site: the repository's pages, the programs' docstrings, the catalogue.

    python tools/make_site.py --output build/site

The pages keep the places that they have in the repository, so that their links hold here and
there. What is generated: the API from docstrings, the command line from the commands, a page of
all statements, a table of its statements before each note, and the pages of verdicts. A link that
leads nowhere fails.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import formal_appendix
import yaml
from make_calculator import fetched
from typeset import Formulas

import dporacle
from dporacle.report import history
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.statements import STATEMENTS, WITNESSES, Statement
from dporacle.vocabulary.witnesses import module_of
from dporacle.wings.verdict_site import site as verdict_site

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "site-source"
_PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/**/*.md",
    "packages/README.md",
    "vectors/*.md",
    "proofs_notes/**/*.md",
)
_LINK = re.compile(r"(\]\()([^()#\s]+)((?:#[^()\s]*)?\))")
# A list may follow a line of prose at once, but not for the generator.
_LIST = re.compile(r"^(\w.*[^\s|])\n((?:[-*]|1\.) )", re.MULTILINE)
_FOLDERS = {
    "reference": "api/reference.md",
    "fast": "api/fast.md",
    "src/dporacle/enclosures": "api/enclosures.md",
    "src/dporacle/identities": "api/identities.md",
    "src/dporacle/vocabulary": "api/vocabulary.md",
    "proofs_notes": "statements/index.md",
}
_API = {
    "dporacle": ("dporacle",),
    "claims": ("dporacle.claims",),
    "samplers": ("dporacle.wings.samplers",),
    "vocabulary": (
        "dporacle.vocabulary.arguments",
        "dporacle.vocabulary.kinds",
        "dporacle.vocabulary.mechanisms",
        "dporacle.vocabulary.quantities",
        "dporacle.vocabulary.formulas",
    ),
    "identities": ("dporacle.identities",),
}
_SHIM = "iframe-worker@1.0.4"
_FONT = "@fontsource/noto-sans-math@5.3.0"  # of formulas: not every system has one
_FONT_FILE = "noto-sans-math-latin-400-normal.woff2"
_SHIM_ADDRESS = re.compile(r"https://[^\"]*/iframe-worker/shim")
_STYLE = """
[data-md-color-scheme="default"] {
  --md-default-fg-color--light: rgba(0, 0, 0, 0.66);
  --md-code-hl-number-color: var(--md-code-fg-color);
}
[data-md-color-scheme="slate"][data-md-color-primary] {
  --md-default-fg-color--light: rgba(226, 228, 233, 0.68); --md-typeset-a-color: #729df0;
  --md-code-hl-number-color: var(--md-code-fg-color); --md-code-hl-constant-color: #a598ee;
}
.md-grid { max-width: 75rem; }
.md-tabs__link { opacity: 0.85; } /* the theme's 0.7 is 4.27:1 on its bar; text needs 4.5:1 */
.md-typeset table:not([class]) :is(td, th) { min-width: 0; padding: 0.5em 0.8em; }
.md-typeset__scrollwrap table:not([class]) { overflow: visible; }
.md-typeset table:not([class]) td.prose { min-width: 11em; }
.md-typeset table:not([class]):has(th:nth-child(9)) :is(td, th) {
  padding: 0.5em 0.3em; font-size: 0.58rem;
}
.md-typeset table:not([class]) td code { white-space: normal; word-break: normal; }
.md-typeset table:not([class]) :is(td, th):first-child {
  position: sticky; left: 0; max-width: 40vw; background: var(--md-default-bg-color);
}
.md-typeset td[style*="right"]:not(.text), .md-typeset .option { white-space: nowrap; }
.md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere; }
.md-typeset pre:has(.gp) > code { padding-right: 3em; } /* a command, and the button to copy it */
@media (max-width: 60em) {
  .md-typeset table:not([class]) :is(td, th) { padding: 0.5em 0.4em; }
  .md-typeset table:not([class]) td.prose { min-width: 9em; }
  .md-typeset table:not([class]):has(th:nth-child(9)) th:not(:first-child) {
    writing-mode: vertical-rl; padding: 0.4em 0;
  }
}
@media (max-width: 480px) {
  .md-typeset table:not([class]) :is(td, th) { padding: 0.5em; }
  .md-typeset pre > code { white-space: pre; overflow-x: auto; }
}
@font-face { font-family: "Noto Sans Math"; src: url("assets/math.woff2") format("woff2"); }
.md-typeset math { font-family: "Noto Sans Math", math; }
.md-typeset .formula { overflow-x: auto; overflow-y: hidden; padding: 0.3em 0 0.3em 1.5em; }
@media (max-width: 480px) { .md-typeset p:has(math) { overflow-x: auto; overflow-y: hidden; } }
.md-typeset .formula math { width: max-content; }
"""
_VERDICTS = (
    '<a href="../verdicts/index.html">The verdict site</a> has filters, reproductions and bug '
    'reports, and a <a href="../verdicts/feed.xml">feed of changes</a>.'
)
_CALCULATOR = "[The calculator](docs/calculator.md)"
"""In the home page: on the site it leads to the calculator itself."""

_FORMULAS = Formulas()
_HIDDEN = {
    "README.md": "navigation",  # it lists the home page alone, and consoles are a hundred wide
    # Their tables take the place of the list of headings.
    "docs/register.md": "toc",
    "docs/issues.md": "toc",
    "docs/specimens.md": "toc",
    "docs/verdicts.md": "toc",
    "statements/index.md": "toc",
}
_CELL = re.compile(r"<td((?: style=[^>]*)?)>(.*?)</td>", re.DOTALL)  # not the lines of code
_NAME = re.compile(r"(<code>)([^<]{12,})(</code>)")
_SEAM = re.compile(r"[_,(/=]|\.(?!\d)|[a-z](?=[A-Z])")  # where a name may break, not a number
_INLINE = re.compile(r"(?<=<code>)[^<\n]*(?=</code>)")
_BLOCK = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_PROSE = 40  # characters that do not stand in a narrow column


def main() -> None:
    """Lay out the pages and have the generator build them."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--calculator", type=Path, help="the built calculator, to stand beside")
    parser.add_argument("--records", type=Path, default=ROOT / "docs" / "verdicts")
    given = parser.parse_args()
    shutil.rmtree(SOURCE, ignore_errors=True)
    for pattern in _PAGES:
        for page in sorted(ROOT.glob(pattern)):
            _copy(page)
    _write("site.css", _STYLE)
    _write_api()
    _write("statements/index.md", _all_statements())
    _write("statements/appendix.md", formal_appendix.page())
    config = SOURCE.parent / "mkdocs.yml"
    config.write_text(_configuration(given.output.resolve()), "utf-8")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(config)]
    # Source files are named from where the package lies; the theme has no other way to be silent.
    where = Path(dporacle.__file__).parent.parent
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    if subprocess.run(build, cwd=where, env=quiet, check=False).returncode:
        sys.exit("the site could not be built")
    _load_nothing(given.output)
    _typeset(given.output)
    verdict_site.write(history.load(given.records), given.output / "verdicts")
    if given.calculator:
        shutil.copytree(given.calculator, given.output / "calculator", dirs_exist_ok=True)
    print(given.output)


def _copy(page: Path) -> None:
    """Copy a page, with the files that it links to; folders become the pages about them."""
    text = page.read_text("utf-8")

    def lead(found: re.Match[str]) -> str:
        target = found[2]
        if re.match(r"[a-z]+:", target):
            return found[0]
        file = Path(os.path.normpath(page.parent / target)).relative_to(ROOT)  # links keep names
        if (ROOT / file).is_dir():
            up = "../" * (len(page.relative_to(ROOT).parts) - 1)
            return found[1] + up + _FOLDERS[str(file)] + found[3]
        if file.suffix != ".md":
            (SOURCE / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, SOURCE / file)
        return found[0]

    text = _LINK.sub(lead, text)
    name = page.relative_to(ROOT)
    if name == Path("docs/calculator.md"):
        text = text.replace("\n\n", f"\n\n{_open('../')}\n\n", 1)
    if name == Path("README.md"):
        text = text.replace(_CALCULATOR, _open(""))
    if name == Path("docs/verdicts.md"):
        text = text.replace("\n\n", f"\n\n{_VERDICTS}\n\n", 1)
    text = _LIST.sub(r"\1\n\n\2", text)
    if name.parent == Path("proofs_notes"):
        text = _FORMULAS.marked(text)
    rows = [row for row in STATEMENTS if name == Path(f"proofs_notes/{row.group}.md")]
    if rows:
        title, _, rest = text.partition("\n")
        text = f"{title}\n\n{_table(rows, '../')}\n{rest}"
    _write(str(name), text)


def _open(up: str) -> str:
    return f'<a href="{up}calculator/index.html">The calculator</a>'


def _write(name: str, text: str) -> None:
    if name in _HIDDEN:
        text = f"---\nhide: [{_HIDDEN[name]}]\n---\n\n{text}"
    file = SOURCE / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _write_api() -> None:
    groups = list(dict.fromkeys(row.group for row in STATEMENTS))
    for witness in WITNESSES:
        modules = [f"dporacle.{witness}", *(module_of(group, witness) for group in groups)]
        _write_modules(witness, [name for name in modules if importlib.util.find_spec(name)])
    for name, given in _API.items():
        _write_modules(name, list(given))
    _write(
        "api/command_line.md",
        "# Command line\n\n::: mkdocs-click\n    :module: dporacle.cli\n    :command: main\n"
        "    :prog_name: dporacle\n    :style: plain\n    :depth: 1\n",
    )


def _write_modules(title: str, modules: list[str]) -> None:
    heading = title if title == "dporacle" else f"dporacle.{title}"
    _write(f"api/{title}.md", f"# {heading}\n\n" + "\n".join(f"::: {name}\n" for name in modules))


def _all_statements() -> str:
    rows = []
    for source, words in (
        ("BW18", "Balle and Wang (2018)"),
        ("GN", "lecture slides on Gaussian noise"),
        ("GMA", "the note on the accuracy of the Gaussian mechanism"),
        ("JL24", "Ji and Li (2024)"),
        ("X", "our own"),
    ):
        chosen = [row for row in STATEMENTS if row.id.split(".")[0] == source]
        rows.append(f"## {words}\n\n{_table(chosen, '../')}")
    return "# Statements\n\nWhat is claimed, and whether it is true.\n\n" + "\n".join(rows)


def _table(rows: list[Statement], up: str) -> str:
    lines = ["| | statement | verdict | functions |", "|---|---|---|---|"]
    for row in rows:
        note = f"[{row.id}]({up}proofs_notes/{row.group}.md)"
        functions = ", ".join(_function(name) for name in row.functions)
        sign = {"true": "✔", "false": "✖"}.get(row.status, "◐")
        lines.append(
            f"| {note} | {_escaped(_FORMULAS.cell(row.says))} | {sign} {row.status} | {functions} |"
        )
    return "\n".join(lines) + "\n"


def _function(name: str) -> str:
    row = QUANTITIES.get(name)
    return f'<span title="{_escaped(row.exact)}">`{name}`</span>' if row else f"`{name}`"


def _escaped(text: str) -> str:
    return re.sub(r"([|*_<>\[\]])", r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


def _configuration(output: Path) -> str:
    config: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    config |= {"docs_dir": str(SOURCE), "site_dir": str(output)}
    (pages,) = (each["mkdocstrings"] for each in config["plugins"] if "mkdocstrings" in each)
    pages["handlers"]["python"]["options"]["extensions"] = [str(ROOT / "tools" / "api_pages.py")]
    named = {page for page in _leaves(config["nav"]) if "*" not in page}
    config["nav"] = _filled(config["nav"], named)
    return yaml.safe_dump(config, allow_unicode=True, sort_keys=False)


def _load_nothing(site: Path) -> None:
    """Put beside the pages what they would take from the network, or from the reader's system.

    A script makes the search work for pages that are opened as files; a font is for formulas.
    """
    with tempfile.TemporaryDirectory() as scratch:
        package = fetched(_SHIM, Path(scratch))
        shutil.copyfile(package / "shim" / "index.js", site / "assets" / "shim.js")
        shutil.rmtree(package)
        package = fetched(_FONT, Path(scratch))
        shutil.copyfile(package / "files" / _FONT_FILE, site / "assets" / "math.woff2")
        shutil.copyfile(package / "LICENSE", site / "assets" / "math.LICENSE")
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = _SHIM_ADDRESS.sub(f"{up}assets/shim.js", page.read_text("utf-8"))
        page.write_text(text, "utf-8")


def _typeset(site: Path) -> None:
    """Put the formulas into the pages, and their texts into what the search knows."""
    for file in sorted(site.rglob("*")):
        if file.suffix in {".html", ".js", ".json"}:
            is_page = file.suffix == ".html"
            text = _FORMULAS.placed(file.read_text("utf-8"), is_page=is_page)
            if is_page:
                text = _INLINE.sub(_whole_options, _CELL.sub(_cell, text))
                text = _BLOCK.sub(lambda block: _TEXT.sub(_whole_options, block[0]), text)
            file.write_text(text, "utf-8")


def _whole_options(found: re.Match[str]) -> str:
    """Keep a line from ending at a hyphen of an option."""
    return _OPTION.sub(r'<span class="option">\g<0></span>', found[0])


def _cell(found: re.Match[str]) -> str:
    """Let long names in a table's cell break, and give prose the room that it needs."""
    attributes, content = found.groups()
    text = re.sub(r"<[^>]*>", "", content)
    if len(text) > _PROSE:
        attributes += ' class="prose text"'
    elif re.search(r"[a-z] [a-z]", text):
        attributes += ' class="text"'
    content = _NAME.sub(lambda name: name[1] + _SEAM.sub(r"\g<0><wbr>", name[2]) + name[3], content)
    return f"<td{attributes}>{content}</td>"


def _leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    children = nav.values() if isinstance(nav, dict) else nav
    return [leaf for child in children for leaf in _leaves(child)]


def _filled(nav: list[Any], named: set[str]) -> list[Any]:
    filled: list[Any] = []
    for entry in nav:
        if isinstance(entry, str) and entry.endswith("*"):
            pages = sorted(SOURCE.glob(f"{entry}.md"))
            names = [str(page.relative_to(SOURCE)) for page in pages]
            filled += [name for name in names if name not in named]
        elif isinstance(entry, dict):
            ((title, inside),) = entry.items()
            filled.append({title: _filled(inside, named) if isinstance(inside, list) else inside})
        else:
            filled.append(entry)
    return filled


if __name__ == "__main__":
    main()
