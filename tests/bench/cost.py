"""CPU time of the processes that take part. On a shared machine it varies less than a speed."""

import functools
import os
import pathlib

TICK = os.sysconf("SC_CLK_TCK")


def _fields(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def own_s(pid):
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / TICK


def with_children_s(pid):
    """The parent's time includes that of children that have ended; live children are asked."""
    fields = _fields(pid)
    spent = sum(int(fields[i]) for i in (11, 12, 13, 14)) / TICK
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            spent += own_s(child)
        except FileNotFoundError:
            pass
    return spent


class Cost:
    """Measures CPU from its creation until `each`: microseconds for each thing, by process. OTHERS:
    more of them, by name."""

    def __init__(self, stage, pid, **others):
        self._ask = {
            "caller": lambda: own_s(pid),
            "postgres": lambda: with_children_s(stage.postgres.process.pid),
            "kafka": lambda: own_s(stage.kafka.process.pid),
        } | {name: functools.partial(own_s, other) for name, other in others.items()}
        self._before = {name: ask() for name, ask in self._ask.items()}

    def each(self, number):
        spent = {name: round((ask() - self._before[name]) / number * 1e6, 1) for name, ask in self._ask.items()}
        return spent | {"sum": round(sum(spent.values()), 1)}
