"""A rolling upgrade, forward, back and forward again: an older program (TEST_OLDER) and this tree's
work side by side, with runs, ranges, timers, held runs, errands and rows in quarantine under way.
Each row that is due goes once and no other, and nothing is lost.

`make two-versions` builds the older program and runs this."""

import collections
import itertools
import re

import pytest

from release.sides import ALL, BAD, FILES, MEMBERS, PEOPLE, STAGES, TABLES, TWO_DAYS, Sides, must_know, older_knows
from stack.process import wait_until
from support.scene import let_rows_go, result

pytestmark = pytest.mark.timeout(1500)
EXPECTED = re.compile("cannot be removed|Message cannot be handled|Row cannot|quarantine", re.I)


@pytest.fixture
def sides(new_pruned, new_database, new_topics, tmp_path):
    database, topics = new_database("app"), new_topics()
    folder = tmp_path / "both"
    folder.mkdir()
    both = Sides(new_pruned(database, topics), new_pruned(database, topics), folder)
    both.make()
    return both


class Staff:
    """The daemons that work now, and those that have."""

    def __init__(self, sides):
        self.sides, self.now, self.all = sides, [], []

    def start(self, side):
        daemon = side.start(name=f"{side.label}-{len(self.all) + 1}")
        self.now.append(daemon)
        self.all.append(daemon)
        daemon.wait_line("Partitions assigned", deadline_s=120)
        wait_until(lambda: self.has_work(daemon), 120, f"a step of {daemon.name}", poll_s=0.5)

    def has_work(self, daemon):
        self.sides.send_people(4)
        return daemon.lines("Finished")

    def replace_first(self, side):
        """The oldest of them ends, then another one begins."""
        assert self.now.pop(0).stop(60) == 0
        self.start(side)

    def steps(self):
        """{run: [side of each step, in order]}"""
        lines = sorted((line["run_id"], line["time"], daemon.name.split("-")[0])
                       for daemon in self.all for line in daemon.lines("Finished"))
        return {run: [side for *_, side in of] for run, of in itertools.groupby(lines, key=lambda line: line[0])}

    def unexpected(self):
        return [(daemon.name, line) for daemon in self.all for line in daemon.lines()
                if line["level"] == "error" and not EXPECTED.search(line["message"])]


def check_rows(sides, approved):
    """Of each table exactly the rows that were due, and each once in the audit."""
    kept = {f"small{n}" for n in STAGES if n not in approved}
    for table, due in TABLES.items():
        wanted = set() if table in kept else set(range(1, due + 1))
        assert sides.gone(table) == wanted, table
        assert sides.audited(table) == sorted(wanted), table
    people = set(range(1, ALL + 1)) - set(sides.database.column("SELECT id FROM people"))
    assert people == sides.due["people"] and sides.audited("people") == sorted(people)
    assert sides.database.column("SELECT id FROM members") == [] and sides.audited("members") == sorted(sides.due["members"])
    left = {path.name for path in sides.store.iterdir()}
    assert left == {f"stays {n}-{i}" for n in STAGES for i in range(FILES)}
    assert len(sides.audited("ci_deleted_objects")) == len(STAGES) * FILES


def announced(sides):
    """The outcomes, each once: one that comes again has the same id and the same bytes."""
    by_id = {}
    for message in sides.topics.outcomes():
        assert by_id.setdefault(message.headers["ce_id"], message).raw == message.raw, message
    return list(by_id.values())


def check_messages(sides):
    assert sorted(m.raw for m in sides.topics.read("dead")) == sorted(sides.garbage)
    said = collections.defaultdict(list)
    for message in announced(sides):
        said[message.schema.rpartition(".")[2]].append(message.value)
    answers = [int(value["key"]) for value in said["RowProcessed"] if value["job"] == "people.erase"]
    assert sorted(answers) == sorted(sides.due["people"])
    assert sorted(value["member_id"] for value in said["MemberRemoved"]) == sorted(sides.due["members"])
    ended = collections.Counter(str(value["run_id"]) for value in said["RunFinished"])
    assert {job: ended[run] for job, run in sides.runs.items()} == {job: sides.run_of(job)["state"] == "finished" for job in sides.runs}


