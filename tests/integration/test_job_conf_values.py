"""A value of job.conf that its key does not take is refused with its line and the nearest name."""

import json
import shutil

import pytest

from support.scene import JOBS

JOB = "scratch.remove"


@pytest.fixture
def folder(new_pruned, new_database, new_topics, tmp_path):
    """A folder with one job, and what `pruned config` says of it."""
    made = tmp_path / "jobs.d"
    shutil.copytree(JOBS / JOB, made / JOB)
    pruned = new_pruned(new_database("empty"), new_topics(), settings={"run.jobs_dir": made})

    def say(old, new):
        conf = made / JOB / "job.conf"
        text = conf.read_text()
        assert old in text
        conf.write_text(text.replace(old, new))
        done = pruned.run("config", "--json")
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        return done.code, conf, [line for line in lines if line.get("job") == JOB]
    return say


@pytest.mark.parametrize("old, new, line, reason", [
    ("day date desc;", "day date dsec;", 10, "cursor: unknown direction 'dsec', did you mean 'desc'?"),
    ("day date desc;", "day;", 10, "cursor: 'day' is not 'name type [asc|desc|null]'"),
    ("day date desc;", "day uuid;", 10, "cursor: no value of the type uuid is known to come before all others, so the first page needs NULL: write 'day uuid null'"),
    ("day date desc;", "day text desc;", 10, "cursor: no value of the type text is known to come behind all others"),
    ("day date desc;", "day varchar(9) desc;", 10, "cursor: no value of the type varchar(9) is known to come behind all others"),
    ("day date desc;", "day numeric(9,2);", 10, "cursor: no value of the type numeric(9,2) is known to come before all others"),
    ("day date desc;", "day time;", 10, "cursor: no value of the type time is known to come before all others"),
    ("day date desc;", "day mood asc;", 10, "cursor: no value of the type mood is known to come before all others"),
    ("starts = tick", "starts = tick; tikc", 4, "starts: unknown word 'tikc', did you mean 'tick'?"),
    ("arguments = cursor", "arguments = user_id bigitn; cursor", 11, "arguments: user_id has the unknown type 'bigitn', did you mean 'bigint'?"),
    ("counts_as_updated = true", "log = inof: gone", 15, "log: unknown level 'inof', did you mean 'info'?"),
    ("counts_as_updated = true", "log = gone", 15, "log: expected 'level: message'"),
    ("batch = 10", "retry_every_ms = ten", 5, "retry_every_ms: expected milliseconds, 0 to 31622400000"),
    ("batch = 10", "retry_every_ms = -1", 5, "retry_every_ms: expected milliseconds"),
    ("batch = 10", "settings = delay_ms; rnages", 5, "settings: unknown setting 'rnages', did you mean 'ranges'?"),
    ("starts = tick", "starts = parent\nschedule = 10 0 * * *", 5, "schedule: the job does not read it, because `starts` does not name tick"),
])
def test_a_wrong_value_has_its_line_and_the_nearest_name(folder, old, new, line, reason):
    code, conf, said = folder(old, new)
    assert code == 2 and [one["place"] for one in said] == [f"{conf}:{line}"], said
    assert said[0]["reason"].startswith(reason)


@pytest.mark.parametrize("old, new", [
    ("day date desc;", "day date null;"), ("day date desc;", "day date asc;"), ("day date desc;", "day uuid null;"),
    ("day date desc;", "day varchar(9);"), ("day date desc;", "day NUMERIC desc;"), ("day date desc;", "day mood null;"), ("starts = tick", "starts = tick; parent"),
    ("arguments = cursor", "arguments = user_id bigint; of uuid; any"), ("counts_as_updated = true", "log = debug: a: b"),
    ("batch = 10", "retry_every_ms = 600000"), ("batch = 10", "batch = 10\nsettings = ranges; batch"),
    ("batch = 10", "max_rows = 7\nschedule = 10 0 * * *\nsettings ="),
])
def test_a_right_value_is_taken(folder, old, new):
    assert folder(old, new)[::2] == (0, [])


def test_a_setting_with_a_value_is_read_whatever_else_is_named(folder, new_pruned, new_database, new_topics, tmp_path):
    assert folder("batch = 10", "batch = 7\nsettings = ranges")[::2] == (0, [])
    pruned = new_pruned(new_database("empty"), new_topics(), settings={"run.jobs_dir": tmp_path / "jobs.d"})
    known = {line["key"]: line["value"] for line in pruned.run("config", "--json").ok().json()}
    assert known[f"jobs.{JOB}.batch"] == "7"
