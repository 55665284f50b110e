"""Markdown, and C as far as it has to be read."""

import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = "<!-- Made by `make docs` from the code: do not edit. -->\n"
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CHARACTER = re.compile(r"'(?:[^'\\\n]|\\.)+'")


def wrap(text):
    return "\n".join(textwrap.wrap(" ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False))


def cell(text):
    """As a table shows it: what is no code says nothing of emphasis or HTML."""
    parts = re.split(r"(`[^`]*`)", str(text).replace("|", "\\|").replace("\n", " "))
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;").replace("*", "\\*") for p in parts)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell(c) for c in line)} |\n" for line in lines)


def head(title, *paragraphs):
    return f"# {title}\n\n{MADE}\n" + "".join(f"{wrap(p)}\n\n" for p in paragraphs)


def code(text, language=""):
    return f"```{language}\n{text.rstrip()}\n```\n"


def sources(top="src", endings=("c",)):
    """(path from the root, text) of each file."""
    for path in sorted(p for e in endings for p in (ROOT / top).rglob(f"*.{e}")):
        yield str(path.relative_to(ROOT)), path.read_text()


def without_comments(source):
    """The same length: what a comment said is blank."""
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|/\*.*?\*/|//[^\n]*', re.S)
    return pattern.sub(lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0]), source)


def literal(text):
    """The string that adjacent C literals are; None if TEXT is anything else."""
    if LITERAL.sub("", text).strip():
        return None
    parts = LITERAL.findall(text)
    return "".join(parts).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") if parts else None


def arguments(text, start):
    """The arguments of a call, or of an initializer; START is behind its opening bracket."""
    found, depth, at, begin = [], 0, start, start
    while at < len(text):
        c = text[at]
        if c in "\"'":
            at = (LITERAL if c == '"' else CHARACTER).match(text, at).end()
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return found + [text[begin:at].strip()]
            depth -= 1
        elif c == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    raise SystemExit(f"no end of: {text[start:start + 80]}")


def calls(text, name):
    """(position, arguments) of each call of NAME, a pattern."""
    for match in re.finditer(rf"\b(?:{name})\s*\(", text):
        yield match.start(), arguments(text, match.end())
