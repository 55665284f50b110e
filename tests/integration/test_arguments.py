"""Arguments are checked at intake: a tick that its job cannot use never becomes a run, so nothing
is retried."""

import decimal
import json

import pytest

from support.command_line import says
from support.scene import beside_jobs, child_id, now, tick_id

pytestmark = pytest.mark.built_in

MOST = 65536
TYPED = """
[job]
starts = tick; parent
capacity = 1
table = scratch
arguments = user_id bigint; small smallint; day date; at timestamptz; yes boolean; id uuid; name text; any jsonb; cursor
unique_key = scratch.typed:{user_id}
cursor = day date; id bigint
"""
PAGE = """
SELECT NULL::bigint AS key, NULL::date AS day, NULL::bigint AS id
WHERE :cursor.day::date IS NULL AND :cursor.id::bigint > 0 AND (:args::jsonb ->> 'user_id')::bigint IS NULL AND :limit::int = 0
ORDER BY day, id
"""
PARENT = """
[job]
starts = tick
capacity = 1
table = scratch
unique_key = scratch.parent
cursor = id bigint
"""
CHILDREN = """
SELECT 'scratch.typed' AS job, jsonb_build_object('user_id', 'seven') AS args, k::text AS child_key, NULL::text AS unique_key,
       NULL::timestamptz AS due_at
FROM unnest(:key::bigint[]) k
"""
KEPT = "SELECT k AS key, 'kept' AS what, NULL::text AS reason FROM unnest(:key::text[]) k"
FIRST = "SELECT 1::bigint AS key, 1::bigint AS id WHERE :cursor.id::bigint < 1 ORDER BY id LIMIT :limit::int"


def job(folder, name, conf, **files):
    (folder / name).mkdir()
    (folder / name / "job.conf").write_text(conf)
    for file, text in files.items():
        (folder / name / f"{file}.sql").write_text(text)


@pytest.fixture
def typed(new_scene, tmp_path):
    folder = beside_jobs(tmp_path / "jobs")
    job(folder, "scratch.typed", TYPED, page=PAGE, decide=KEPT)
    job(folder, "scratch.parent", PARENT, page=FIRST, decide=KEPT, children=CHILDREN)
    return new_scene({"run.jobs_dir": folder})


def reasons(scene, sent):
    """The reasons of the messages SENT ({name: (partition, offset)}), once all are on the dead
    topic."""
    found = scene.topics.wait("dead", lambda m: True, count=len(sent), deadline_s=60)
    by_source = {(int(m.headers["pruned_source_partition"]), int(m.headers["pruned_source_offset"])): m for m in found}
    return {name: by_source[source].headers["pruned_reason"] for name, source in sent.items()}


def test_a_tick_without_the_arguments_of_its_key_is_dead_and_the_daemon_lives(scene):
    daemon = scene.start()
    bare = ["users.destroy", "groups.destroy", "users.delete_placeholder", "ci.delete_objects", "scratch.keyed"]
    sent = {name: scene.topics.produce("ticks", json.dumps({"job": name}).encode()) for name in bare}
    said = reasons(scene, sent)
    assert said.pop("scratch.keyed") == "argument key is missing: the job's unique key is made of it"
    assert set(said.values()) == {f"job {name} takes no ticks" for name in said}
    at = now(hours=-1)
    scene.topics.tick("scratch.keyed", at, {"key": 5})
    assert scene.wait_run(tick_id("scratch.keyed", at, '{"key":5}'))["unique_key"] is None
    assert daemon.running


@pytest.mark.check_all
def test_the_command_refuses_what_intake_would(typed):
    before = len(typed.topics.read("ticks"))
    says(typed.run("tick", "scratch.keyed"), 1, "argument key is missing")
    says(typed.run("tick", "scratch.typed", "--arg", "user_id=abc"), 1, "argument user_id", "bigint")
    says(typed.run("tick", "scratch.typed", "--arg", "user_id=1", "--arg", "day=someday"), 1, "argument day", "date")
    says(typed.run("tick", "members.remove_expired", "--arg", 'cursor={"x": 1}'), 1, "argument cursor", "expires_at date")
    says(typed.run("tick", "members.remove_expired", "--arg", "cursor=12"), 1, "argument cursor")
    says(typed.run("tick", "members.remove_expired", "--arg", 'cursor={"id": "x"}'), 1, "argument cursor: id is not of type bigint")
    says(typed.run("tick", "scratch.wide", "--arg", 'cursor={"id": "x"}'), 1, "argument cursor: id is not of type bigint")
    says(typed.run("tick", "scratch.wide", "--arg", f"a={'x' * MOST}"), 1, "args too large", "max_args_bytes")
    assert len(typed.topics.read("ticks")) == before
    typed.run("tick", "scratch.typed", "--arg", "user_id=7", "--arg", 'cursor={"id": 1}').ok()


