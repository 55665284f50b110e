"""Measures the speed on this machine: one table with ratios, and the same as JSON.

bench.py [--quick] [--cores N] [--json FILE] [SECTION ...]; without sections: all.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import chains
import footprint
import gentle
import groups
import guards
import lasting
import latency
import ledger
import many
import objects
import one_row
import page
import partitions
import placeholders
import plans
import price
import prune
import recovery
import refresh
import removal
import scale
import sentences
import throughput
import users
from stage import Stage
from support.places import binary

SECTIONS = {
    "removal": removal.against_by_hand,
    "brakes": removal.brakes,
    "told": removal.told,
    "intake": throughput.intake,
    "runs": throughput.runs,
    "steps": throughput.steps,
    "one_row": one_row.one_row,
    "chains": chains.chains,
    "due": latency.due_to_started,
    "due_backlog": latency.due_in_backlog,
    "ticks": latency.tick_to_started,
    "start": footprint.start_up,
    "backlog": footprint.backlog,
    "lasting": lasting.lasting,
    "ledger": ledger.ledger,
    "date": removal.one_date,
    "prune": prune.prune,
    "groups": groups.destroy,
    "placeholders": placeholders.placeholders,
    "users": users.destroy,
    "refresh": refresh.refresh,
    "objects": objects.objects,
    "recovery": recovery.recovery,
    "sentences": sentences.sentences,
    "guards": guards.guards,
    "partitions": partitions.partitions,
    "gentle": gentle.gentle,
    "many": many.many,
    "scale": scale.scale,
    "price": price.price,
    "page": page.page,
    "plans": plans.step_plans,
}


class Report:
    def __init__(self):
        self.figures = []

    def say(self, text):
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def add(self, part, name, value, unit, *, at_least=None, at_most=None, aim=None, detail=None):
        wanted = at_least if at_least is not None else at_most if at_most is not None else aim
        ok = (None if wanted is None else value <= at_most if at_most is not None else value >= wanted)
        self.figures.append({"part": part, "name": name, "value": value, "unit": unit, "at_least": at_least,
                             "at_most": at_most, "aim": aim, "ratio": value / wanted if wanted else None, "ok": ok,
                             "detail": detail or {}})
        self.say(f"  {name}: {shown(value)} {unit}  {detail or ''}")

    def table(self):
        rows = [(f["part"], f["name"], shown(f["value"]), f["unit"], wanted(f),
                 "" if f["ok"] is None else "reached" if f["ok"] else "not reached")
                for f in sorted(self.figures, key=lambda f: f["part"])]
        heads = ("", "measured", "here", "", "wanted", "")
        width = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
        for row in [heads, *rows]:
            print("  ".join(cell.rjust(width[i]) if i == 2 else cell.ljust(width[i])
                            for i, cell in enumerate(row)).rstrip())

    # --- short ways to ask

    def memory(self, pid, what):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(what + ":"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"/proc/{pid}/status has no {what}")

    def time(self, text):
        return datetime.datetime.fromisoformat(text).timestamp()


def shown(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def wanted(figure):
    for word, key in (("at least ", "at_least"), ("at most ", "at_most"), ("aim ", "aim")):
        if figure[key] is not None:
            return word + f"{figure[key]:,}"
    return ""


def keep_to(cores):
    """Only so many of the cores are used: by this process, and by all that it starts (PostgreSQL,
    Kafka, the daemon, the peers)."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def machine():
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), platform.machine())
    with open("/proc/meminfo") as info:
        memory_gb = round(int(info.readline().split()[1]) / 1024 / 1024)
    with open("/proc/loadavg") as load:
        load_1m = float(load.read().split()[0])
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "cores_there": os.cpu_count(), "memory_gb": memory_gb,
            "system": platform.platform(), "load_1m": load_1m}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cores", type=int, metavar="N", help="keep everything to so many cores of this machine")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--statements", action="store_true", help="which statements PostgreSQL's time went into")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name}; one of: {', '.join(SECTIONS)}")
    if options.cores is not None:
        if not 1 <= options.cores <= len(os.sched_getaffinity(0)):
            parser.error(f"--cores: from 1 to {len(os.sched_getaffinity(0))}")
        keep_to(options.cores)
    report, here = Report(), machine()
    cores = str(here["cores"]) if here["cores"] == here["cores_there"] else f"{here['cores']} of {here['cores_there']}"
    report.say(f"{binary()} on {cores} x {here['cpu']}, {here['memory_gb']} GB")
    with contextlib.closing(Stage()) as stage:
        if options.statements:
            stage.time_plans()
        for name in options.sections or SECTIONS:
            if options.statements:
                stage.forget_statements()
            SECTIONS[name](stage, report, options.quick)
            if options.statements:
                for plan_ms, run_ms, calls, rows, buffers, text in stage.statements():
                    report.say(f"  {plan_ms:8,.0f} + {run_ms:8,.0f} ms {calls:8} calls {rows:9} rows {buffers:9} buffers  {text[:90]}")
    report.table()
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
                                            "machine": here, "quick": options.quick, "figures": report.figures}, indent=1))
    return 0 if all(f["ok"] is not False or f["aim"] is not None for f in report.figures) else 1


if __name__ == "__main__":
    sys.exit(main())
