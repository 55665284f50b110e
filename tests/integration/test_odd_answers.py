"""Tables, rows and files of a job may return anything: the run keeps an error that says what is
wrong, and the process survives."""

import pytest

from support.instance import Instance
from support.scene import beside_jobs, now, result, tick_id

pytestmark = pytest.mark.built_in

CONF = """
[job]
starts = tick
capacity = 1
table = scratch
unique_key = {name}
cursor = id bigint
"""
REMOVED = "[what removed]\n"
SEEN = "[what seen]\n"  # without a file
MEMBER = "outcome = MemberKept\noutcome.member_id = 1\noutcome.source_type = Project\noutcome.source_id = 2\n"
PAGE = "SELECT s.id AS key, s.id FROM scratch s WHERE s.id > :cursor.id::bigint ORDER BY s.id LIMIT :limit::int"
DECIDE = "SELECT k AS key, 'seen' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k"
CHILD = "SELECT {job} AS job, {args} AS args, {key} AS child_key, NULL::text AS unique_key, {due} AS due_at FROM unnest(:key::bigint[]) k"


def child(job="'scratch.wide'", args="'{}'::jsonb", key="k::text", due="NULL::timestamptz"):
    return CHILD.format(job=job, args=args, key=key, due=due)


# name: (what follows in job.conf, files, words of the run's error)
CASES = {
    "null.field": (SEEN + MEMBER, {"decide": DECIDE}, ["MemberKept", "field reason"]),
    "null.entity": (SEEN + MEMBER + "entity = reason\n", {"decide": DECIDE}, ["MemberKept", "'reason'"]),
    "null.what": (SEEN, {"decide": "SELECT k AS key, NULL::text AS what, '' AS reason FROM unnest(:key::bigint[]) k"},
                  ["decide.sql", "'what' is NULL"]),
    "null.key": (SEEN, {"decide": "SELECT NULL::bigint AS key, 'seen' AS what FROM unnest(:key::bigint[]) k"}, ["decide.sql", "'key' is NULL"]),
    "null.gone": (REMOVED, {"apply/removed/10-scratch": "DELETE FROM scratch s USING unnest(:key::bigint[]) k WHERE s.id = k"
                            " RETURNING NULL::bigint AS key, to_jsonb(s) AS row"}, ["10-scratch", "'key' is NULL"]),
    "no.child": ("", {"children": child(job="'no.such.job'")}, ["no.such.job"]),
    "null.child": ("", {"children": child(job="NULL::text")}, ["children.sql", "'job' is NULL"]),
    "null.args": ("", {"children": child(args="NULL::jsonb")}, ["children.sql", "'args' is NULL"]),
    "null.child_key": ("", {"children": child(key="NULL::text")}, ["children.sql", "'child_key' is NULL"]),
    "list.args": ("", {"children": child(args="'[1]'::jsonb")}, ["not a JSON object"]),
    "text.args": ("", {"children": child(args="'x'::text")}, ["without arguments"]),
    "huge.args": ("", {"children": child(args="'{\"a\": 1e400}'::jsonb")}, ["without arguments"]),
    "far.child": ("", {"children": child(due="'infinity'::timestamptz")}, ["due_at"]),
    "old.child": ("", {"children": child(due="'4000-01-01 BC'::timestamptz")}, ["due_at"]),
}
# These are seen without a row, so the job is refused when it is loaded. The words are of the
# reason.
REFUSED = {
    "no.entity": (SEEN + MEMBER + "entity = nobody\n", {"decide": DECIDE}, ["job.conf", "'nobody'"]),
    "no.field": (SEEN + "outcome = MemberKept\n", {"decide": DECIDE}, ["job.conf:9: ", "MemberKept", "'member_id'"]),
    "no.key": ("", {"page": "SELECT s.id FROM scratch s WHERE :cursor.id::bigint < s.id ORDER BY s.id LIMIT :limit::int"}, ["page.sql", "'key'"]),
    "no.cursor": ("", {"page": "SELECT s.id AS key FROM scratch s WHERE :cursor.id::bigint < s.id ORDER BY s.id LIMIT :limit::int"}, ["page.sql", "'id'"]),
    "no.what": (SEEN, {"decide": "SELECT k AS key FROM unnest(:key::bigint[]) k"}, ["decide.sql", "'what'"]),
    "no.inserted": (REMOVED, {"apply/removed/10-scratch_log.insert": "INSERT INTO scratch_log SELECT k FROM unnest(:key::bigint[]) k"},
                    ["10-scratch_log", "'key'"]),
    "no.due": ("", {"children": "SELECT 'scratch.wide' AS job, '{}'::jsonb AS args, 'x' AS child_key"}, ["children.sql", "'unique_key'"]),
    "unbound": ("", {"decide": DECIDE + " WHERE :nothing::int IS NULL"}, ["decide.sql", ":nothing"]),
    "no.setting": ("", {"decide": DECIDE + " WHERE :setting.nothing::text IS NULL"}, ["decide.sql", ":setting.nothing"]),
    "no.blocked": ("", {"blocked": "SELECT 1 AS why WHERE :scheduled_at::timestamptz IS NOT NULL"}, ["blocked.sql", "'reason'"]),
    "no.context": (SEEN + "log = info: gone\n", {"context": "SELECT 1 AS nobody WHERE :key::bigint[] IS NOT NULL"}, ["context.sql", "'key'"]),
}
# These succeed: a missing value is only left out of a log line.
FINE = {
    "no.log_field": (SEEN + "log = info: {nothing} of {reason}\nlog_fields = nobody; reason\n", {"decide": DECIDE}),
    "null.context": (SEEN + "log = info: gone\n", {"context": "SELECT NULL::bigint AS key WHERE :key::bigint[] IS NOT NULL"}),
}


