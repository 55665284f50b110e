"""What an operator sees on a terminal of 80 columns. A command to copy is whole, however long it
is, and so is the red line of a stop."""

import json
import re

import pytest

from support.command_line import JOB, add_run
from support.screen import on_a_terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HELD = json.dumps({"limit": "max_rows", "counted": 1000, "estimated": False, "at": "2026-11-21T10:20:30.000001Z"})
LONG = "the disk is full, and nobody knows yet what has filled it, so everything waits until the morning"


def shown(pruned, *arguments, columns=0):
    code, text, _ = on_a_terminal(pruned, None, *arguments, columns=columns)
    return code, [COLOUR.sub("", line) for line in text.replace("\r", "").splitlines()]


@pytest.fixture
def troubled(stored):
    """A held run, a dead one, jobs that are paused for a long reason."""
    run_id = add_run(stored.database, "held", error="held: 1,000 rows are above max_rows 20", held=HELD)
    add_run(stored.database, "dead", job="members.schedule_prune_deletions", error="bad luck " * 20)
    stored.run("pause", "members.*", "--for", "2h", "--reason", LONG).ok()
    return stored, run_id


@pytest.mark.check_first(2)
@pytest.mark.parametrize("command", ["status", "jobs", "runs", "journal", "doctor"])
def test_it_fits(troubled, command):
    pruned, _ = troubled
    _, lines = shown(pruned, command)
    # of doctor
    commands = {line for line in lines if line.startswith("  ") and not line.startswith("   ")}
    assert len(lines) > 2 and max(len(line) for line in lines if line not in commands) <= 80, lines


def test_the_page_of_a_run_fits(troubled):
    pruned, run_id = troubled
    code, lines = shown(pruned, "runs", run_id)
    assert code == 0 and max(map(len, lines)) <= 80, lines
    assert f"{JOB} held: 1,000 rows are above max_rows 20" in lines
    assert f"pruned approve {run_id}" in lines and f"pruned discard {run_id}" in lines


def test_status_says_what_to_do(troubled):
    pruned, _ = troubled
    _, lines = shown(pruned, "status")
    for words in ("held: pruned approve RUN or discard RUN (pruned runs --state held)", "dead: pruned retry RUN or discard RUN (pruned runs --state dead)"):
        assert " " * 12 + words in lines
    assert LONG in " ".join(" ".join(lines).split())


def test_nothing_is_left_out_where_a_line_has_room(troubled):
    """Nor of what is written to a file or another program."""
    pruned, _ = troubled
    names = pruned.run("jobs").ok().stdout.splitlines()[0].split("\t")
    assert {"enabled", "schedule", "next_at", "capacity", "oldest_due_s"} <= set(names)
    _, lines = shown(pruned, "jobs")
    assert lines[0].split() == ["job", "mode", "paused", "ready", "waiting", "last_state"]
    for columns, more in (111, {"schedule", "next_at"}), (160, {"enabled", "schedule", "next_at", "capacity", "oldest_due_s"}):
        _, lines = shown(pruned, "jobs", columns=columns)
        assert more <= set(lines[0].split()) and max(map(len, lines)) <= columns, lines
    assert "role" in pruned.run("journal").ok().stdout.splitlines()[0].split("\t")


def test_runs_have_the_width_of_their_terminal(troubled):
    pruned, _ = troubled
    for columns, whole in (120, False), (300, True):
        _, lines = shown(pruned, "runs", columns=columns)
        [dead] = [line for line in lines if "bad luck" in line]
        assert len(dead) == columns and dead.endswith("…") or whole and dead.count("bad luck") == 20, dead
    # and what is no terminal has no width
    assert "bad luck " * 19 in pruned.run("runs").ok().stdout


@pytest.mark.check_all
@pytest.mark.parametrize("command, said", [
    (["runs", "--state", "held"], "No held run."), (["runs", "--job", JOB, "--since", "-1d", "--wide"], f"No run of {JOB} since then."),
    (["runs", "--columns", "run_id"], "No run."), (["processes"], "no process runs"), (["reload"], "no process runs"),
    (["quarantine"], "No item is parked."), (["quarantine", "drop", JOB], "No item to drop."),
    (["migrate", "--dry-run"], "-- Nothing to do: schema pruned is at step "), (["journal", "--since", "2999-01-01"], "Nobody has changed anything since then."),
])
def test_a_list_without_rows_says_so_and_without_a_terminal_too(stored, command, said):
    """JSON Lines have no line."""
    assert stored.run(*command).ok().stdout.startswith(said)
    assert command[0] == "migrate" or stored.run(*command, "--json").ok().stdout == ""


@pytest.mark.parametrize("options, said", [(["--command", "nix"], "Nobody has done that."), (["--job", JOB, "--since", "-1d"], "Nobody has done that since then."),
                                           (["--since", "2999-01-01"], "Nobody has changed anything since then.")])
def test_an_empty_journal_speaks_of_what_was_asked_for(stored, options, said):
    assert said in shown(stored, "journal", *options)[1]
