"""Sentences of one's own: where their sections stand, who wins, and that a wrong one is refused
alone, with its place."""

import os
import shutil

import pytest

from support.jobs_dir import ORDERS, SCRATCH, config, folder, jobs_of, known, own, refused, write  # noqa: F401
from support.scene import JOBS


# --- where they stand

def test_sections_of_the_configuration_and_of_files_are_jobs(own, folder):
    own.configuration.write_text("# mine\n" + ORDERS + "schedule = 30 3 * * *\nbatch = 70\n")
    people = write(folder / "people.erase.conf",
                   "[retention]\ntable = people\non = UserErasureRequested\nset = email = NULL, name = 'a, b'\n"
                   "[event UserErasureRequested]\ntopic = user-events\nformat = json\nkey = payload.user.id\n"
                   "[retention devices.newest]\ntable = devices\nkeep = 5 per user_id by seen_at desc\ndelay_ms = 9\n")
    done = config(own)
    settings = known(done.ok())
    assert {"orders.purge", "people.erase", "devices.newest"} <= jobs_of(settings)
    assert settings["jobs.orders.purge.schedule"] == ("30 3 * * *", f"{own.configuration}:2")
    assert settings["jobs.orders.purge.batch"] == ("70", f"{own.configuration}:2")
    assert settings["jobs.devices.newest.delay_ms"] == ("9", f"{people}:9")
    assert settings["jobs.devices.newest.schedule"] == ("off", "built-in")
    for name in ("orders.purge", "people.erase", "devices.newest"):
        assert settings[f"jobs.{name}.enabled"][0] == "on"
        assert settings[f"jobs.{name}.approve"][0] == "above"
        assert settings[f"jobs.{name}.min_rows"][0] == "1000"


def test_a_sentence_is_in_force_unless_it_says_otherwise(own, folder):
    write(folder / "a.conf", ORDERS.replace("orders.purge", "on") + "[retention off]\ntable = t\nwhere = true\nenabled = false\n")
    settings = known(config(own).ok())
    assert (settings["jobs.on.enabled"][0], settings["jobs.off.enabled"][0]) == ("on", "false")


def test_every_key_of_the_settings_of_a_job_may_stand_in_its_sentence(own, folder):
    """With its default, which is a value that each takes."""
    of_job = "jobs.orders.purge."
    write(folder / "a.conf", ORDERS)
    keys = {key.removeprefix(of_job): value for key, (value, _) in known(config(own).ok()).items() if key.startswith(of_job)}
    assert {"enabled", "mode", "schedule", "batch", "max_share", "not_between", "ranges"} <= set(keys)
    file = write(folder / "a.conf", ORDERS + "".join(f"{key} = {value}\n" for key, value in keys.items()))
    settings = known(config(own).ok())
    assert {key: settings[of_job + key] for key in keys} == {key: (value, f"{file}:1") for key, value in keys.items()}


def test_ranges_are_as_many_as_processors_where_rows_go_in_no_order(own, folder):
    """`0` says that; 1 where an order matters. What is written wins."""
    write(folder / "a.conf", "".join(f"[retention {name}]\ntable = t\n{text}\n" for name, text in {
        "plain": "where = true", "changed": "where = true\nset = a = 1", "moved": "where = true\narchive = u",
        "one": "where = true\nranges = 1", "many": "where = true\nranges = 9",
        "parent": "where = true\nchildren = c", "newest": "keep = 5 per a by b desc",
        "old": "drop_partitions_older_than = 9 days", "files": "where = true\nobject = s3:b column c"}.items()))
    settings = known(config(own).ok())
    ranges = {"plain": 0, "changed": 0, "moved": 0, "one": 1, "many": 9, "parent": 1, "newest": 1, "old": 1, "files": 1,
              "members.remove_expired": 1}
    assert {name: settings[f"jobs.{name}.ranges"][0] for name in ranges} == {name: str(n) for name, n in ranges.items()}


