"""Commands: what the binary prints as their help, and the exit codes of src/cli/command.h."""

import re
import subprocess
from functools import cache

from .text import ROOT, arguments, code, head, literal, sources, table, without_comments, wrap

# Whose lines are not `COLUMNS` of its own file.
COLUMNS_OF = {"who": "WHO_COLUMNS", "why": "WHY_COLUMNS", "doctor": "FOR_MACHINES", "version": "VERSIONS", "dead": "LETTER_COLUMNS", "dead show": "LETTER_WHOLE_COLUMNS",
              "runs": "RUN_COLUMNS", "retry": "RUN_COLUMNS", "discard": "RUN_COLUMNS", "journal": "JOURNAL_COLUMNS",
              "processes": "PROCESS_COLUMNS", "holds": "HOLD_COLUMNS", "quarantine": "QUARANTINE_COLUMNS"}
NOTES = {
    "tick": "With `--wait` a second line is the run, with the keys of `pruned runs`.",
    "plan": "A line `{\"summary\": {action: n}}` follows, then those that apply of `below`, `diff` with `since`, and `would_be_held`. An erasure has such lines for each of its jobs, behind `{\"job\": NAME}`, then `{\"total\": {action: n}, \"erasure\": NAME}`.",
    "version": "With `--faults` a line for each fault point: `fault`.",
    "status": "One object. What could not be found out is null.",
}

MEANS = {
    "OK": "done", "USAGE": "usage: an unknown command, option or argument, or one that does not fit", "CONFIG": "configuration",
    "POSTGRES": "PostgreSQL", "KAFKA": "Kafka; of `pruned run` also: this machine has no thread left for it", "STORE": "the object store", "NOT_FOUND": "what was asked for is not there",
    "ENDED_BADLY": "the run that was asked for ended dead or skipped, blocked, with all its rows failed, or is held; the row that was to be forgotten is on hold", "TIME_OVER": "the time to wait is over",
    "BUG": "a bug in pruned",
}


@cache
def said(binary, *arguments):
    return subprocess.run([binary, "help", *arguments], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout


@cache
def names(binary):
    listed = said(binary).split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.M)  # what a command is can go on in the next line


@cache
def columns():
    """{(file, name): keys} of all tables of columns of commands."""
    found = {}
    for path, source in (*sources("src/cli"), *sources("src/engine/view")):
        text = without_comments(source)
        macros = {name: body.replace("\\\n", " ") for name, body in re.findall(r"#define (\w+)((?:.*\\\n)*.*\n)", text)}
        for match in re.finditer(r"\bconst Column (\w+)\[\]\s*=\s*\{", text):
            body = text[match.end():text.index("};", match.end()) + 1]
            for name in macros:
                body = re.sub(rf"\b{name}\b", lambda _, name=name: macros[name], body)
            given = (arguments(cell, 1) for cell in arguments(body, 0) if cell.startswith("{"))
            found[path, match[1]] = [literal(cell[0]) for cell in given if literal(cell[0]) and ".derived = TRUE" not in cell]
    return found


def status_keys():
    text = (ROOT / "src/cli/status.c").read_text()
    told = set(re.findall(r'\b(?:set|note_down)\s*\((?:status->found|found|status), "(\w+)"', text))
    gaps = set(re.findall(r'"(\w+)"', re.search(r"keys\[\]\s*=\s*\{(.*?)\}", text, re.S)[1]))
    first = ("postgres", "kafka", "stores")
    return [key for key in first if key in told] + sorted((told | gaps) - set(first))


def keys(command):
    """Of its lines with --json; none: it says nothing, or not in rows."""
    if command == "status":
        return status_keys()
    name = COLUMNS_OF.get(command, "COLUMNS")
    home = {path for path, text in sources("src/cli") if re.search(rf"\bcommand_{command.split()[0]}\s*\(Cli [^)]*\)\s*\{{", text)}
    found = [keys for (path, table_name), keys in columns().items() if table_name == name and (name != "COLUMNS" or path in home)]
    if command in COLUMNS_OF and not found:
        raise SystemExit(f"no table of columns is called {name} any more: see tools/reference/commands.py")
    return found[0] if found else []


def in_json(command):
    """What `--json` writes, as a paragraph."""
    said = keys(command)
    text = f"`--json`: {', '.join(f'`{key}`' for key in said)}." if said else ""
    if f"{command} show" in COLUMNS_OF:
        text += f" `{command} show`: {', '.join(f'`{key}`' for key in keys(f'{command} show'))}."
    return f"\n{wrap(f'{text} {NOTES.get(command, str())}')}\n" if said else ""


def exit_codes():
    text = (ROOT / "src/cli/command.h").read_text()
    found = re.findall(r"\bCODE_(\w+) = (\d+)", text)
    return [(f"`{number}`", MEANS[name]) for name, number in found]


def page(binary):
    text = head("Commands",
                "Every command has `--help` with an example, and `--json` for JSON Lines on standard output: one object a line, with the "
                "keys that are listed here. Times in it are RFC 3339, UTC, with microseconds. Log lines go to standard error.",
                "Without `--json`, lists on a terminal are as wide as it is. Elsewhere they are lines with tabs, the first of which has the "
                "names of the columns; of a list without rows it says that there are none.",
                "Times on the command line are RFC 3339 with a zone, `YYYY-MM-DD` (00:00 UTC), or `-10m`, `-2h`, `-1d` before now.")
    text += "## Exit codes\n\n" + table(("code", "means"), exit_codes()) + "\n"
    text += "## `pruned help`\n\n" + code(said(binary), "text") + "\n"
    for name in names(binary):
        if name != "help":
            text += f"## `pruned {name}`\n\n{code(said(binary, name), 'text')}{in_json(name)}\n"
    return text.rstrip() + "\n"
