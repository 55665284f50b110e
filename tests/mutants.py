#!/usr/bin/env python3
"""Breaks the program on purpose, once at a time, and runs cases of `make check` until one fails:
`make mutants`. A mutant that nobody finds shows a promise that `make check` does not hold.

    mutants.py [NAME ...]      default: all

The committed tree is copied to build/mutants, and each mutant is built and tested there, first with
the files that MUTANTS names, then with all that `make check` has. Exit code 1 if one is not
found."""

import os
import pathlib
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build/mutants"
DEADLINE_S = 3600


@dataclass
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: str  # files below tests/ that should find it


MUTANTS = (
    # the engine: nothing lost, nothing twice
    Mutant("lost fence", "src/engine/work/sql/fence.sql", "AND t.step = u.step AND t.attempts = u.attempt AND t.state || '' = 'ready' ",
           "", "integration/test_missing_work.py integration/test_tick.py integration/test_early.py fault/test_kill.py"),
    Mutant("offset stored early", "src/engine/lane/sending.c", "  if (lane->list.sendings.length == 0)\n    store_all",
           "  store_all", "unit/engine/lane integration/test_shutdown.py"),
    Mutant("intake's offset in another transaction", "src/engine/work/sql/intake_advance.sql", "SET next_offset = excluded.next_offset, ",
           "SET next_offset = i.next_offset, ", "integration/test_lost_messages.py integration/test_unclean_election.py"),
    Mutant("outbox kept after the acknowledgement", "src/engine/outbox/sql/outbox_remove.sql", "DELETE FROM pruned.unpublished p",
           "DELETE FROM pruned.unpublished p USING (SELECT WHERE false) AS never", "integration/test_tick.py fault/test_kill.py"),
    Mutant("key kept by a run that ended", "src/engine/step/sql/advance.sql", "WHEN u.state IN ('finished', 'dead', 'skipped') OR u.waits_for = 'runs' THEN NULL",
           "WHEN u.state IN ('dead', 'skipped') OR u.waits_for = 'runs' THEN NULL", "integration/test_tick.py"),
    # erasures
    Mutant("an erasure begins although a table is gone", "src/engine/step/erasure.c", "if (rows_count (runs) == 0 && !all_can_begin (step, erasure, error))",
           "if (rows_count (runs) < 0 && !all_can_begin (step, erasure, error))", "integration/test_erasures.py"),
    Mutant("an erasure that failed is called finished", "src/engine/step/erasure.c", "tables.failed != NULL ? ERASURE_FAILED", "tables.list == NULL ? ERASURE_FAILED",
           "integration/test_erasures.py"),
    # charges and quarantine
    Mutant("an attempt too many", "src/engine/work/retry.c", "decision->attempts > in_force_of (run->job)->max_attempts",
           "decision->attempts > in_force_of (run->job)->max_attempts + 1", "unit/engine/work integration/test_retry.py"),
    Mutant("quarantine entry forgotten", "src/engine/step/step_settle.c", "if (step->failed_items->len > 0) {", "if (step->failed_items->len > 1) {",
           "integration/test_bisection.py"),
    Mutant("quarantine counts no attempt", "src/engine/step/sql/quarantine_put.sql", "THEN 1 ELSE q.attempts + 1 END", "THEN 1 ELSE q.attempts END",
           "integration/test_bisection.py integration/test_parked.py"),
    # brakes
    Mutant("limit off by one", "src/engine/brakes/limits.c", "rows > limits->max_rows ?", "rows > limits->max_rows + 1 ?",
           "unit/engine/brakes integration/test_brakes.py integration/test_brakes_limits.py"),
    Mutant("approval for any number of rows", "src/engine/brakes/judge.c", "run_is_approved (run) && count->rows <= run->approved_rows", "run_is_approved (run)",
           "unit/engine/brakes integration/test_brakes.py"),
    Mutant("approval that is never spent", "src/engine/brakes/sql/held.sql", "approved_at = NULL, approved_until = NULL, approved_rows = NULL,", "",
           "integration/test_brakes.py"),
    Mutant("the day's rows are not taken", "src/engine/brakes/day.c", "    day->left -= rows;", "    day->left -= 0;",
           "unit/engine/brakes integration/test_limit_of_a_day.py"),
    Mutant("a stop that is not obeyed", "src/engine/work/sql/fence.sql", "EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)\n         OR ", "",
           "integration/test_stop.py"),
    # the jobs' rules
    Mutant("predicate widened by a day", "src/jobs/members.remove_expired/cutoff.sql", "(:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date,",
           "(:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date + 1,", "integration/test_expired_random.py"),
    Mutant("a day that has not begun", "src/jobs/members.remove_expired/cutoff.sql", "AT TIME ZONE 'UTC')::date))", "AT TIME ZONE 'UTC')::date + 1))",
           "integration/test_never_early.py"),
    Mutant("an inactive owner counts", "src/jobs/shared/owner_rule.sql", "AND u.state::text = 'active' AND u.user_type = 0", "AND u.user_type = 0",
           "integration/test_last_owner.py integration/test_expired_random.py"),
    Mutant("the decision is not asked again", "src/jobs/members.remove_expired/apply/removed/10-members.sql",
           "m.ctid = k.place AND m.id = k.id AND m.access_level = k.access_level AND m.user_id IS NOT DISTINCT FROM k.user_id\n"
           "  AND (m.requested_at IS NOT NULL OR coalesce(m.state, 0) <> 0) = k.asking AND m.expires_at <=", "m.id = k.id AND m.expires_at <=",
           "integration/test_last_owner.py"),
    Mutant("a day of grace less", "src/jobs/shared/group_cutoff.sql", "AT TIME ZONE 'UTC')::date\n  - (", "AT TIME ZONE 'UTC')::date + 1\n  - (",
           "integration/test_groups_due.py"),
    Mutant("placeholder tried too soon", "src/jobs/imports.placeholder_cleanup/cutoff.sql", "* interval '1 ms'", "* interval '0.5 ms'",
           "integration/test_placeholder_attempts.py"),
    Mutant("a lease that others take", "src/jobs/ci.delete_objects/lease.sql", "AND pick_up_at < now()\n    AND pick_up_at <= coalesce(:edge",
           "AND pick_up_at <= coalesce(:edge", "integration/test_objects_local.py integration/test_objects_slow.py"),
    Mutant("a store's refusal counts as gone", "src/store/s3.c", "http->status == 404 && g_strcmp0 (answer->code, \"NoSuchKey\") == 0", "http->status >= 403",
           "integration/test_objects_s3.py"),
    Mutant("a sentence's condition is not asked again", "src/engine/job/sentence/write/delete.sql", "{due}", "true",
           "integration/test_sentences_meanwhile.py integration/test_sentences_attacked.py"),
    # commands
    Mutant("wrong exit code", "src/cli/runs/run_row.c", '&& g_strcmp0 (status, "blocked") != 0 ', "", "integration/test_command_runs.py"),
    Mutant("restored rows are not held", "src/cli/restore/sql/hold.sql", "'restored', 0, true", "'restored', 0, false", "integration/test_restore.py"),
)