def test_the_text_is_taken_as_written(own, folder):
    r"""A backslash, a percent sign, `=` and `#` have no meaning of their own."""
    write(folder / "a.conf", "[retention]\ntable = \"Order, Items\"\nwhere = note ~ '^\\d+\\s#;' AND a = '--' AND b LIKE '%x'\n")
    assert "a" in jobs_of(known(config(own).ok()))


def test_the_section_of_the_settings_wins_then_the_environment_then_the_command_line(own):
    own.configuration.write_text(ORDERS + "batch = 1\ndelay_ms = 1\ncapacity = 1\nmax_rows = 1\n"
                                 "[jobs.orders.purge]\ndelay_ms = 2\ncapacity = 2\nmax_rows = 2\n")
    settings = known(config(own, settings={"jobs.orders.purge.max_rows": 4},
                            environment={"PRUNED_JOBS_ORDERS_PURGE_CAPACITY": 3, "PRUNED_JOBS_ORDERS_PURGE_MAX_ROWS": 3}).ok())
    assert settings["jobs.orders.purge.batch"] == ("1", f"{own.configuration}:1")
    assert settings["jobs.orders.purge.delay_ms"] == ("2", f"{own.configuration}:9")
    assert settings["jobs.orders.purge.capacity"] == ("3", "PRUNED_JOBS_ORDERS_PURGE_CAPACITY")
    assert settings["jobs.orders.purge.max_rows"] == ("4", "-s")


def test_a_named_folder_must_be_there_the_default_one_need_not(own, folder):
    assert known(config(own, settings={"run.jobs_dir": None}).ok())["run.jobs_dir"] == ("/etc/pruned/jobs.d", "built-in")
    assert known(config(own, settings={"run.jobs_dir": ""}).ok())["run.jobs_dir"] == ("", "-s")
    for named in ({"settings": {"run.jobs_dir": folder / "nowhere"}},
                  {"settings": {"run.jobs_dir": None}, "environment": {"PRUNED_RUN_JOBS_DIR": folder / "nowhere"}}):
        done = config(own, **named)
        assert (done.code, done.stdout) == (2, ""), done
        assert f"there is no folder {folder}/nowhere" in done.stderr


# --- refused alone

def wrong(place, text):
    """A file with a wrong sentence, and a good one beside it."""
    return write(place / "wrong.conf", text), write(place / "good.conf", ORDERS)


@pytest.mark.parametrize("text, line, reason", [
    ("[retention]\ntable = t\nwehre = true\n", 3, "unknown key 'wehre' in [retention], did you mean 'where'?"),
    ("[retention]\ntable = t\nwhere = true\n\nwhere = false\n", 5, "'where' in [retention] appears twice, first in line 3"),
    ("[retention]\ntable = t\nwhere = true; DROP TABLE t\n", 3, "where: ';' cannot stand in an expression"),
    ("[retention]\ntable = t\nwhere = true\nbatch = many\n", 4, "batch: "),
    ("[retention]\ntable = t\nwhere = true\nset = a = 1\narchive = u\n", 5, "'set' and 'archive' exclude each other"),
    ("[retention]\ntable = t\nwhere\n", 3, "expected [section], key = value or # comment"),
    ("[retention]\ntable = t\nwhere = true\n[rum]\nmode = apply\n", 4, "unknown section [rum]"),
    ("# nothing\n", 1, "there is no section [retention]"),
    ("[retention]\ntable = t\non = UserErasureRequest\n[event UserErasureRequested]\ntopic = t\nkey = id\n", 3,
     "there is no [event UserErasureRequest], did you mean 'UserErasureRequested'?"),
    ("[retention]\ntable = t\non = MemberExpirySett\n", 3, "there is no [event MemberExpirySett]"),
    ("[retention]\ntable = t\non = MemberExpirySet\n", 3,
     "on: MemberExpirySet is an event of the program's own jobs and names no row of this table: write an [event] section"),
    ("[retention]\ntable = t\non = E\n[event E]\ntopic = t\nkeys = id\n", 3, "[event E] is refused: "),
    ("[retention]\ntable = t\non = E\n[event E]\ntopic = t\nkey = id\ncancel_on = F\n", 3, "there is no [event F]"),
])
def test_a_wrong_sentence_is_refused_with_its_line(own, folder, text, line, reason):
    file, _ = wrong(folder, text)
    done = config(own)
    assert done.code == 2, done
    place, why = refused(done)["wrong"]
    assert place == f"{file}:{line}" and reason in why
    assert "orders.purge" in jobs_of(known(done)) and "wrong" not in jobs_of(known(done))
    assert "members.remove_expired" in jobs_of(known(done))


