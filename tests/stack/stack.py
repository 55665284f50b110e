"""PostgreSQL and Kafka for use by hand: up.sh starts both, down.sh ends them.

The processes are recorded in build/stack (or the given folder), by id and start time, so that no
other process is ever ended. """

import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from stack.found import PROJECT
from stack.pair import Pair
from stack.process import started_at, wait_until


def alive(state):
    return all(started_at(p["pid"]) == p["started_at"] for p in state["processes"])


def up(note):
    if note.exists() and alive(json.loads(note.read_text())):
        return json.loads(note.read_text())
    down(note)
    pair = Pair(outlive_us=True, lasts=True)
    state = {
        "folder": str(pair.folder),
        "processes": [
            {"name": s.name, "pid": s.process.pid, "started_at": started_at(s.process.pid)}
            for s in pair.servers
        ],
        "environment": {
            "PRUNED_POSTGRES_URL": pair.postgres.url(),
            "PRUNED_KAFKA_BOOTSTRAP_SERVERS": pair.kafka.bootstrap,
        },
    }
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps(state, indent=1))
    return state


def down(note):
    if not note.exists():
        return
    state = json.loads(note.read_text())
    for p in state["processes"]:
        if started_at(p["pid"]) == p["started_at"]:
            os.kill(p["pid"], signal.SIGQUIT if p["name"] == "postgres" else signal.SIGKILL)
        wait_until(lambda: started_at(p["pid"]) != p["started_at"], 30, f"end of {p['name']}")
    shutil.rmtree(state["folder"], ignore_errors=True)
    note.unlink()


def main():
    task = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else PROJECT / "build/stack"
    if task == "down":
        down(folder / "up.json")
        return
    for name, value in up(folder / "up.json")["environment"].items():
        print(f"{name}={value}")


main()