def write(folder, name, conf, files):
    decides = {} if any(file.startswith("apply/") for file in files) else {"decide": DECIDE}
    for file, text in ({"page": PAGE} | decides | files).items():
        path = folder / name / f"{file}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / name / "job.conf").write_text(CONF.format(name=name) + conf)


@pytest.fixture
def odd(new_scene, tmp_path):
    folder = beside_jobs(tmp_path / "jobs")
    for name, (conf, files, *_) in (CASES | REFUSED | FINE).items():
        write(folder, f"odd.{name}", conf, files)
    scene = new_scene({"run.jobs_dir": folder})
    scene.database.execute("INSERT INTO scratch (id) SELECT generate_series(1, 3)")
    return scene


@pytest.mark.check_all
def test_results_of_a_jobs_files_are_checked_and_the_run_says_what_is_missing(odd):
    daemon = odd.start()
    at = now(minutes=-1)
    for name in CASES | REFUSED | FINE:
        odd.topics.tick(f"odd.{name}", at)
    wrong = []
    for name, (_, _, words) in CASES.items():
        row = odd.wait_run(tick_id(f"odd.{name}", at), "waiting", "dead", "finished", deadline_s=60)
        if row["state"] != "waiting" or not all(word in row["error"] for word in words):
            wrong.append(f"{name}: {row['state']}: {row['error']!r}, wanted {words}")
    for name, (_, _, words) in REFUSED.items():
        row = odd.wait_run(tick_id(f"odd.{name}", at), "waiting", "dead", "finished", deadline_s=60)
        reason = (row["result"] or {}).get("reason", "")
        if not reason.startswith("refused: ") or not all(word in reason for word in words):
            wrong.append(f"{name}: {row['state']}: {reason!r}, wanted {words}")
    assert not wrong, "\n".join(wrong)
    for name in FINE:
        assert odd.wait_run(tick_id(f"odd.{name}", at))["state"] == "finished", name
    odd.topics.tick("scratch.wide", at)
    odd.wait_run(tick_id("scratch.wide", at))
    assert daemon.running
    assert odd.database.column("SELECT id FROM scratch ORDER BY id") == [1, 2, 3]
    for name in CASES | REFUSED:
        assert odd.run("plan", f"odd.{name}").code in (0, 3), name


