#!/usr/bin/env python3
"""Writes what is made from the code: docs/reference/*.md, the example of a configuration
(deploy/pruned.conf), the dashboard (deploy/grafana), and the marked blocks of other pages.

    tools/docs.py BINARY            writes them (`make docs`)
    tools/docs.py BINARY --check    prints how they differ from what is there; exit 1 if they do
    tools/docs.py BINARY --share FOLDER   manual pages and the completions of shells, for `make install`

A marked block is what stands between `<!-- made: KIND ARGUMENTS -->` and `<!-- end -->`:

    sql FILE...          the files, each as a block of SQL
    job NAME             what job.conf declares
    settings NAME KEY... the job's settings with their defaults

Nothing here needs a server. The same tree gives the same text."""

import difflib
import pathlib
import re
import sys

import reference
import reference.grafana
import reference.man
import reference.shells

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"(<!-- made: (\w+) ([^>]*?) -->\n).*?(<!-- end -->)", re.S)


def filled(path, text, binary):
    """TEXT of the page with its marked blocks made again."""
    def block(match):
        kind, arguments = match[2], match[3].split()
        if kind not in reference.BLOCKS:
            raise SystemExit(f"{path}: no such block: {kind}")
        return f"{match[1]}{reference.BLOCKS[kind](binary, *arguments)}{match[4]}"
    return BLOCK.sub(block, text)


def made(binary):
    """{path: text} of all that is made, as a whole or in part."""
    pages = {DOCS / "reference" / name: page(binary) for name, page in reference.PAGES.items()}
    pages[ROOT / "deploy/pruned.conf"] = reference.settings.example(binary)
    pages[ROOT / "deploy/grafana/pruned.json"] = reference.grafana.dashboard(binary)
    for path in sorted(DOCS.rglob("*.md")):
        if path not in pages:
            text = path.read_text()
            if BLOCK.search(text):
                pages[path] = filled(path, text, binary)
    return pages


def differences(pages):
    for path, text in pages.items():
        there = path.read_text() if path.exists() else ""
        name = str(path.relative_to(ROOT))
        yield from difflib.unified_diff(there.splitlines(), text.splitlines(), name, f"{name}, made anew", n=1, lineterm="")
    for path in sorted((DOCS / "reference").glob("*.md")):
        if path not in pages:
            yield f"{path.relative_to(ROOT)}: nothing makes this page"


def share(binary, folder):
    for name, text in (reference.man.pages(binary) | reference.shells.scripts(binary)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[1] == "--share":
        return share(pathlib.Path(arguments[0]).absolute(), pathlib.Path(arguments[2]))
    if not arguments or set(arguments[1:]) - {"--check"}:
        raise SystemExit(__doc__)
    pages = made(pathlib.Path(arguments[0]).absolute())
    if "--check" in arguments:
        wrong = list(differences(pages))
        print("\n".join(wrong + ["run `make docs`"]) if wrong else "documents: as the code says")
        return 1 if wrong else 0
    for path, text in pages.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"  docs  {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