WRONG = {
    "user_id": ["abc", "7", 1.5, True, [1], {"a": 1}, 9223372036854775808, 1e300], "small": [32768, "1"], "day": ["someday", "2026-02-30", 5],
    "at": ["now", "2026-01-01", 5], "yes": ["true", 1], "id": ["x", 5], "name": [5, ["a"]],
    "cursor": [{"x": 1}, 1, "a", [1], {"id": True}, {"id": 1.5}, {"id": [1]}, {"day": 5}, {"day": {"a": 1}},
               {"id": "abc"}, {"id": ""}, {"id": "9223372036854775808"}, {"id": 9223372036854775808}, {"day": "someday"}, {"day": ""},
               {"day": "2026-02-30"}, {"day": "2026-01-01 25:00:00"}, {"day": "now"}, 12345678901234567890],
}
RIGHT = {
    "user_id": [-9223372036854775808, 9223372036854775807, 5000.0], "small": [-32768, None], "day": ["2026-02-28", "infinity"],
    "at": ["2026-01-01T00:00:00Z", "2026-01-01 10:20:30.5+00"], "yes": [True], "id": ["7fecac87-579a-560b-ad38-6378e9e225c0"], "name": ["x", ""],
    "any": [{"a": [1]}, 5], "cursor": [{}, {"id": 1}, {"id": 1.0, "day": "2026-01-01"}, {"day": None}, None,
                                      {"id": " -7 ", "day": "infinity"}, {"day": "0044-03-15 BC"}, {"day": "2026-01-01 10:20:30.5+00"}],
}


def test_a_value_of_another_type_is_refused_with_the_arguments_name(typed):
    typed.start()
    sent, wanted = {}, {}
    for name, values in WRONG.items():
        for value in values:
            at = now(hours=-1, milliseconds=len(sent))
            sent[name, repr(value)] = typed.topics.tick("scratch.typed", at, {"user_id": 1} | {name: value})
            wanted[name, repr(value)] = f"argument {name}: "
    said = reasons(typed, sent)
    assert {k: v[:len(wanted[k])] for k, v in said.items()} == wanted
    assert typed.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.typed'") == 0


def test_a_value_of_its_type_is_accepted_and_read(typed):
    typed.start()
    n = 0
    for name, values in RIGHT.items():
        for value in values:
            n += 1
            typed.topics.tick("scratch.typed", now(hours=-1, seconds=n), {"user_id": n} | {name: value})
    typed.database.wait(f"SELECT count(*) = {n} FROM pruned.runs WHERE job = 'scratch.typed' AND state = 'finished'", deadline_s=60)
    # a job that takes any argument may use other members itself
    typed.topics.tick("scratch.wide", at := now(hours=-1), other := '{"cursor":{"id":1,"other":2}}')
    typed.wait_run(tick_id("scratch.wide", at, other))
    assert typed.topics.read("dead") == []


def test_arguments_are_at_most_so_many_bytes(scene):
    scene.start()
    room = MOST - len('{"a":""}')
    at = now(hours=-1)
    fits = {"a": "x" * room}
    scene.topics.produce("ticks", json.dumps({"job": "scratch.wide", "scheduled_at": at.isoformat().replace("+00:00", "Z"), "args": fits}).encode())
    sent = {"tick": scene.topics.tick("scratch.wide", now(hours=-1, seconds=1), {"a": "x" * (room + 1)}),
            "avro": scene.topics.tick("scratch.wide", now(hours=-1, seconds=1), {"a": "x" * (room + 1)}, avro=True)}
    assert set(reasons(scene, sent).values()) == {f"args too large: {MOST + 1} bytes, at most {MOST} ([runs] max_args_bytes)"}
    scene.wait_run(tick_id("scratch.wide", at, json.dumps(fits, separators=(",", ":"))))


def test_the_limit_is_a_setting(scene):
    scene.settings["runs.max_args_bytes"] = 300
    scene.start()
    sent = {"tick": scene.topics.tick("scratch.wide", now(hours=-1), {"a": "x" * 300})}
    assert "at most 300 " in reasons(scene, sent)["tick"]
    at = now(hours=-1)
    scene.topics.tick("scratch.wide", at, {"a": 1})
    scene.wait_run(tick_id("scratch.wide", at, '{"a":1}'))


