"""The contract of the command line: exit codes, keys of --json, help, and what is said when something is wrong."""

import json
import re
import subprocess
import uuid

import pytest
from psycopg import conninfo, sql

from support.pruned import clean_environment

RUN_KEYS = {"run_id", "job", "state", "step", "attempts", "slot", "unique_key", "parent_id", "scheduled_at",
            "due_at", "args", "cursor", "result", "error", "created_at", "started_at", "published_at",
            "changed_at", "finished_at"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
JOB = "members.remove_expired"
# Partitions are what makes topics slow to make.
FEW = {"topics.partitions": 2} | {f"jobs.{job}.capacity": 2 for job in (
    "users.destroy", "users.delete_placeholder", "ci.delete_objects")}


@pytest.fixture
def bare(new_pruned, new_database, new_topics):
    """Nothing is there yet but the servers."""
    return new_pruned(new_database("empty"), new_topics(), settings=FEW)


@pytest.fixture
def stored(new_pruned, database, topics):
    """PostgreSQL is ready; no topic is made."""
    return new_pruned(database, topics, settings=FEW)


def add_run(database, state, *, archived=False, **values):
    ended = state in ("finished", "dead", "skipped")
    row = {"run_id": uuid.uuid4(), "job": JOB, "state": state, "scheduled_at": "2026-01-02 03:04:05.6+00",
           "due_at": "2026-01-02 03:04:05.6+00"} | ({"finished_at": "2026-01-02 04:00+00"} if ended else {}) | values
    if archived:
        database.execute("SELECT pruned.ensure_day('runs_done', '2026-01-02')")
    database.execute(sql.SQL("INSERT INTO pruned.{} ({}) VALUES ({})").format(
        sql.Identifier("runs_done" if archived else "runs"),
        sql.SQL(", ").join(map(sql.Identifier, row)), sql.SQL(", ").join(map(sql.Placeholder, row))), row)
    return str(row["run_id"])


def says(done, code, *words):
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    return done


# --- help and usage

def test_help_lists_every_command_and_each_shows_an_example(bare):
    listed = re.findall(r"^  ([a-z]+) +\S", bare.run("--help").ok().stdout.split("Options:")[0], re.M)
    assert {"run", "demo", "migrate", "topics", "jobs", "status", "config", "tick", "emit", "runs", "plan",
            "quarantine", "pause", "resume", "retry", "discard", "version"} <= set(listed)
    for command in listed:
        text = bare.run(command, "--help").ok().stdout
        assert re.match(rf"Usage: pruned {command}( \S.*)?\n", text)
        assert re.search(rf"Example:\n  pruned( .*)? {command}\b", text)


@pytest.mark.parametrize("arguments, words", [
    ([], ["--help"]),
    (["tik", JOB], ["unknown command 'tik'", "did you mean 'tick'"]),
    (["tick", JOB, "--wiat"], ["unknown option '--wiat'", "did you mean '--wait'"]),
    (["--jsno", "jobs"], ["unknown option '--jsno'", "did you mean '--json'"]),
    (["tick"], ["usage: pruned tick JOB"]),
    (["tick", JOB, "more"], ["too many"]),
    (["tick", JOB, "--at", "yesterday"], ["--at"]),
    (["tick", JOB, "--at", "2026-11-21T10:00:00"], ["--at"]),
    (["tick", JOB, "--wait=soon"], ["--wait"]),
    (["tick", JOB, "--arg", "cursor"], ["cursor"]),
    (["tick", JOB, "--arg", "cursr=1"], ["unknown argument 'cursr'", "did you mean 'cursor'"]),
    (["tick", JOB, "--arg", "cursor=1", "--arg", "cursor=2"], ["cursor"]),
    (["tick", JOB, "--at", "2999-01-01"], ["24 hours"]),
    (["tick", "users.refresh_authorizations", "--arg", "a=1"], ["unknown argument 'a'"]),
    (["runs", "--state", "finishd"], ["did you mean 'finished'"]),
    (["runs", "--since", "then"], ["--since"]),
    (["runs", "--limit", "0"], ["--limit"]),
    (["runs", "--limit", "x"], ["--limit"]),
    (["quarantine", "lst"], ["did you mean 'list'"]),
    (["emit", "MemberExpirySet", "membr_id=1"], ["unknown field 'membr_id'", "did you mean 'member_id'"]),
    (["emit", "MemberExpirySet", "member_id=1"], ["expires_at"]),
    (["emit", "MemberExpirySet", "member_id=x", "expires_at=null"], ["member_id"]),
    (["emit", "MemberExpirySet", "member_id"], ["FIELD=VALUE"]),
    (["emit", "MemberExpirySet", "member_id=1", "member_id=2"], ["twice"]),
    (["emit", "MemberExpirySet", "--json-file", "/nonexistent"], ["/nonexistent"]),
])
def test_a_usage_error_names_the_thing_and_ends_with_1(bare, arguments, words):
    assert says(bare.run(*arguments), 1, *words).stdout == ""


@pytest.mark.parametrize("arguments, words", [
    (["tick", "members.remove_expird"], ["did you mean 'members.remove_expired'"]),
    (["runs", "--job", "nothing"], ["unknown job 'nothing'"]),
    (["pause", "nothing"], ["unknown job"]),
    (["resume", "nothing"], ["unknown job"]),
    (["quarantine", "retry", "nothing"], ["unknown job"]),
    (["emit", "MemberExpirySte"], ["unknown event type", "did you mean 'MemberExpirySet'"]),
    (["emit", "pruned.outcomes.MemberRemoved"], ["unknown event type"]),
])
def test_an_unknown_name_ends_with_6(bare, arguments, words):
    says(bare.run(*arguments), 6, *words)


def test_global_options_stand_before_or_behind_the_command(bare):
    before, behind = bare.run("--json", "version").ok(), bare.run("version", "--json").ok()
    assert before.json() == behind.json()


def test_version_names_what_it_is_made_of(bare):
    lines = bare.run("version", "--json").ok().json()
    assert {line["name"] for line in lines} >= {
        "pruned", "librdkafka", "libpq", "avro-c", "libcurl", "glib", "jansson"}
    assert all(re.match(r"\d", line["version"]) for line in lines)


def test_a_terminal_gets_a_table_and_a_pipe_plain_lines(stored):
    piped = stored.run("jobs").ok().stdout
    assert piped.splitlines()[0].split("\t")[:2] == ["job", "enabled"]
    on_terminal = subprocess.run(
        ["script", "-qec", " ".join(f"'{word}'" for word in stored.argv("jobs")), "/dev/null"],
        env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    assert "\x1b[" in on_terminal and "\t" not in on_terminal and "\x1b[" not in piped


# --- PostgreSQL

@pytest.mark.parametrize("command", [["jobs"], ["runs"], ["quarantine"], ["pause", JOB], ["status"],
                                     ["tick", JOB, "--wait=1"], ["retry", str(uuid.uuid4())]])
def test_without_the_schema_the_remedy_is_said(bare, command):
    done = bare.run(*command)
    assert done.code == 3, done
    assert "run: pruned migrate" in done.stdout + done.stderr


def test_no_postgres(bare):
    done = bare.run("jobs", settings={"postgres.url": "postgresql://somebody@127.0.0.1:1/x"})
    says(done, 3, "127.0.0.1", "[postgres] url")


def test_wrong_database(bare):
    url = bare.database.url.replace(bare.database.name, "no_such_database")
    says(bare.run("jobs", settings={"postgres.url": url}), 3, "no_such_database")


def test_wrong_password(bare):
    bare.database.execute("""DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'asked_for_password') THEN
            CREATE ROLE asked_for_password LOGIN PASSWORD 'the right one';
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$""")  # another worker was faster
    url = conninfo.make_conninfo(bare.database.url, user="asked_for_password", password="hush-hush")
    done = says(bare.run("jobs", settings={"postgres.url": url}), 3, "password authentication failed",
                "[postgres] url")
    assert "hush-hush" not in done.stderr


def test_a_password_is_not_shown(bare):
    url = "postgresql://somebody:hush-hush@127.0.0.1:1/x"
    assert "hush-hush" not in says(bare.run("jobs", settings={"postgres.url": url}), 3).stderr


def test_an_older_schema_is_told_from_a_newer_one(new_pruned, new_database, topics):
    database = new_database("migrated")
    pruned = new_pruned(database, topics)
    wanted = database.value("SELECT max(version) FROM pruned.schema_version")
    database.execute("INSERT INTO pruned.schema_version (version) VALUES (%s)", [wanted + 1])
    says(pruned.run("jobs"), 3, "newer", str(wanted + 1))
    says(pruned.run("migrate", settings={"postgres.url": database.url}), 3, "newer")
    database.execute("DELETE FROM pruned.schema_version WHERE version > 0")
    database.execute("INSERT INTO pruned.schema_version (version) VALUES (0)")
    says(pruned.run("jobs"), 3, "run: pruned migrate")


def test_a_missing_right_is_named(stored):
    stored.database.execute("REVOKE SELECT ON pruned.quarantine FROM PUBLIC, pruned_test_daemon")
    says(stored.run("quarantine"), 3, "quarantine", "grants.sql")


def test_a_missing_table_is_named(stored):
    stored.database.execute("DROP TABLE pruned.quarantine")
    says(stored.run("quarantine"), 3, "quarantine", "run: pruned migrate")


# --- migrate

def test_migrate_makes_the_schema_once(new_pruned, new_database, topics):
    database = new_database("app")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    planned = pruned.run("migrate", "--dry-run").ok().stdout
    assert "CREATE TABLE pruned.runs" in planned
    assert database.value("SELECT to_regnamespace('pruned') IS NULL")
    made = pruned.run("migrate", "--json").ok().json()
    assert [line["name"] for line in made][0] == "001-runs.sql"
    assert database.value("SELECT max(version) FROM pruned.schema_version") == len(made)
    assert pruned.run("migrate", "--json").ok().json() == []
    pruned.run("jobs").ok()


def test_who_may_not_migrate_is_told_who_may(new_pruned, new_database, topics):
    database = new_database("app")
    says(new_pruned(database, topics).run("migrate"), 3, "permission denied", "owner of the application's tables")
    assert database.value("SELECT to_regnamespace('pruned') IS NULL")


def test_two_who_migrate_at_once_take_turns(new_pruned, new_database, topics):
    database = new_database("app")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    both = [subprocess.Popen(pruned.argv("--json", "migrate"), env=clean_environment(),
                             stdout=subprocess.PIPE, text=True) for _ in range(2)]
    lines = [json.loads(line) for process in both for line in process.communicate(timeout=60)[0].splitlines()]
    assert [process.returncode for process in both] == [0, 0]
    assert len(lines) == database.value("SELECT count(*) FROM pruned.schema_version")


def test_a_failing_step_leaves_nothing_behind(new_pruned, new_database, topics):
    database = new_database("app")
    database.execute("CREATE SCHEMA pruned; CREATE TABLE pruned.quarantine (mine int)")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    says(pruned.run("migrate"), 3, "001-runs.sql", "quarantine")
    assert database.column("SELECT relname FROM pg_class WHERE relnamespace = 'pruned'::regnamespace") == ["quarantine"]


def test_indexes_are_made_and_invalid_ones_made_anew(new_pruned, new_database, topics):
    database = new_database("migrated")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    index = "pruned_members_expires_at_id"
    lines = pruned.run("migrate", "--indexes", "--dry-run", "--json").ok().json()
    assert any(line["name"] == index and line["action"] == "would make" for line in lines)
    made = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert {(line["name"], line["action"]) for line in made} >= {(index, "made")}
    assert pruned.run("migrate", "--indexes", "--json").ok().json() == []
    database.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [index])
    again = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert [(line["name"], line["action"]) for line in again] == [(index, "made")]
    assert database.value("SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", [index])


def test_an_index_of_another_name_will_do(new_pruned, new_database, topics):
    database = new_database("migrated")
    database.execute("CREATE INDEX theirs ON members (expires_at, id)")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    lines = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert "pruned_members_expires_at_id" not in {line["name"] for line in lines}


# --- Kafka

def test_no_broker(bare):
    nowhere = {"kafka.bootstrap.servers": "127.0.0.1:1", "kafka.message.timeout.ms": 2000}
    says(bare.run("topics", settings=nowhere), 4, "127.0.0.1:1")
    says(bare.run("tick", JOB, settings=nowhere), 4, "127.0.0.1:1")


def test_topics_are_compared_and_made(bare):
    names = {"ticks", "events", "outcomes", "dead", f"work.{JOB}"}
    missing = bare.run("topics", "--json")
    assert missing.code == 6, missing
    lines = {line["topic"]: line for line in missing.json()}
    assert {bare.topics.full(name) for name in names} <= set(lines)
    assert all(line["state"] == "missing" and line["partitions"] is None for line in lines.values())
    assert bare.topics.partitions() == {}
    bare.run("topics", "--apply").ok()
    bare.run("topics").ok()
    assert bare.topics.partitions() == {
        name.removeprefix(f"{bare.topics.prefix}."): line["wanted"] for name, line in lines.items()}


def test_a_topic_with_too_few_partitions_grows(bare):
    bare.run("topics", "--apply").ok()
    more = {f"jobs.{JOB}.capacity": 3}
    done = bare.run("topics", "--json", settings=more)
    assert done.code == 6, done
    small = [line for line in done.json() if line["state"] != "ok"]
    assert [(line["topic"], line["partitions"], line["wanted"]) for line in small] == [
        (bare.topics.full(f"work.{JOB}"), 1, 3)]
    bare.run("topics", "--apply", settings=more).ok()
    assert bare.topics.partitions()[f"work.{JOB}"] == 3
    bare.run("topics").ok()  # more than wanted is fine


def test_a_missing_topic_is_named_with_its_remedy(bare):
    says(bare.run("tick", JOB), 4, bare.topics.full("ticks"), "run: pruned topics --apply")
    says(bare.run("emit", "ObjectsMarkedForDeletion"), 4, bare.topics.full("events"), "run: pruned topics --apply")


# --- the daemon's start

def test_the_daemon_does_not_start_without_its_schema(bare):
    says(bare.run("run"), 3, "run: pruned migrate")


def test_the_daemon_does_not_start_without_postgres(stored):
    says(stored.run("run", settings={"postgres.url": "postgresql://somebody@127.0.0.1:1/x"}), 3, "127.0.0.1")


def test_the_daemon_does_not_start_without_a_broker(stored):
    says(stored.run("run", settings={"kafka.bootstrap.servers": "127.0.0.1:1"}), 4, "127.0.0.1:1")


def test_the_daemon_does_not_start_without_its_topics(stored):
    says(stored.run("run"), 4, stored.topics.full("ticks"), "run: pruned topics --apply")


def test_the_daemon_does_not_start_with_a_setting_librdkafka_does_not_know(stored):
    says(stored.run("run", settings={"kafka.no.such.property": 1}), 2, "kafka.no.such.property")


def test_fewer_partitions_than_the_capacity_are_said(stored):
    stored.run("topics", "--apply").ok()
    done = stored.run("run", "--until-idle", settings={"jobs.users.destroy.capacity": 5})
    assert done.code == 0, done
    [line] = [line for line in map(json.loads, done.stderr.splitlines())
              if line["level"] == "warning" and line.get("topic") == stored.topics.full("work.users.destroy")]
    assert (line["partitions"], line["capacity"]) == ("2", "5") and "pruned topics --apply" in line["remedy"]


def test_an_index_that_a_cursor_wants_is_named_at_the_start_until_it_is_there(stored):
    stored.run("topics", "--apply").ok()

    def warned():
        done = stored.run("run", "--until-idle").ok()
        return {(line["job"], line["index"]): line for line in map(json.loads, done.stderr.splitlines())
                if line["level"] == "warning" and "index" in line}

    line = warned()[JOB, "pruned_members_expires_at_id"]
    assert (line["table"], line["remedy"]) == ("members", "pruned migrate --indexes")
    stored.migrate("--indexes")
    assert warned() == {}


def test_a_setting_that_does_nothing_yet_is_said(stored):
    stored.run("topics", "--apply").ok()
    unused = {"postgres.replica_url": "postgresql://replica/x", "registry.url": "http://127.0.0.1:1"}
    for settings in ({}, unused):
        lines = map(json.loads, stored.run("run", "--until-idle", settings=settings).ok().stderr.splitlines())
        said = {f"{line['section']}.{line['key']}" for line in lines if line["message"] == "A setting has no effect in this version"}
        assert said == set(settings)


def test_on_a_terminal_the_daemon_shows_what_is_done_and_what_is_left(stored):
    stored.run("topics", "--apply").ok()
    words = stored.argv("run", "--until-idle", settings={"log.format": "text"})
    shown = subprocess.run(["script", "-qec", " ".join(f"'{word}'" for word in words), "/dev/null"], env=clean_environment(),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    assert re.search(r"\d+ rows +\d+ rows/s .* \d+ runs finished .* \d+ messages left", shown)


# --- tick and emit

def test_a_tick_is_one_message_that_others_can_read(bare):
    bare.topics.make("ticks")
    done = bare.run("tick", JOB, "--at", "2026-11-20T10:00:00+02:00", "--arg", 'cursor={"id": 1.0}', "--json").ok()
    [line] = done.json()
    assert set(line) == {"run_id", "job", "scheduled_at", "topic", "partition", "offset"}
    assert (line["job"], line["scheduled_at"]) == (JOB, "2026-11-20T08:00:00.000000Z")
    [message] = bare.topics.read("ticks")
    assert (message.partition, message.offset) == (line["partition"], line["offset"])
    assert (message.text_key, message.schema) == (JOB, "pruned.Tick")
    assert message.value["job"] == JOB and message.value["args"] == '{"cursor":{"id":1.0}}'
    assert message.value["scheduled_at"].isoformat() == "2026-11-20T08:00:00+00:00"
    assert message.headers.keys() == {"ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time", "content-type"}
    assert message.headers["ce_type"] == "pruned.Tick"
    assert message.headers["ce_source"] == f"/pruned/{bare.topics.prefix}"
    assert message.headers["content-type"] == "application/avro"
    name = f'tick/{JOB}/1795161600000000/{{"cursor":{{"id":1.0}}}}'
    assert line["run_id"] == str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, "pruned"), name))


