"""A command or daemon whose standard descriptors are closed: nothing that is printed goes into a
connection."""

import subprocess

import pytest

from stack.process import patient
from support.pruned import clean_environment
from support.scene import now
from support.sentences import house  # noqa: F401


def run(pruned, closed, *arguments):
    return subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *pruned.argv(*arguments)], env=clean_environment(), cwd=pruned.folder,
                          timeout=patient(60)).returncode


@pytest.mark.check_first(1)
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_rows_go_and_come_back_with_closed_descriptors(house, closed):  # noqa: F811
    house.sql("""CREATE TABLE jotted (id bigint PRIMARY KEY, old boolean);
        INSERT INTO jotted SELECT g, true FROM generate_series(1, 2500) g""")
    house.say("jotted", "table = jotted\nwhere = old\nbatch = 1000\ndelay_ms = 0\nmax_share = off")
    house.start()
    tick = house.pruned.run("tick", "jotted", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    assert run(house.pruned, closed, "run", "--until-idle") == 0
    assert house.rows("jotted") == [] and house.pruned.run_row(tick)["result"]["removed"] == 2500
    assert run(house.pruned, closed, "restore", tick) == 0
    assert house.rows("jotted", "count(*)") == [(2500,)]
