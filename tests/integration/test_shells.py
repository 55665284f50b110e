"""What `make install` adds for people at a shell: completion for bash, zsh and fish, and manual
pages. Both are made from the program's own help."""

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import time

import pytest

from stack.found import PROJECT
from support.command_line import add_run
from support.places import binary
from support.pruned import clean_environment

PROGRAM = """#!/bin/sh
echo "$*" >> {asked}
case "$*" in
  *"names jobs") printf 'name\\nsessions.purge\\norders.old\\n' ;;
  *"names runs") printf 'name\\n0b1f6bb2-5f5c\\n' ;;
  *"names tables") printf 'name\\nsessions\\norders\\n' ;;
esac
"""
# words; what is offered behind them, for the last one; what `pruned` was asked
CASES = [
    (["ti"], {"tick"}, None), (["tick", "s"], {"sessions.purge"}, "names jobs"), (["-c", "x.conf", "tick", "o"], {"orders.old"}, "-c x.conf names jobs"),
    (["runs", "--job", "s"], {"sessions.purge"}, "names jobs"), (["runs", "0"], {"0b1f6bb2-5f5c"}, "names runs"),
    (["new", "x", "--table", "o"], {"orders"}, "names tables"), (["who", "s"], {"sessions:"}, "names tables"),
    (["tick", "--wa"], {"--wait"}, None), (["report", "--format", "h"], {"html"}, None), (["names", "ta"], {"tables"}, None),
    (["help", "st"], {"status", "stop"}, None), (["quarantine", "r"], {"retry"}, "names jobs"), (["--ver"], {"--version"}, None)]


@pytest.fixture(scope="module")
def share(tmp_path_factory):
    folder = tmp_path_factory.mktemp("share")
    subprocess.run([sys.executable, PROJECT / "tools/docs.py", binary(), "--share", folder], check=True, timeout=60,
                   env=clean_environment(PYTHONDONTWRITEBYTECODE=1))
    return folder


class Shell:
    """With a program in the PATH that says which names it was asked for."""

    def __init__(self, share, folder):
        self.share, self.asked = share, folder / "asked"
        (folder / "pruned").write_text(PROGRAM.format(asked=self.asked))
        (folder / "pruned").chmod(0o755)
        self.environment = clean_environment(PATH=f"{folder}:{os.environ['PATH']}", HOME=folder, TERM="dumb")

    def run(self, *argv):
        return subprocess.run(argv, env=self.environment, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()

    def questions(self):
        said = self.asked.read_text().splitlines() if self.asked.exists() else []
        self.asked.unlink(missing_ok=True)
        return said


@pytest.fixture
def shell(share, tmp_path):
    return Shell(share, tmp_path)


def needs(program):
    if not shutil.which(program) and os.environ.get("CI") != "true":
        pytest.skip(f"no {program} here (tests/stack/deps.sh test shells)")


def check(shell, offered):
    for words, expected, asked in CASES:
        found = set(offered(words))
        questions = shell.questions()
        assert found == expected and set(questions) == ({asked} if asked else set()), (words, found, questions)


def test_bash_offers_what_fits(shell):
    script = shell.share / "bash-completion/completions/pruned"

    def offered(words):
        typed = " ".join(map(shlex.quote, ["pruned", *words]))
        return shell.run("bash", "-c", f'. {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _pruned 2>/dev/null; printf "%s\\n" "${{COMPREPLY[@]}}"')

    check(shell, offered)
    # readline takes `--job=s` apart
    assert offered(["runs", "--job", "=", "s"]) == ["sessions.purge"]


def test_fish_offers_what_fits(shell):
    needs("fish")
    script = shell.share / "fish/vendor_completions.d/pruned.fish"

    def offered(words):
        return [line.split("\t")[0] for line in shell.run("fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(' '.join(['pruned', *words]))}")]

    check(shell, offered)


def test_zsh_completes_what_is_typed(shell):
    """At a terminal, as nothing else completes there: of one candidate the rest of the word
    comes."""
    needs("zsh")
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], shell.environment)

    def typed(text, until):
        os.write(terminal, text.encode())
        said, deadline = "", time.monotonic() + 60
        while until not in said:
            assert time.monotonic() < deadline, (text, said)
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 4096).decode(errors="replace")

    try:
        typed(f"unsetopt zle_bracketed_paste; PS1=; fpath=({shell.share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; echo re''ady\n", "\nready")
        for words, expected, asked in CASES:
            if len(expected) == 1:
                [whole] = expected
                typed(f"pruned {' '.join(words)}\t", whole[len(words[-1]):])
                typed("\x03\n echo o''ver\n", "over")
                assert not asked or asked in shell.questions(), words
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def test_every_command_has_a_manual_page_that_a_strict_reader_takes(share):
    needs("mandoc")
    pages = sorted((share / "man").rglob("*.[15]"))
    listed = re.findall(r"^  (\w+) ", subprocess.run([binary(), "help"], capture_output=True, text=True, check=True).stdout.split("Commands:\n")[1].split("Options:")[0], re.M)
    assert {p.name for p in pages} == {f"pruned-{name}.1" for name in listed} | {"pruned.1", "pruned.conf.5", "pruned-jobs.5"}
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True, timeout=60)
    assert not [line for line in done.stdout.splitlines() if "missing date" not in line], done.stdout


def test_a_manual_page_has_the_options_and_words_of_the_help(share):
    needs("mandoc")
    shown = subprocess.run(["mandoc", "-T", "ascii", share / "man/man1/pruned-tick.1"], capture_output=True, text=True, check=True).stdout
    text = " ".join(re.sub(r".\x08", "", shown).split())
    for words in ("pruned tick JOB [--at TIME] [--arg K=V]... [--wait[=S]]", "--at=TIME the time T that cut-offs are computed from",
                  "The same tick twice is the same run.", "pruned tick members.remove_expired --wait"):
        assert words in text, text


def test_names_of_jobs_runs_and_tables(stored):
    """What the shells ask."""
    runs = [add_run(stored.database, "waiting"), add_run(stored.database, "finished", archived=True)]
    of = {what: stored.run("names", what).ok().stdout.splitlines() for what in ("jobs", "runs", "tables")}
    assert of["jobs"][0] == "name" and set(of["jobs"][1:]) == {line["job"] for line in stored.run("jobs", "--json").ok().json()} and of["jobs"][1:]
    assert sorted(of["runs"][1:]) == sorted(runs)
    assert "members" in of["tables"] and not [name for name in of["tables"] if "pruned" in name]
    assert stored.run("names", "rnus").code == 1