def test_a_tick_prints_its_run_id_alone(bare):
    bare.topics.make("ticks")
    first, second = (bare.run("tick", JOB, "--at", "-1d").ok().stdout for _ in range(2))
    assert str(uuid.UUID(first.strip())) + "\n" == first
    assert first != second  # a day before now, which has moved on
    stays = {bare.run("tick", JOB, "--at", "2026-11-20").ok().stdout for _ in range(2)}
    assert len(stays) == 1


def test_now_is_cut_to_milliseconds(bare):
    bare.topics.make("ticks")
    [line] = bare.run("tick", JOB, "--json").ok().json()
    assert re.fullmatch(r".*\.\d{3}000Z", line["scheduled_at"])


@pytest.mark.parametrize("given, meant", [
    ("cursor=12", "12"), ("cursor=1.50", "1.50"), ("cursor=true", "true"), ("cursor=null", "null"),
    ("cursor=abc", '"abc"'), ("cursor=[1]", '"[1]"'), ('cursor="x"', '"\\"x\\""'), ("cursor=", '""'),
    ("cursor=12345678901234567890123", "12345678901234567890123"), ('cursor={"b":1,"a":2}', '{"a":2,"b":1}'),
])
def test_an_argument_is_json_if_it_reads_as_such(bare, given, meant):
    bare.topics.make("ticks")
    bare.run("tick", JOB, "--arg", given).ok()
    assert bare.topics.read("ticks")[0].value["args"] == f'{{"cursor":{meant}}}'


