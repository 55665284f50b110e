#!/usr/bin/env python3
"""Checks that lines of documents have at most 100 characters. Prints each that has more; exit 1 if any.

    wrapped.py [--fix] [FILE...]    --fix: wraps paragraphs and items of lists again where a line is too long

Tables, code, headings, comments and lines without a blank are not changed."""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH = 100
AS_IT_IS = re.compile(r"^\s*(\||#|<!--|$)")
ITEM = re.compile(r"^(\s*(?:[-*]|\d+\.)\s+|\s*)")


def documents():
    names = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests/model/README.md"]
    return sorted(names)


def pieces(lines):
    """(may be wrapped, lines) of each part. A paragraph or an item may be wrapped; a block of code or any other line may not."""
    code, paragraph = False, []
    for line in lines:
        fence = line.lstrip().startswith("```")
        if code or fence or AS_IT_IS.match(line):
            if paragraph:
                yield True, paragraph
            paragraph = []
            code ^= fence
            yield False, [line]
        elif paragraph and not re.match(r"\s*(?:[-*]|\d+\.)\s", line):
            paragraph.append(line)
        else:
            if paragraph:
                yield True, paragraph
            paragraph = [line]
    if paragraph:
        yield True, paragraph


def too_long(line):
    return len(line) > WIDTH and " " in line.strip()


def wrapped(paragraph):
    start = ITEM.match(paragraph[0])[0]
    text = " ".join(" ".join(paragraph).split())[len(start.strip()):].strip()
    spans = []
    held = re.sub(r"`[^`]*`", lambda m: spans.append(m[0]) or m[0].replace(" ", "\0"), text)
    return [line.replace("\0", " ") for line in textwrap.wrap(
        held, WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False, break_on_hyphens=False)]


def main():
    given = [a for a in sys.argv[1:] if a != "--fix"]
    wrong = []
    for path in [pathlib.Path(a).absolute() for a in given] or documents():
        lines, out = path.read_text().splitlines(), []
        for may, part in pieces(lines):
            if may and any(map(too_long, part)):
                wrong += [f"{path.relative_to(ROOT)}: longer than {WIDTH}: {line[:60]}..." for line in part if too_long(line)]
                part = wrapped(part)
            out += part
        if "--fix" in sys.argv[1:] and out != lines:
            path.write_text("\n".join(out) + "\n")
    print("\n".join(wrong) if wrong else f"documents: no line is longer than {WIDTH}")
    return 1 if wrong and "--fix" not in sys.argv[1:] else 0


sys.exit(main())
