#!/usr/bin/env python3
"""Checks that everything that is named exists. Prints each name that does not; exit 1 if any.

In documents: files of this tree, tests in them (`folder/test_x.py::test_y`; `::test_y`: of the file
named before it in the same row), and links: the page, and the heading that the link leads to. In
the rest of the tree: every *.md, every path from the root, and every file that a comment in C or
SQL names, and headings that it names behind their page. Mutants name texts and tests. Documents
outside this tree must not be named."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import mutants  # noqa: E402

MUTANTS = ROOT / "tests/mutants.py"
TOPS = ("examples", "deploy", "docs", "include", "schemas", "src", "tests", "tools")
ENDINGS = (".c", ".h", ".py", ".sql", ".conf", ".sh", ".yml", ".service", ".avsc", ".html")
SPAN = re.compile(r"`([^`\s]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"([\w./*-]*\w\.(?:c|h|py|sql|md|yml|service|avsc|sh|html))?(?:::(\w+))?|(test_\w+)")
ELSEWHERE = re.compile(r"^(/|https?:)")  # paths of the machine that it runs on, or addresses
PAGE = re.compile(r"(?<![\w*/<>{}.-])([\w./-]*\w\.md)\b")
PATH = re.compile(rf"(?<![\w./*{{}}-])((?:{'|'.join(TOPS)})/[\w./-]+\.(?:c|h|py|sql|md|yml|service|sh|conf))\b")
COMMENT = {".c": re.compile(r"/\*.*?\*/", re.S), ".h": re.compile(r"/\*.*?\*/", re.S), ".sql": re.compile(r"--[^\n]*")}
FILE = re.compile(r"(?<![\w./*<>%{}-])((?:[\w.-]+/)*[\w-]+\.(?:c|h|sql|py|sh|conf|avsc))\b")
CHAPTER = re.compile(r'(docs/[\w./-]+\.md), "([^"]+)"')  # in a comment: a page and its heading
NAMES_NOTHING = re.compile(r"NNN|^file\.conf$|^avro/schema\.h$")  # a pattern, a header of avro-c
NOT_HERE = re.compile(r"\b(?:(?:DESIGN|JOBS|FACTS|STYLE|ROADMAP)(?:\.md\b|,? (?:chapter |section )?\d))")


def documents():
    return sorted([*ROOT.glob("*.md"), *(p for top in ("docs", "tests") for p in (ROOT / top).rglob("*.md"))])


@functools.cache
def tree():
    top = [str(p.relative_to(ROOT)) for p in ROOT.iterdir() if p.is_file()]
    return top + [str(p.relative_to(ROOT)) for top in TOPS for p in sorted((ROOT / top).rglob("*"))
                  if p.is_file() and "__pycache__" not in p.parts]


def found(name):
    """The files whose path ends in NAME; `*` is any part of a name."""
    end = re.compile(r"(^|/)" + re.escape(name.removeprefix("../").removeprefix("./")).replace(r"\*", "[^/]*") + "$")
    return [path for path in tree() if end.search(path)]


def has_test(path, name):
    return re.search(rf"^(?:def )?{name} ?\(", (ROOT / path).read_text(), re.M) is not None


def wrong_names(line):
    """(what, why) of one line's code."""
    last = None
    for name in SPAN.findall(line):
        one = NAMED.fullmatch(name.removeprefix("..") if name.startswith("..::") else name)
        if one is None or not any(one.groups()) or ELSEWHERE.match(name):
            continue
        path, test, bare = one.groups()
        if path:
            last = found(path)
        if path and not last:
            yield name, "there is no such file"
        elif bare and not found(f"{bare}.py") + found(f"{bare}.c"):
            yield name, "there is no such file of tests"
        elif test and not (last and any(has_test(p, test) for p in last)):
            yield name, f"no such test in {' '.join(last or ['any file named before'])}"


@functools.cache
def anchors(page):
    """The anchors of PAGE's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    heads = [re.sub(r"[^\w\- ]", "", h.lower().replace("`", "")).strip().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)]
    return set(heads)


def wrong_links(document, line):
    for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
        if ELSEWHERE.match(link):
            continue
        name, _, anchor = link.partition("#")
        page = (document.parent / name).resolve() if name else document
        if not page.exists():
            yield link, "the link leads nowhere"
        elif anchor and anchor not in anchors(page):
            yield link, "no such heading there"


def in_documents():
    for document in documents():
        code = False
        for number, line in enumerate(document.read_text().splitlines(), 1):
            code ^= line.startswith("```")
            for name, why in () if code else (*wrong_names(line), *wrong_links(document, line)):
                yield document, number, name, why
            for match in NOT_HERE.finditer(line):
                yield document, number, match[0], "that document is not in this tree"


def elsewhere():
    """In comments and texts of programs."""
    for name in [*tree(), "Makefile"]:
        path = ROOT / name
        if not (name.endswith(ENDINGS) or name == "Makefile") or path == pathlib.Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for page in PAGE.findall(line):
                if not found(page):
                    yield path, number, page, "there is no such page"
            for match in NOT_HERE.finditer(line):
                yield path, number, match[0], "that document is not in this tree"
            for file in PATH.findall(line):
                if not (ROOT / file).exists() and not NAMES_NOTHING.search(file):
                    yield path, number, file, "there is no such file"


def wrong_chapters(comment):
    """The headings that a comment names and its page has not."""
    text = re.sub(r"\s+(\*|--)?\s*", " ", comment)
    return [chapter for page, chapter in CHAPTER.findall(text) if (ROOT / page).exists()
            and f" {chapter}\n" not in (ROOT / page).read_text()]


def in_comments():
    for name in tree():
        path = ROOT / name
        pattern = COMMENT.get(path.suffix)
        text = path.read_text(errors="replace") if pattern else ""
        for comment in pattern.finditer(text) if pattern else ():
            for file in FILE.findall(comment[0]):
                if not NAMES_NOTHING.search(file) and not found(file.rpartition("../")[2]):
                    yield path, text.count("\n", 0, comment.start()) + 1, file, "there is no such file"
            for chapter in wrong_chapters(comment[0]):
                yield path, text.count("\n", 0, comment.start()) + 1, chapter, "the page has no such heading"


def in_mutants():
    """What `make mutants` breaks is there, and the tests that should find it."""
    for mutant in mutants.MUTANTS:
        if mutant.old not in (ROOT / mutant.file).read_text():
            yield MUTANTS, 1, mutant.name, f"{mutant.file} has no such text"
        for test in mutant.tests.split():
            if not (ROOT / "tests" / test).exists():
                yield MUTANTS, 1, mutant.name, f"there is no tests/{test}"


def main():
    wrong = [f"{path.relative_to(ROOT)}:{number}: `{name}`: {why}" for places in (in_documents(), elsewhere(), in_comments(), in_mutants())
             for path, number, name, why in places]
    print("\n".join(wrong) if wrong else "names: all that is named is there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