@pytest.mark.check_all
def test_a_row_that_fails_in_a_job_without_a_table_is_quarantined_by_its_key(new_scene, tmp_path):
    folder = beside_jobs(tmp_path / "jobs")
    write(folder, "odd.table.less", SEEN, {"decide": "SELECT k AS key, 'seen' AS what, (1 / (k - 2))::text AS reason FROM unnest(:key::bigint[]) k"})
    conf = folder / "odd.table.less/job.conf"
    conf.write_text(conf.read_text().replace("table = scratch\n", ""))
    scene = new_scene({"run.jobs_dir": folder})
    scene.database.execute("INSERT INTO scratch (id) SELECT generate_series(1, 3)")
    for day in (1, 2):  # the second run finds it in the quarantine
        scene.topics.tick("odd.table.less", at := now(minutes=-day))
        scene.run_until_idle()
        # of what was to go nothing went
        assert result(scene.run_row(tick_id("odd.table.less", at)))["status"] == "failed"
        assert scene.database.column("SELECT item FROM pruned.quarantine") == ["(row):2"]


ROWS = {
    "a number that only PostgreSQL knows": ("args", '{"a": 1e400}', "args"),
    "args that are a list": ("args", "[1]", "args"), "args that are a text": ("args", '"a"', "args"), "args that are null": ("args", "null", "args"),
    "a cursor that is a list": ("cursor", "[1]", "cursor"), "a cursor that is a number": ("cursor", "5", "cursor"),
    "args too deep": ("args", '{"a":' + "[" * 3000 + "]" * 3000 + "}", "args"),
}


def test_a_run_whose_row_cannot_be_read_is_dead_at_once_and_its_neighbours_go_on(scene):
    scene.run("pause", "scratch.wide").ok()
    daemon = scene.start()
    at = now(minutes=-10)
    ids = {}
    for n, name in enumerate([*ROWS, "neighbour"]):
        when = at.replace(second=n)
        scene.topics.tick("scratch.wide", when, {"n": n})
        ids[name] = tick_id("scratch.wide", when, f'{{"n":{n}}}')
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.wide'", until=len(ids))
    for name, (column, text, _) in ROWS.items():
        scene.database.execute(f"UPDATE pruned.runs SET {column} = %(text)s::jsonb WHERE run_id = %(id)s", {"text": text, "id": ids[name]})
    scene.run("resume", "scratch.wide").ok()
    for name, (_, _, word) in ROWS.items():
        said = scene.database.wait("SELECT error FROM pruned.runs WHERE run_id = %(id)s AND state = 'dead'", {"id": ids[name]})
        assert said.startswith(f"the run's row: {word}: "), (name, said)
    assert scene.wait_run(ids["neighbour"])["state"] == "finished"
    assert daemon.running


@pytest.mark.check_all
def test_a_run_whose_time_fits_no_message_is_dead_and_its_neighbour_continues(scene):
    scene.run("pause", "scratch.wide").ok()
    daemon = scene.start()
    at = now(minutes=-10)
    for n in range(2):
        scene.topics.tick("scratch.wide", at, {"n": n})
    ids = [tick_id("scratch.wide", at, f'{{"n":{n}}}') for n in range(2)]
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.wide'", until=2)
    scene.database.execute("UPDATE pruned.runs SET scheduled_at = '1960-01-01' WHERE run_id = %s", [ids[0]])
    scene.run("resume", "scratch.wide").ok()
    assert scene.wait_run(ids[1])["state"] == "finished"
    said = scene.database.wait("SELECT error FROM pruned.runs WHERE run_id = %(id)s AND state = 'dead'", {"id": ids[0]})
    assert "field scheduled_at" in said
    assert daemon.running


def test_a_table_whose_column_is_of_another_type_costs_no_process(pruned_with_slots):
    """members.expires_at as timestamptz: the outcome has no such type."""
    scene = pruned_with_slots
    at = now(minutes=-1)
    there = Instance(scene.database, at)
    member = there.member(there.user(), there.group(), expires_at=there.day(-1))
    scene.database.connection.execute("ALTER TABLE members ALTER COLUMN expires_at TYPE timestamptz USING expires_at::timestamptz")
    daemon = scene.start()
    scene.topics.tick("members.remove_expired", at)
    row = scene.wait_run(tick_id("members.remove_expired", at), "waiting", "dead", "finished")
    assert (row["state"], row["attempts"]) == ("waiting", 1)
    assert "MemberRemoved" in row["error"] and "field expires_at" in row["error"]
    assert scene.database.column("SELECT id FROM members") == [member]
    scene.topics.tick("members.schedule_prune_deletions", at)
    scene.wait_run(tick_id("members.schedule_prune_deletions", at))
    assert daemon.running
