"""What the guards cost at run time: the same job by the binary and by one that is built without
them (`make UNGUARDED=1`), in pairs, in turn one of them first. Guards cost CPU of the daemon, and
of PostgreSQL a short statement before and behind a page's effects. Both are told as shares of the
CPU of daemon and PostgreSQL; the second one differs more from pair to pair than what is looked for.
"""

import statistics

import data
import removal
import sentences
import sessions
from one_run import run_once
from support.places import binary, binary_without_guards


def measure(stage, template, job, settings, left, program):
    """(CPU of the daemon and of both for each row, what is left)."""
    with stage.installation(template, settings, program=program) as pruned:
        row, _ = run_once(stage, pruned, job)
        cpu = row["cpu_us_each"]
        return cpu["caller"], cpu["caller"] + cpu["postgres"], pruned.database.row(left)


def pairs_of(stage, report, template, job, settings, left, pairs):
    programs = {"with guards": binary(), "without": binary_without_guards()}
    found = {name: [] for name in programs}
    for number in range(pairs):
        report.say(f"{job} with and without guards, pair {number + 1} of {pairs}")
        for name in sorted(programs, reverse=number % 2 == 1):
            found[name].append(measure(stage, template, job, settings, left, programs[name]))
        if found["with guards"][-1][2] != found["without"][-1][2]:
            raise RuntimeError(f"not the same effects: {found}")
    for n, where in enumerate(("in the daemon", "in both")):
        shares = [(w[n] - o[n]) / o[1] for w, o in zip(found["with guards"], found["without"])]
        report.add("h", f"{job}: CPU of the guards {where} / of daemon and PostgreSQL", statistics.median(shares), "ratio", at_most=0.02,
                   detail={"all": [round(share, 3) for share in shares]})


def guards(stage, report, quick):
    rows, pairs = (100_000, 3) if quick else (300_000, 9)
    for filler, job, settings, left in (
            (data.filler(rows, data.SPREAD), removal.JOB, removal.settings(), removal.LEFT),
            (sessions.filler(rows), sentences.JOB, sentences.settings(stage), sentences.LEFT)):
        template = stage.template(filler)
        try:
            pairs_of(stage, report, template, job, settings, left, pairs)
        finally:
            template.drop()
