#!/usr/bin/env python3
"""Checks that lines of documents, and of comments in SQL and Python, have at most 100 characters,
and that those of documents do not end far before. Prints each that does not; exit 1 if any.
Comments in C are formatted.py's, but for one rule: in the comment at the head of a file `Threads:`,
`Ownership:`, `Invariant:`, `Rules:` and `Length:` begin a line. `Ownership:` may follow `Threads:`
on its line.

    wrapped.py [--fix] [FILE...]    --fix: wraps paragraphs and items of lists again where a line
                                    is too long, and sets a comment behind code above it;
                                    prints what stays too long

Tables, code, headings and lines without a blank are not changed."""

import ast
import io
import itertools
import pathlib
import re
import sys
import textwrap
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH = 100
SLACK = 20  # a line of a document may end so far before
AS_IT_IS = re.compile(r"^\s*(\||#|<!--|$)")
ITEM = re.compile(r"^(\s*(?:[-*]|\d+\.)\s+|\s*)")
FOLDERS = ("deploy", "docs", "include", "schemas", "src", "tests", "tools")
COLUMNS = re.compile(r"\S {3,}\S")
HEAD_WORD = re.compile(r"\b(?:Threads|Ownership|Invariant|Rules|Length): ")
SQL_COMMENT = re.compile(r"'(?:[^']|'')*'|(--.*)")


def files():
    names = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests/model/README.md"]
    for folder in FOLDERS:
        names += [path for kind in ("sql", "py") for path in (ROOT / folder).rglob(f"*.{kind}")]
    return sorted(names)


def pieces(lines):
    """(may be wrapped, lines) of each part. A paragraph or an item may be wrapped; a block of code
    or any other line may not."""
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


def too_long(line, width=WIDTH):
    return len(line) > width and " " in line.strip()


def wrapped(paragraph, width=WIDTH):
    start = ITEM.match(paragraph[0])[0]
    text = " ".join(" ".join(paragraph).split())[len(start.strip()):].strip()
    spans = []
    held = re.sub(r"`[^`]*`", lambda m: spans.append(m[0]) or m[0].replace(" ", "\0"), text)
    return [line.replace("\0", " ") for line in textwrap.wrap(
        held, width, initial_indent=start, subsequent_indent=" " * len(start),
        break_long_words=False, break_on_hyphens=False)]


def too_short(part, width):
    """The lines that end although the next word, and more, would fit."""
    return [line for line, following in itertools.pairwise(part)
            if len(line) + len(following.split()[0]) < width - SLACK] if wrapped(part, width) != part else []


def rewrapped(lines, width=WIDTH, parts=pieces, even=False):
    """(the lines with what is badly wrapped wrapped again, the lines that were too long). EVEN: or
    far too short."""
    out, wrong = [], []
    for may, part in parts(lines):
        long = [line for line in part if may and too_long(line, width)] + (too_short(part, width) if may and even else [])
        wrong += long
        out += wrapped(part, width) if long else part
    return out, wrong


def ends_early(line, following, width):
    """Whether a sentence ends with LINE although FOLLOWING would have begun in it: a new
    paragraph."""
    return line.endswith((".", ":", ";")) and len(line) + 1 + len(following.split()[0]) <= width


def paragraphs(lines):
    """As `pieces`, of a comment: a line with columns, or one that is set in, is kept as it is."""
    part, widest = [], max(map(len, lines))
    for line in lines:
        item = re.match(r"(?:[-*]|\d+\.)\s", line)
        set_in = line[:1] == " " and not (part and ITEM.match(part[0])[0])
        kept = not line.strip() or COLUMNS.search(line) or set_in
        if part and (kept or item or ends_early(part[-1], line, widest)):
            yield True, part
            part = []
        if kept:
            yield False, [line]
        else:
            part.append(line)
    if part:
        yield True, part


def comments_of_sql(lines):
    """The (line, column) of each comment; an include is none."""
    for n, line in enumerate(lines):
        for match in SQL_COMMENT.finditer(line):
            if match[1] is not None and not match[1].startswith("-- include: "):
                yield n, match.start(1)


def comments_of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(("# noqa", "#!")):
            yield token.start[0] - 1, token.start[1]