def check_runs(sides, approved):
    for job in sides.runs:
        row, held = sides.run_of(job), job in {f"small{n}.purge" for n in STAGES if n not in approved}
        assert (row["state"], row["attempts"]) == ("held" if held else "finished", 0), row
        assert held or result(row)["status"] == "completed", row
    states = sides.database.column("SELECT DISTINCT state FROM pruned.runs WHERE range_of IS NULL")
    assert set(states) == {"finished", "held"}
    assert sides.database.value("SELECT count(*) FROM pruned.runs WHERE range_of IS NOT NULL") == 0
    assert sides.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def finish(sides):
    """All that is due by now ends, and the timers of the last stages."""
    sides.wait_files()
    sides.tick("bad.purge")
    for job in [job for job in sides.runs if not job.startswith("small")]:
        sides.wait_ended(job)
    sides.wait_timers(2 * MEMBERS)
    sides.database.connection.execute(TWO_DAYS)
    wait_until(lambda: sides.database.column("SELECT id FROM members") == [], 120, "no members")
    wait_until(lambda: len(sides.topics.outcomes("MemberRemoved")) >= len(STAGES) * MEMBERS, 60, "outcomes")


def test_a_program_that_does_not_know_a_step_goes_on_and_is_not_started_anew(sides):
    """The schema is made newer under its daemon. Whoever starts it afterwards is told, and its
    daemon ends orderly; what it has begun the newer one ends."""
    if older_knows() >= must_know():
        pytest.skip("the older program works with this schema")
    older, newer, staff = sides.older, sides.newer, Staff(sides)
    sides.send(0)
    staff.start(older)
    sides.wait_held(0)
    sides.migrate()
    sides.send_people(PEOPLE)
    sides.wait_people()
    for command in (("run",), ("doctor",), ("migrate",)):
        done = older.run(*command, settings={"postgres.url": sides.database.url} if command == ("migrate",) else None)
        assert done.code == 3 and "schema pruned is newer than this program" in done.stdout + done.stderr, done
    staff.replace_first(newer)
    sides.wait_held(0)
    newer.run("approve", sides.runs["small0.purge"]).ok()
    for job in ("long.purge", "pages0.purge", "small0.purge"):
        assert sides.wait_ended(job)["state"] == "finished"
        assert sides.gone(job.partition(".")[0]) == set(range(1, TABLES[job.partition(".")[0]] + 1))
        assert sides.audited(job.partition(".")[0]) == sorted(sides.gone(job.partition(".")[0]))
    assert staff.now.pop().stop() == 0 and staff.unexpected() == []


def test_forward_back_and_forward_again(sides):
    if older_knows() < must_know():
        pytest.skip("the older program does not start with this schema")
    older, newer, staff = sides.older, sides.newer, Staff(sides)
    sides.send(0)
    staff.start(older)
    staff.start(older)
    sides.wait_held(0)
    sides.wait_timers(MEMBERS)
    # the schema, under running daemons
    sides.migrate()
    sides.send(1)
    sides.wait_people()
    sides.wait_held(1)
    sides.wait_timers(2 * MEMBERS)
    # one of each
    staff.replace_first(newer)
    said = newer.run("version", "--check", "--json")
    assert said.code == 0 and any(line["check"] == "process" for line in said.json()), said
    assert "member" in newer.run("doctor").stdout
    sides.send(2)
    newer.run("approve", sides.runs["small0.purge"]).ok()
    sides.wait_timers(3 * MEMBERS)
    sides.database.connection.execute(TWO_DAYS)
    sides.wait_ended("small0.purge")
    sides.wait_people()
    # the newer one alone
    staff.replace_first(newer)
    sides.wait_held(2)
    sides.send(3)
    sides.wait_people()
    sides.wait_held(3)
    # back
    staff.replace_first(older)
    older.run("approve", sides.runs["small2.purge"]).ok()
    staff.replace_first(older)
    sides.send(4)
    sides.wait_people()
    sides.wait_held(4)
    sides.wait_ended("small2.purge")
    assert [row["item"] for row in sides.database.rows("SELECT item FROM pruned.quarantine ORDER BY item")] == sorted(f"bad:{id}" for id in BAD)
    let_rows_go(sides.database, "bad")
    older.run("quarantine", "retry", "bad.purge").ok()
    # and forward
    staff.replace_first(newer)
    staff.replace_first(newer)
    finish(sides)
    for daemon in staff.now:
        assert daemon.stop() == 0
    assert staff.unexpected() == []
    approved = (0, 2)
    check_rows(sides, approved)
    check_runs(sides, approved)
    check_messages(sides)
    steps = staff.steps()
    both = {job for job, run in sides.runs.items() if len(set(steps.get(run, []))) == 2}
    assert "long.purge" in both and len(both) > 2, f"done by both: {both}"