def test_a_section_of_the_configuration_is_refused_alone_too(own):
    own.configuration.write_text(ORDERS + "[retention x]\ntable = t\nwhere = (true\n[retention]\ntable = t\nwhere = true\n"
                                 "[jobs.x]\nbatch = 5\n[jobs.orders.purge]\nbatch = 5\n")
    done = config(own)
    assert done.code == 2
    found = refused(done)
    assert found["x"] == (f"{own.configuration}:6", "where: a bracket is not closed: ')' is missing")
    assert found["[retention]"][0] == f"{own.configuration}:7" and "has no name" in found["[retention]"][1]
    assert known(done)["jobs.orders.purge.batch"][0] == "5"


@pytest.mark.parametrize("name, first", [
    ("members.remove_expired", "a job of the program"),
    ("orders.purge", "{configuration}:1"),
])
def test_a_name_is_used_once(own, folder, name, first):
    own.configuration.write_text(ORDERS)
    file = write(folder / "twice.conf", f"[retention {name}]\ntable = t\nwhere = true\n")
    done = config(own)
    assert done.code == 2
    place, why = refused(done)[name]
    assert place == f"{file}:1"
    assert why == f"the name '{name}' is used twice, first at {first.format(configuration=own.configuration)}"
    assert ("members.remove_expired" in jobs_of(known(done))) and ("orders.purge" in jobs_of(known(done))) == (name != "orders.purge")


def test_a_file_and_a_folder_of_one_name_and_two_sections_of_one_file(own, folder):
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    write(folder / f"{SCRATCH}.conf", "[retention]\ntable = t\nwhere = true\n[retention]\ntable = u\nwhere = true\n"
          "[event E]\ntopic = t\nkey = id\n[event E]\ntopic = u\nkey = id\n")
    found = refused(config(own))
    assert found[SCRATCH][0] == f"{folder}/{SCRATCH}.conf:4" and found[SCRATCH][1].endswith(f"first at {folder}/{SCRATCH}.conf:1")
    assert found["event E"][1].endswith(f"first at {folder}/{SCRATCH}.conf:7")
    write(folder / f"{SCRATCH}.conf", "[retention]\ntable = t\nwhere = true\n")
    assert refused(config(own))[SCRATCH] == (f"{folder}/{SCRATCH}",
                                             f"the name '{SCRATCH}' is used twice, first at {folder}/{SCRATCH}.conf:1")


def test_a_file_that_cannot_be_read_is_refused(own, folder):
    file = folder / "a.conf"
    file.symlink_to(folder / "nowhere")
    place, why = refused(config(own))["a"]
    assert place == str(file) and "No such file" in why
    file.unlink()
    os.mkfifo(file)  # whoever reads it waits for a writer
    assert refused(config(own))["a"] == (str(file), "this is no file")


def test_marks_of_other_editors_are_no_mistakes(own, folder):
    """A byte order mark, and lines that end as on Windows."""
    file = folder / "a.conf"
    file.write_bytes(b"\xef\xbb\xbf" + ORDERS.replace("orders.purge", "a").replace("\n", "\r\n").encode() + b"batch = 7\r\n")
    own.configuration.write_bytes(b"\xef\xbb\xbf[run]\r\nmode = off\r\n")
    settings = known(config(own, settings={"run.mode": None}).ok())
    assert settings["jobs.a.batch"] == ("7", f"{file}:1") and settings["run.mode"][0] == "off"
