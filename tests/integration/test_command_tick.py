"""`pruned tick` and `pruned emit`: what they publish, print and wait for."""

import re
import uuid

import pytest

from support.command_line import JOB, RUN_KEYS, add_run, says


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
    assert first != second  # a day before now; time has passed since
    stays = {bare.run("tick", JOB, "--at", "2026-11-20").ok().stdout for _ in range(2)}
    assert len(stays) == 1


def test_a_tick_that_is_too_old_is_sent_with_a_warning(bare):
    bare.topics.make("ticks")
    done = bare.run("tick", JOB, "--at", "-36d").ok()
    assert "The tick is too old" in done.stderr and "keep_days = 35" in done.stderr
    assert "too old" not in bare.run("tick", JOB, "--at", "-34d").ok().stderr
    assert len(bare.topics.read("ticks")) == 2


def test_now_is_cut_to_milliseconds(bare):
    bare.topics.make("ticks")
    [line] = bare.run("tick", JOB, "--json").ok().json()
    assert re.fullmatch(r".*\.\d{3}000Z", line["scheduled_at"])


@pytest.mark.check_all
@pytest.mark.parametrize("given, meant", [
    ("cursor=12", "12"), ("cursor=1.50", "1.50"), ("cursor=true", "true"), ("cursor=null", "null"),
    ("cursor=abc", '"abc"'), ("cursor=[1]", '"[1]"'), ('cursor="x"', '"\\"x\\""'), ("cursor=", '""'),
    ("cursor=12345678901234567890123", "12345678901234567890123"), ('cursor={"b":1,"a":2}', '{"a":2,"b":1}'),
])
def test_an_argument_is_json_if_it_reads_as_such(bare, given, meant):
    bare.topics.make("ticks")
    # this job takes any arguments
    bare.run("tick", "ci.schedule_delete_objects", "--arg", given).ok()
    assert bare.topics.read("ticks")[0].value["args"] == f'{{"cursor":{meant}}}'


def test_nothing_is_published_for_a_tick_that_is_refused(bare):
    bare.topics.make("ticks")
    for arguments in ([JOB, "--at", "2999-01-01"], [JOB, "--arg", "x=1"], ["users.destroy"], ["nothing"]):
        assert bare.run("tick", *arguments).code in (1, 6)
    says(bare.run("tick", "users.destroy"), 1, "takes no ticks")
    assert bare.topics.read("ticks") == []


def test_waiting_for_a_tick_that_no_daemon_takes_times_out(stored):
    stored.topics.make("ticks")
    done = says(stored.run("tick", JOB, "--wait=1"), 8, "1 s", "No daemon runs: the run begins once one does")
    assert done.stdout.strip() in done.stderr
    stored.database.execute("""INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, jobs)
        VALUES (gen_random_uuid(), 'h', 7, '1', now(), '', '{"users.destroy": {}}')""")
    says(stored.run("tick", JOB, "--wait=0"), 8, "No running daemon has the job: nobody does its runs")


@pytest.mark.check_first(2)
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
