"""Tables of schema `pruned`: from the steps in schemas/postgres, in their order."""

import re

from . import notes
from .text import ROOT, head, table, wrap

CREATE = re.compile(r"^CREATE TABLE (?:IF NOT EXISTS )?pruned\.(\w+)\s*\(", re.M)
CONSTRAINED = re.compile(r"^ALTER TABLE pruned\.(\w+)\s+(DROP|ADD) CONSTRAINT (?:IF EXISTS )?(\w+)\s*(.*?);", re.M | re.S)
ADD = re.compile(r"^ALTER TABLE pruned\.(\w+)\s+ADD COLUMN (?:IF NOT EXISTS )?(.*?);", re.M | re.S)
OTHER = re.compile(r"^ALTER TABLE pruned\.\w+\s+(?:DROP COLUMN|RENAME|ALTER COLUMN \w+ TYPE)|^DROP TABLE", re.M)
COMMENT = re.compile(r"^COMMENT ON (TABLE|COLUMN) pruned\.(\w+)(?:\.(\w+))? IS\s+'((?:[^']|'')*)'", re.M)
ENDS_TYPE = re.compile(r"\s+(?:NOT NULL|NULL|DEFAULT|PRIMARY KEY|UNIQUE|CHECK|REFERENCES|GENERATED|COLLATE)\b")
CONSTRAINT = re.compile(r"(?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|CONSTRAINT|EXCLUDE)\b")


class Table:
    def __init__(self, name, said):
        self.name, self.said, self.columns, self.constraints, self.checks = name, said, {}, [], {}


def comment_above(text, at):
    """The lines of comment right above; what heads the file is that of its first table."""
    lines = text[:at].rstrip("\n").split("\n") if text[:at].endswith("\n") else []
    found = []
    while lines and lines[-1].startswith("--"):
        found.insert(0, lines.pop().removeprefix("--").strip())
    said = re.sub(r"^Schema `pruned`, step \d+: ", "", " ".join(found))
    return said[:1].upper() + said[1:]


COMMENT_OR_TEXT = re.compile(r"--([^\n]*)|'(?:[^']|'')*'")


def parts(text, start):
    """(part, comments in it and behind it) of what stands in brackets; START is behind the opening
    one."""
    found, depth, begin, at, said = [], 0, start, start, []

    def end_part():
        part = COMMENT_OR_TEXT.sub(lambda m: "" if m[1] is not None else m[0], text[begin:at])
        found.append((" ".join(part.split()), " ".join(said)))
        said.clear()

    while True:
        if match := COMMENT_OR_TEXT.match(text, at):
            # behind the comma: of the part before
            if match[1] is not None and found and "\n" not in text[begin:at]:
                found[-1] = (found[-1][0], match[1].strip())
            elif match[1] is not None:
                said.append(match[1].strip())
            at = match.end()
            continue
        c = text[at]
        depth += (c == "(") - (c == ")")
        if depth < 0 or (c == "," and depth == 0):
            end_part()
            begin = at + 1
            if depth < 0:
                return found
        at += 1


def add_column(into, definition, said):
    name, rest = definition.replace('"', "").split(" ", 1)
    match = ENDS_TYPE.search(rest)
    kind, more = (rest[:match.start()], rest[match.start():]) if match else (rest, "")
    default = re.search(r"\bDEFAULT\s+((?:[^\s(]+\(.*?\)|'[^']*'(?:::\w+)?|\S+))", more)
    if re.search(r"\bPRIMARY KEY\b", more):
        into.constraints.append(f"PRIMARY KEY ({name})")
    if check := re.search(r"\bCHECK\s*(\(.*\))$", more):
        into.constraints.append(f"CHECK {check[1]}")
        into.checks[f"{into.name}_{name}_check"] = into.constraints[-1]
    into.columns[name] = (kind, "" if re.search(r"NOT NULL|PRIMARY KEY", more) else "yes", default[1] if default else "", said)


def read(tables, text):
    for match in CREATE.finditer(text):
        one = tables[match[1]] = Table(match[1], comment_above(text, match.start()))
        for definition, said in parts(text, match.end()):
            if definition.startswith("LIKE "):
                # not its constraints
                one.columns.update(tables[definition.split()[1].removeprefix("pruned.")].columns)
            elif CONSTRAINT.match(definition):
                one.constraints.append(definition)
            else:
                add_column(one, definition, said)
    for match in ADD.finditer(text):
        for definition in re.split(r",\s*ADD COLUMN (?:IF NOT EXISTS )?", match[2]):
            add_column(tables[match[1]], " ".join(definition.split()), "")
    for name, verb, constraint, definition in CONSTRAINED.findall(text):
        if verb == "DROP":
            tables[name].constraints.remove(tables[name].checks[constraint])
        else:
            tables[name].checks[constraint] = " ".join(re.sub(r"--[^\n]*", "", definition).split())
            tables[name].constraints.append(tables[name].checks[constraint])
    for kind, name, column, said in COMMENT.findall(text):
        said = said.replace("''", "'")
        if kind == "TABLE":
            tables[name].said = said
        else:
            tables[name].columns[column] = (*tables[name].columns[column][:3], said)
    if match := OTHER.search(text):
        raise SystemExit(f"tools/reference/tables.py does not know: {match[0]}")


def collect():
    tables = {}
    for path in sorted((ROOT / "schemas/postgres").glob("*.sql")):
        read(tables, path.read_text())
    for name, said in notes.TABLES.items():
        tables[name].said = said
    for name, columns in notes.COLUMNS.items():
        for column, said in columns.items():
            tables[name].columns[column] = (*tables[name].columns[column][:3], said)
    return tables


def page(binary):
    text = head("Tables",
                "`pruned` keeps everything that is its own in the schema `pruned`; `pruned migrate` makes and upgrades it. "
                "Names and columns are a contract: `pruned` reads and writes them, others may read them. "
                "The application's tables are never altered but for indexes (`pruned migrate --indexes`).",
                "`runs_done` and `deletions` have a partition a day. Tables are listed in the order of their names.")
    for name, one in sorted(collect().items()):
        text += f"## `pruned.{name}`\n\n" + (f"{wrap(one.said)}\n\n" if one.said else "")
        text += table(("column", "type", "null", "default", "note"),
                      [(f"`{c}`", t, null, f"`{d}`" if d else "", said) for c, (t, null, d, said) in one.columns.items()])
        text += "".join(f"\n{wrap('`' + c + '`')}\n" for c in one.constraints) + "\n"
    return text.rstrip() + "\n"