@pytest.mark.check_all
def test_the_arguments_of_all_slots_are_no_more_than_a_tick_may_carry(scene):
    """Every slot gets the tick's arguments, so their size is multiplied."""
    scene.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at)"
                           " SELECT 1, '', i::text, 7, now() - interval '1 hour' FROM generate_series(1, 150) i")
    scene.start()
    big = {"a": "x" * (MOST - len('{"a":""}'))}
    at = now(hours=-1)
    scene.topics.tick("ci.schedule_delete_objects", at, big)
    row = scene.wait_run(tick_id("ci.schedule_delete_objects", at, json.dumps(big, separators=(",", ":"))))
    assert (row["state"], row["result"]["scheduled"]) == ("finished", 2)
    sent = {"tick": scene.topics.tick("ci.schedule_delete_objects", now(hours=-1), {"a": "x" * 900000})}
    assert "args too large" in reasons(scene, sent)["tick"]


@pytest.mark.check_all
def test_a_child_of_wrong_arguments_is_not_made_and_its_parent_says_so(typed):
    typed.start()
    at = now(hours=-1)
    typed.topics.tick("scratch.parent", at)
    row = typed.wait_run(tick_id("scratch.parent", at), "waiting")
    assert "scratch.typed" in row["error"] and "argument user_id" in row["error"]
    assert typed.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.typed'") == 0


# --- numbers that neither 64 bits nor a double hold

NUMBERS = ('{"big":12345678901234567890,"fine":0.1234567890123456789012345,"less":[-98765432109876543210,{"a":36893488147419103232.50}],'
           '"plain":1.5,"round":100000000000000000000,"small":1e-300,"text":"12345678901234567890.5","year":2026}')
NUMERIC_PARENT = """
[job]
starts = tick
capacity = 1
table = scratch
unique_key = scratch.numeric_parent
arguments = *
cursor = id numeric
"""
NUMERIC_CHILD = """
[job]
starts = parent
capacity = 1
table = scratch
arguments = n numeric; all jsonb; seen text
unique_key = scratch.numeric_child:{n}
cursor = id bigint
"""
# on two keys that are one double; the text is how SQL sees the arguments
NUMERIC_CHILDREN = """
SELECT 'scratch.numeric_child' AS job, jsonb_build_object('n', 12345678901234567890 + k, 'all', :args::jsonb, 'seen', :args::jsonb ->> 'big') AS args,
       k::text AS child_key, 'scratch.numeric_child:' || (12345678901234567890 + k)::text AS unique_key, NULL::timestamptz AS due_at
FROM unnest(:key::numeric[]) k
"""
NUMERIC_PAGE = """
SELECT k AS key, k + 12345678901234567889.5 AS id FROM (VALUES (0.5), (1), (2)) AS s (k)
WHERE k > :cursor.id::numeric - 12345678901234567889.5 ORDER BY k LIMIT :limit::int
"""


def exactly(text):
    return json.loads(text, parse_int=decimal.Decimal, parse_float=decimal.Decimal)


def rows_of(scene, job):
    return {str(r["run_id"]): exactly(r["args"]) for r in scene.database.rows("SELECT run_id, args::text AS args FROM pruned.runs WHERE job = %s", [job])}


@pytest.mark.check_all
def test_numbers_stay_as_they_were_sent(scene):
    """In the row of the tick and of each slot, in their messages, and in what the commands show."""
    scene.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at)"
                           " SELECT 1, '', i::text, 7, now() - interval '1 hour' FROM generate_series(1, 150) i")
    scene.run("pause", "ci.delete_objects").ok()
    scene.start()
    at, sent = now(hours=-1), exactly(NUMBERS)
    parent = tick_id("ci.schedule_delete_objects", at, NUMBERS)
    for avro in (False, True):
        scene.topics.tick("ci.schedule_delete_objects", at, NUMBERS, avro=avro)
    scene.wait_run(parent)
    slots = {child_id(parent, "ci.delete_objects", n): sent | {"slot": n} for n in range(2)}
    assert rows_of(scene, "ci.schedule_delete_objects") == {parent: sent} and rows_of(scene, "ci.delete_objects") == slots
    [message] = scene.topics.wait("work.ci.schedule_delete_objects")
    assert exactly(message.value["args"]) == sent
    shown = scene.run("runs", parent, "--json").ok().stdout.splitlines()[0]
    assert exactly(shown)["args"] == sent
    given = [f"--arg={name}={json.dumps(value) if isinstance(value, str) else value}" for name, value in sent.items() if name in ("big", "fine")]
    assert scene.run("tick", "scratch.wide", *given, "--wait").ok()
    [args] = rows_of(scene, "scratch.wide").values()
    assert args == {name: sent[name] for name in ("big", "fine")}