def long_texts(text):
    """The first line of each string of several lines, by the last."""
    return {node.end_lineno - 1: node.lineno - 1 for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno > node.lineno}


def docstrings(text):
    """The (first, last) line of each that stands in triple quotes and has nothing to escape."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            said = node.body[0]
            if text.split("\n")[said.lineno - 1].lstrip().startswith('"""'):
                yield said.lineno - 1, said.end_lineno - 1


def blocks(comments, lines):
    """The comments that have their lines for themselves, one below the other at the same column."""
    block = []
    for n, column in comments:
        alone = not lines[n][:column].strip()
        if block and not (alone and block[-1] == (n - 1, column)):
            yield block
            block = []
        if alone:
            block.append((n, column))
        else:
            yield [(n, column)]
    if block:
        yield block


def mended(path, lines):
    """(the lines as they should be, the lines that are too long)"""
    if path.suffix == ".md":
        return rewrapped(lines, even=True)
    text, mark = "\n".join(lines) + "\n", {".py": "#", ".sql": "--"}[path.suffix]
    found = list(comments_of_python(text) if mark == "#" else comments_of_sql(lines))
    begins = long_texts(text) if mark == "#" else {}
    changes, wrong = [], []
    for block in blocks(found, lines):
        first, last, column = block[0][0], block[-1][0], block[0][1]
        indent = " " * column
        if lines[first][:column].strip():
            if not too_long(lines[first]):
                continue
            above = begins.get(first, first)
            indent = re.match(r"\s*", lines[above])[0]
            bare, long = [lines[first][column:].removeprefix(mark).strip()], [lines[first]]
            below = [*lines[above:first], lines[first][:column].rstrip()]
            bare, _ = rewrapped(bare, WIDTH - len(indent) - len(mark) - 1, paragraphs)
        else:
            bare = [line[column:].removeprefix(mark).removeprefix(" ") for line in lines[first:last + 1]]
            bare, long = rewrapped(bare, WIDTH - column - len(mark) - 1, paragraphs)
            above, below = first, []
        if long:
            wrong += long
            changes.append((above, last, [f"{indent}{mark} {line}".rstrip() for line in bare] + below))
    for first, last in docstrings(text) if mark == "#" else ():
        indent = re.match(r"\s*", lines[first])[0]
        inner = [line.removeprefix(indent) for line in lines[first:last + 1]]
        inner, long = rewrapped(inner, WIDTH - len(indent), paragraphs)
        if long:
            wrong += long
            changes.append((first, last, [(indent + line).rstrip() for line in inner]))
    out = list(lines)
    for first, last, new in sorted(changes, reverse=True):
        out[first:last + 1] = new
    return out, wrong


def run_together(path):
    """The lines of the comment at the head of a file in C in which such a word does not begin the
    line."""
    text = path.read_text()
    head = text[:text.index("*/")].split("\n") if text.startswith("/*") else []
    for line in head:
        words = HEAD_WORD.findall(line)
        first = HEAD_WORD.match(line.lstrip("/* "))
        if words and not (first and words in ([words[0]], ["Threads: ", "Ownership: "])):
            yield line


def sources():
    return sorted(path for folder in ("include", "src", "tests") for path in (ROOT / folder).rglob("*.[ch]"))


def main():
    given, fix, wrong = [a for a in sys.argv[1:] if a != "--fix"], "--fix" in sys.argv[1:], []
    for path in [pathlib.Path(a).absolute() for a in given] or files():
        lines = path.read_text().removesuffix("\n").split("\n")
        out, long = mended(path, lines)
        if fix and out != lines:
            path.write_text("\n".join(out) + "\n")
            _, long = mended(path, out)
        wrong += [f"{path.relative_to(ROOT)}: {'far shorter' if path.suffix == '.md' and len(line) <= WIDTH else 'longer'} than {WIDTH}: {line.strip()[:60]}..."
                  for line in long]
    wrong += [f"{path.relative_to(ROOT)}: such a word begins a line: {line}" for path in sources() for line in run_together(path)]
    print("\n".join(wrong) if wrong else f"documents and comments: lines have at most {WIDTH} characters")
    return 1 if wrong else 0


sys.exit(main())