def test_nothing_is_published_for_a_tick_that_is_refused(bare):
    bare.topics.make("ticks")
    for arguments in ([JOB, "--at", "2999-01-01"], [JOB, "--arg", "x=1"], ["users.destroy"], ["nothing"]):
        assert bare.run("tick", *arguments).code in (1, 6)
    says(bare.run("tick", "users.destroy"), 1, "takes no ticks")
    assert bare.topics.read("ticks") == []


def test_a_tick_that_nobody_takes_is_waited_for_in_vain(stored):
    stored.topics.make("ticks")
    done = says(stored.run("tick", JOB, "--wait=1"), 8, "1 s")
    assert done.stdout.strip() in done.stderr


@pytest.mark.parametrize("state, code", [("finished", 0), ("dead", 7), ("skipped", 7)])
@pytest.mark.parametrize("archived", [False, True])
def test_waiting_ends_with_the_run(stored, state, code, archived):
    stored.topics.make("ticks")
    at = "2026-01-02T03:04:05.6Z"
    [tick] = stored.run("tick", JOB, "--at", at, "--json").ok().json()
    add_run(stored.database, state, run_id=tick["run_id"], archived=archived)
    done = stored.run("tick", JOB, "--at", at, "--wait", "--json")
    assert done.code == code, done
    again, run = done.json()
    assert again["run_id"] == run["run_id"] == tick["run_id"]
    assert run["state"] == state and RUN_KEYS <= set(run)


