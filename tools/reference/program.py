"""The commands of the binary, taken apart: from what it prints as their help."""

import re
from dataclasses import dataclass
from functools import cache

from .commands import names, said

HELP_WIDTH = 80  # of src/cli/arguments.c
# What stands for a value in the help, and which names a shell can offer there. `@` tells names from
# words.
OFFERS = {"JOB": "@jobs", "J": "@jobs", "RUN": "@runs", "ID": "@runs", "TABLE": "@tables", "TABLE:KEY": "@keys",
          "COMMAND": "@commands", "FILE": "@files", "DIR": "@files"}
OTHER_IDS = ("dead", "release")  # whose ID is no run's


@dataclass
class Option:
    short: str
    name: str
    value: str  # "": it has none
    needs: bool  # the value is not optional
    help: str

    @property
    def offers(self):
        """Words, or one of OFFERS."""
        return self.value.split("|") if re.fullmatch(r"[a-z]+(\|[a-z]+)+", self.value) else [OFFERS[self.value]] if self.value in OFFERS else []


@dataclass
class Command:
    name: str
    usage: str  # what follows the name
    help: str
    more: list  # of paragraphs
    options: list
    example: str

    @property
    def offers(self):
        """What can stand there beside options: words, and names of OFFERS."""
        words = re.sub(r"[\[\]{},]|\.\.\.", " ", re.sub(r"\[=\w+\]", "", self.usage)).split()
        valued = {f"--{o.name}" for o in self.options if o.needs}
        left = [word for before, word in zip(["", *words], words) if before not in valued and not word.startswith("-")]
        known = [OFFERS.get(part, part) for word in left for part in word.split("|")]
        return sorted({k for k in known if re.fullmatch(r"@?[a-z]+", k) and not (k == "@runs" and self.name in OTHER_IDS)})


def paragraphs(text):
    """Lines that the help has wrapped are joined; where the next word would have fitted, a new
    paragraph begins."""
    found, room = [], 0
    for line in text.splitlines():
        fits = len(line.split(" ")[0]) < room
        if found and line and not fits:
            found[-1] += f" {line}"
        elif line:
            found.append(line)
        room = HELP_WIDTH - len(line) if line else HELP_WIDTH + 1
    return found


def options(text, usage):
    for short, name, value, words in re.findall(r"^  (?:-(\w), )?--([a-z-]+)(?:=(\S+))? *(.*(?:\n {8,}.*)*)", text, re.M):
        choice = re.search(rf"--{name} ([a-z]+(?:\|[a-z]+)+)", usage)
        yield Option(short, name, choice[1] if choice else value, bool(value) and f"--{name}[=" not in usage, " ".join(words.split()))


@cache
def program(binary):
    """(what it is, the options before a command)."""
    text = said(binary)
    return text.split("\n\n")[1], list(options(text.split("Options:\n")[1], ""))


@cache
def commands(binary):
    found = []
    for name in names(binary):
        text, example = said(binary, name).split("Example:\n")
        text, listed = text.split("Options:\n")
        usage, help_, *more = text.split("\n\n")
        usage = " ".join(usage.split()).removeprefix(f"Usage: pruned {name}").strip()
        found.append(Command(name, usage, " ".join(help_.split()), paragraphs("\n".join(more)), list(options(listed, usage)), example.strip()))
    return found