def say(text):
    print(text, flush=True)


def run(*argv, log):
    with open(log, "ab") as out:
        return subprocess.run([str(a) for a in argv], cwd=TREE, stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=DEADLINE_S,
                              env=os.environ | {"PRUNED_DEPS": os.environ.get("PRUNED_DEPS", str(ROOT / ".deps"))}).returncode


def copy_tree():
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x"], cwd=TREE, input=archive, check=True)


def found_by(mutant, log):
    """What finds the mutant: `the build`, the files that it names, `make check`; or None."""
    if run("make", f"-j{os.cpu_count()}", "built", log=log) != 0:
        return "the build"
    tests = [TREE / "tests" / test for test in mutant.tests.split()]
    python = pathlib.Path(os.environ.get("PRUNED_DEPS", ROOT / ".deps")) / "venv/bin/python"
    for what, arguments in ((mutant.tests, [*tests, "-m", "not check_all", "-x"]), ("make check", ["-x"])):
        if run(python, "tests/run.py", "build/release", *arguments, log=log) != 0:
            return what
    return None


def try_one(mutant):
    file, log = TREE / mutant.file, TREE.with_name("mutants.log")
    text, began = file.read_text(), time.monotonic()
    assert mutant.old in text, f"{mutant.name}: {mutant.file} has no {mutant.old!r}"
    with open(log, "a") as out:
        out.write(f"\n==== {mutant.name}\n")
    file.write_text(text.replace(mutant.old, mutant.new, 1))
    try:
        found = found_by(mutant, log)
    finally:
        file.write_text(text)
    say(f"{mutant.name}: {f'found by {found}' if found else 'NOT FOUND'} ({time.monotonic() - began:.0f} s)")
    return found


def main():
    names = set(sys.argv[1:])
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    if names - {mutant.name for mutant in chosen}:
        sys.exit(f"no such mutant: {', '.join(sorted(names - {mutant.name for mutant in chosen}))}")
    copy_tree()
    missed = [mutant.name for mutant in chosen if not try_one(mutant)]
    say(f"{len(chosen) - len(missed)} of {len(chosen)} mutants found (build/mutants.log)")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