def test_an_event_is_one_message_that_others_can_read(bare):
    bare.topics.make("events")
    [line] = bare.run("emit", "MemberExpirySet", "member_id=42", "expires_at=2026-12-31", "--json").ok().json()
    assert set(line) == {"ce_id", "topic", "partition", "offset"}
    [message] = bare.topics.read("events")
    assert message.headers["ce_id"] == line["ce_id"]
    assert (message.text_key, message.schema) == ("42", "pruned.events.MemberExpirySet")
    assert message.value["member_id"] == 42 and str(message.value["expires_at"]) == "2026-12-31"


def test_an_event_comes_from_a_file_or_standard_input(bare):
    bare.topics.make("events")
    body = '{"member_id": 7, "expires_at": null}'
    (bare.folder / "event.json").write_text(body)
    bare.run("emit", "pruned.events.MemberExpirySet", "--json-file", "event.json").ok()
    bare.run("emit", "MemberExpirySet", "--json-file", "-", stdin=body).ok()
    assert [m.value for m in bare.topics.read("events")] == [{"member_id": 7, "expires_at": None}] * 2
    says(bare.run("emit", "MemberExpirySet", "--json-file", "-", stdin="[]"), 1, "object")
    says(bare.run("emit", "MemberExpirySet", "--json-file", "-", stdin="{"), 1, "line 1")


