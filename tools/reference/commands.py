"""Commands: what the binary prints as their help, and the exit codes of src/cli/command.h."""

import re
import subprocess
from functools import cache

from .text import ROOT, code, head, table

MEANS = {
    "OK": "done", "USAGE": "usage: an unknown command, option or argument, or one that does not fit", "CONFIG": "configuration",
    "POSTGRES": "PostgreSQL", "KAFKA": "Kafka", "STORE": "the object store", "NOT_FOUND": "what was asked for is not there",
    "ENDED_BADLY": "the run that was asked for ended dead, skipped or blocked", "TIME_OVER": "the time to wait is over",
    "BUG": "a bug in pruned",
}


@cache
def said(binary, *arguments):
    return subprocess.run([binary, "help", *arguments], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout


@cache
def names(binary):
    listed = said(binary).split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def exit_codes():
    text = (ROOT / "src/cli/command.h").read_text()
    found = re.findall(r"\bCODE_(\w+) = (\d+)", text)
    return [(f"`{number}`", MEANS[name]) for name, number in found]


def page(binary):
    text = head("Commands",
                "Every command has `--help` with an example, and `--json` for JSON Lines on standard output. Log lines go to standard "
                "error.",
                "Times on the command line are RFC 3339 with a zone, `YYYY-MM-DD` (00:00 UTC), or `-10m`, `-2h`, `-1d` before now.")
    text += "## Exit codes\n\n" + table(("code", "means"), exit_codes()) + "\n"
    text += "## `pruned help`\n\n" + code(said(binary), "text") + "\n"
    for name in names(binary):
        if name != "help":
            text += f"## `pruned {name}`\n\n{code(said(binary, name), 'text')}\n"
    return text.rstrip() + "\n"