def test_numbers_of_children_keys_and_cursors_are_exact(new_scene, tmp_path):
    folder = beside_jobs(tmp_path / "jobs")
    job(folder, "scratch.numeric_parent", NUMERIC_PARENT, page=NUMERIC_PAGE, decide=KEPT, children=NUMERIC_CHILDREN)
    job(folder, "scratch.numeric_child", NUMERIC_CHILD, page=FIRST, decide=KEPT)
    scene = new_scene({"run.jobs_dir": folder})
    scene.run("pause", "scratch.numeric_child").ok()
    scene.start()
    at = now(hours=-1)
    args = '{"big":12345678901234567890,"cursor":{"id":12345678901234567890}}'
    scene.topics.tick("scratch.numeric_parent", at, args)
    scene.wait_run(tick_id("scratch.numeric_parent", at, args))
    made = scene.database.rows("SELECT unique_key, args::text AS args FROM pruned.runs WHERE job = 'scratch.numeric_child' ORDER BY unique_key")
    ns = [12345678901234567891, 12345678901234567892]
    assert [r["unique_key"] for r in made] == [f"scratch.numeric_child:{n}" for n in ns]
    assert [exactly(r["args"]) for r in made] == [{"n": n, "all": exactly(args), "seen": "12345678901234567890"} for n in ns]
    scene.run("pause", "scratch.keyed").ok()
    for n in ns:  # one double, but two keys: neither run is skipped because of the other
        scene.topics.tick("scratch.keyed", at, f'{{"key":{n}}}')
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.keyed'", until=2)
    scene.run("resume", "scratch.keyed").ok()
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.keyed' AND state = 'finished'", until=2)


def test_a_number_in_place_of_the_arguments_is_refused(scene):
    scene.start()
    sent = {avro: scene.topics.tick("scratch.wide", now(hours=-1), "12345678901234567890123", avro=avro) for avro in (False, True)}
    said = reasons(scene, sent)
    assert all(reason.startswith("undecodable: field args: ") and "exact number" not in reason for reason in said.values()), said
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.wide'") == 0


def test_a_number_that_cannot_be_kept_is_refused(typed):
    typed.start()
    wrong = ["1e400", "1e-400", f"0.{'3' * 1200}"]
    sent = {n: typed.topics.tick("scratch.wide", now(hours=-1, seconds=i), f'{{"a":{n}}}') for i, n in enumerate(wrong)}
    said = reasons(typed, sent)
    assert all(reason.startswith("undecodable: ") and "a number that is too large, too small or too long" in reason for reason in said.values()), said


def test_replay_refuses_what_intake_would(typed):
    typed.topics.tick("scratch.typed", now(minutes=-1), {"user_id": "abc"})
    [line] = typed.run("replay", "--from", "-1h", "--topic", "ticks", "--dry-run", "--json").ok().json()
    assert line["verdict"] == "refused"
    assert "argument user_id" in typed.run("replay", "--from", "-1h", "--topic", "ticks", "--dry-run").ok().stdout


@pytest.mark.check_all
def test_a_cursor_that_was_admitted_before_does_not_end_a_run_on_its_way(typed):
    """Only the first page reads it."""
    typed.run("pause", "scratch.typed").ok()
    typed.start()
    typed.topics.tick("scratch.typed", at := now(hours=-1), {"user_id": 7})
    run_id = tick_id("scratch.typed", at, '{"user_id":7}')
    typed.database.wait("SELECT true FROM pruned.runs WHERE run_id = %(id)s", {"id": run_id})
    typed.database.execute('''UPDATE pruned.runs SET args = '{"user_id": 7, "cursor": {"day": "11/21/2026"}}', step = 1, started_at = now(),
        cursor = '{"day": "2026-11-22", "id": 5}' WHERE run_id = %(id)s''', {"id": run_id})
    typed.run("resume", "scratch.typed").ok()
    row = typed.wait_run(run_id)
    assert (row["state"], row["attempts"]) == ("finished", 0), row["error"]


def test_a_run_whose_row_has_arguments_of_another_type_is_dead_at_once(typed):
    at = now(hours=-1)
    typed.topics.tick("scratch.typed", at, {"user_id": 7})
    typed.run("pause", "scratch.typed").ok()
    typed.start()
    run_id = tick_id("scratch.typed", at, '{"user_id":7}')
    typed.database.wait("SELECT true FROM pruned.runs WHERE run_id = %(id)s", {"id": run_id})
    typed.database.execute("UPDATE pruned.runs SET args = '{\"user_id\": \"seven\"}' WHERE run_id = %(id)s", {"id": run_id})
    typed.run("resume", "scratch.typed").ok()
    row = typed.wait_run(run_id)
    assert (row["state"], row["attempts"]) == ("dead", 1) and "argument user_id" in row["error"]