# --- runs

def test_runs_have_the_columns_of_the_table(stored):
    old = add_run(stored.database, "finished", archived=True, created_at="2026-01-02 03:00+00",
                  result=json.dumps({"status": "completed"}), cursor=json.dumps({"id": 5}))
    new = add_run(stored.database, "waiting", args=json.dumps({"a": 1}), job="users.refresh_authorizations")
    lines = stored.run("runs", "--json").ok().json()
    assert [line["run_id"] for line in lines] == [new, old]
    assert all(set(line) == RUN_KEYS for line in lines)
    assert (lines[0]["args"], lines[1]["result"], lines[1]["cursor"]) == ({"a": 1}, {"status": "completed"}, {"id": 5})
    assert lines[1]["scheduled_at"] == "2026-01-02T03:04:05.600000Z" and TIME.fullmatch(lines[0]["created_at"])
    assert lines[1]["due_at"] == "2026-01-02T03:04:05.600000Z" and lines[0]["finished_at"] is None
    assert lines[0]["step"] == 0 and lines[0]["parent_id"] is None


def test_runs_are_chosen_by_job_state_and_time(stored):
    old = add_run(stored.database, "finished", archived=True, created_at="2026-01-02 03:00+00")
    new = add_run(stored.database, "dead", job="users.refresh_authorizations")

    def chosen(*arguments):
        return [line["run_id"] for line in stored.run("runs", "--json", *arguments).ok().json()]

    assert chosen("--job", JOB) == [old]
    assert chosen("--state", "dead") == [new]
    assert chosen("--since", "-1d") == [new]
    assert chosen("--limit", "1") == [new]
    assert chosen(old) == [old] and chosen(new) == [new]
    says(stored.run("runs", str(uuid.uuid4())), 6, "no run")
    says(stored.run("runs", "nonsense"), 6, "nonsense")


def test_pause_and_resume(stored):
    def paused():
        return {line["job"]: line["paused"] for line in stored.run("jobs", "--json").ok().json()}

    assert not paused()[JOB]
    assert stored.run("pause", JOB, "--json").ok().json() == [{"job": JOB, "paused": True}]
    stored.run("pause", JOB).ok()
    assert paused()[JOB] and not paused()["users.refresh_authorizations"]
    stored.run("resume", JOB).ok()
    assert not paused()[JOB]


@pytest.mark.parametrize("archived", [False, True])
def test_a_dead_run_is_tried_again(stored, archived):
    run_id = add_run(stored.database, "dead", archived=archived, attempts=26, error="bad luck", step=3)
    [line] = stored.run("retry", run_id, "--json").ok().json()
    assert (line["state"], line["attempts"], line["step"], line["error"]) == ("ready", 0, 3, None)
    row = stored.database.row("SELECT * FROM pruned.runs WHERE run_id = %s", [run_id])
    assert row["unique_key"] == JOB and row["finished_at"] is None
    assert stored.database.value("SELECT count(*) FROM pruned.runs_done") == 0


def test_a_dead_run_whose_key_is_taken_stays_dead(stored):
    run_id = add_run(stored.database, "dead")
    holder = add_run(stored.database, "ready", unique_key=JOB)
    says(stored.run("retry", run_id), 6, JOB, holder)
    assert stored.run_row(run_id)["state"] == "dead"


def test_a_waiting_run_is_due_now(stored):
    run_id = add_run(stored.database, "waiting", due_at="2999-01-01", attempts=2)
    stored.run("retry", run_id).ok()
    row = stored.run_row(run_id)
    assert row["state"] == "waiting" and row["attempts"] == 2
    assert stored.database.value("SELECT due_at <= now() FROM pruned.runs WHERE run_id = %s", [run_id])


@pytest.mark.parametrize("state", ["ready", "held", "finished", "skipped"])
def test_what_cannot_be_tried_again_is_said_with_its_state(stored, state):
    run_id = add_run(stored.database, state)
    says(stored.run("retry", run_id), 1, f"is {state}")
    says(stored.run("retry", str(uuid.uuid4())), 6, "no run")


@pytest.mark.parametrize("state, archived", [("waiting", False), ("ready", False), ("held", False), ("dead", False),
                                             ("dead", True)])
def test_a_run_is_discarded(stored, state, archived):
    run_id = add_run(stored.database, state, archived=archived, unique_key=None if archived else JOB)
    [line] = stored.run("discard", run_id, "--json").ok().json()
    assert (line["state"], line["error"], line["unique_key"]) == ("skipped", "discarded", None)
    assert line["finished_at"] is not None


@pytest.mark.parametrize("state", ["finished", "skipped"])
def test_an_ended_run_is_not_discarded(stored, state):
    says(stored.run("discard", add_run(stored.database, state)), 1, f"is {state}")
    says(stored.run("discard", str(uuid.uuid4())), 6, "no run")


# --- jobs, status, quarantine

def test_jobs_say_what_they_are_and_what_is_due(stored):
    add_run(stored.database, "ready", due_at="2026-01-01")
    last = add_run(stored.database, "waiting", due_at="2999-01-01")
    stored.database.execute(
        "UPDATE pruned.runs SET created_at = now() + interval '1 s' WHERE run_id = %s", [last])
    stored.database.execute("INSERT INTO pruned.schedules VALUES (%s, '2026-11-22 00:10+00', '')", [JOB])
    jobs = {line["job"]: line for line in stored.run("jobs", "--json").ok().json()}
    assert {JOB, "users.destroy", "users.refresh_authorizations"} <= set(jobs)
    assert all(set(line) >= {"job", "enabled", "paused", "schedule", "next_at", "capacity", "ready", "waiting",
                             "oldest_due_s", "last_run_id", "last_state", "settings", "labels"}
               for line in jobs.values())
    job = jobs[JOB]
    assert (job["ready"], job["waiting"], job["enabled"], job["capacity"]) == (1, 1, True, 1)
    assert (job["schedule"], job["next_at"]) == ("10 0 * * *", "2026-11-22T00:10:00.000000Z")
    assert (job["last_run_id"], job["last_state"]) == (last, "waiting")
    assert job["oldest_due_s"] > 0 and jobs["users.destroy"]["oldest_due_s"] is None
    assert job["settings"]["delay_ms"] == 10000 and job["settings"]["enabled"] is True
    assert job["labels"]["worker"] == "RemoveExpiredMembersWorker"
    assert jobs["users.destroy"]["schedule"] is None


def test_status_is_one_object(stored):
    stored.run("topics", "--apply").ok()
    add_run(stored.database, "ready")
    stored.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:1', 'x')", [JOB])
    stored.topics.tick(JOB)
    stored.topics.produce("dead", b"x")
    [status] = stored.run("status", "--json").ok().json()
    assert set(status) >= {"postgres", "kafka", "stores", "lanes", "lag", "runs", "quarantine", "dead", "throttle"}
    assert status["postgres"]["connected"] and status["kafka"]["connected"]
    assert status["kafka"]["missing"] == []
    assert status["runs"]["ready"] == 1 and status["runs"]["dead"] == 0
    assert (status["quarantine"], status["dead"]) == (1, 1)
    assert status["lag"][stored.topics.full("ticks")] == 1
    assert stored.run("status").ok().stdout.startswith("PostgreSQL")


def test_status_shows_one_side_when_the_other_is_down(stored):
    done = stored.run("status", "--json", settings={"kafka.bootstrap.servers": "127.0.0.1:1"})
    assert done.code == 4, done
    [status] = done.json()
    assert status["postgres"]["connected"] and not status["kafka"]["connected"]
    assert "127.0.0.1:1" in status["kafka"]["error"] and status["lag"] is None


def test_quarantine_lists_the_parked_and_gives_them_another_try(stored):
    stored.database.execute(
        "INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) VALUES "
        "(%(job)s, 'members:1', 'no', 25, true, '2999-01-01'), (%(job)s, 'members:2', 'no', 1, false, '2999-01-01')",
        {"job": JOB})

    def items(*arguments):
        return [line["item"] for line in stored.run("quarantine", *arguments, "--json").ok().json()]

    lines = stored.run("quarantine", "--json").ok().json()
    assert [set(line) for line in lines] == [{"job", "item", "reason", "attempts", "parked", "next_try_at"}]
    assert lines[0]["item"] == "members:1" and lines[0]["parked"] is True
    assert items("list", "--all") == ["members:1", "members:2"]
    assert items("retry", JOB, "members:1") == ["members:1"]
    row = stored.database.row("SELECT *, next_try_at <= now() AS due FROM pruned.quarantine WHERE item = 'members:1'")
    assert row["due"] and not row["parked"] and row["attempts"] == 25
    says(stored.run("quarantine", "retry", JOB, "members:3"), 6, "members:3")
    assert sorted(items("retry")) == ["members:1", "members:2"]
    assert items("drop", JOB, "members:2") == ["members:2"]
    assert items("drop", JOB) == ["members:1"] and items("list", "--all") == []
