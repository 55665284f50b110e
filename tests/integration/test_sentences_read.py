"""Jobs of one's own: where their sections stand, who wins, and that a wrong one is refused alone,
with its place."""

import json
import os
import shutil

import pytest

from stack.process import wait_until
from support.scene import JOBS, fill, now, result, tick_id

ORDERS = "[retention orders.purge]\ntable = orders\nwhere = deleted_at < :T - interval '30 days'\n"
SCRATCH = "scratch.remove"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "jobs.d"
    made.mkdir()
    return made


@pytest.fixture
def own(new_pruned, new_database, new_topics, folder):
    """An installation whose [run] jobs_dir is `folder`; without schema and topics."""
    one = new_pruned(new_database("empty"), new_topics(), settings={"run.jobs_dir": folder})
    return one


def write(path, text):
    path.write_text(text)
    return path


def known(done):
    """The settings that `pruned config` shows, whatever its exit code."""
    return {line["key"]: (line["value"], line["origin"]) for line in done.json()}


def jobs_of(settings):
    return {key.removeprefix("jobs.").removesuffix(".enabled") for key in settings if key.startswith("jobs.") and key.endswith(".enabled")}


def refused(done):
    """{name: (place, reason)} of the log lines."""
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return {line["job"]: (line["place"], line["reason"]) for line in lines if line["message"] == "Job refused"}


def config(pruned, **more):
    return pruned.run("--json", "config", **more)


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


# --- folders of SQL files

@pytest.fixture
def scratch(folder):
    """The folder of a job, with its job.conf; a good sentence lies beside it."""
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    write(folder / "good.conf", ORDERS)
    return folder / SCRATCH


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("old, new, line, reason", [
    ("batch = 10", "bacth = 10", 5, "unknown key 'bacth', did you mean 'batch'?"),
    ("batch = 10", "batch = ten", 5, "batch: "),
    ("due = day", "table = x", 8, "'table' in [job] appears twice, first in line 7"),
    ("[what removed]", "[waht removed]", 14, "unknown group 'waht removed'"),
    ("[what removed]", "[what]", 14, "the group needs a name"),
    ("counts_as_updated = true", "count_as_updated = true", 15, "unknown key 'count_as_updated', did you mean 'counts_as_updated'?"),
    ("counts_as_updated = true", "counts_as_updated = yes", 15, "expected true or false"),
    ("counts_as_updated = true", "outcome = MemberRemovd", 15, "unknown outcome 'MemberRemovd', did you mean 'MemberRemoved'?"),
    ("[what removed]", "[failed]\noutcome = RowKept\n[what removed]", 15, "unknown outcome 'RowKept'"),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.reasn = x", 16, "outcome MemberKept has no field 'reasn', did you mean 'reason'?"),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.reason = x\noutcome.member_id = one", 17,
     "outcome MemberKept: field member_id: not an integer"),
    ("counts_as_updated = true", "outcome = MemberRemoved\noutcome.expires_at = tomorrow", 16, "outcome MemberRemoved: field expires_at: "),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.member_id =", 16, "outcome MemberKept: field member_id: "),
    ("[what removed]", "[failed]\noutcome = MemberKept\noutcome.source_id = 1.5\n[what removed]", 16, "outcome MemberKept: field source_id: "),
    ("counts_as_updated = true", "outcome.reason = x", 15, "outcome.reason: [what removed] has no outcome"),
    ("[what removed]", "[event MemberExpirySett]\nkey = id\n[what removed]", 14,
     "unknown event 'MemberExpirySett', did you mean 'MemberExpirySet'?"),
    ("[what removed]", "[event MemberExpirySet]\nkeys = id\n[what removed]", 15, "unknown key 'keys', did you mean 'key'?"),
])
def test_what_job_conf_says_in_vain_is_refused(own, scratch, old, new, line, reason):
    replace(scratch / "job.conf", old, new)
    done = config(own)
    assert done.code == 2
    place, why = refused(done)[SCRATCH]
    assert place == f"{scratch}/job.conf:{line}" and reason in why
    assert "orders.purge" in jobs_of(known(done)) and SCRATCH not in jobs_of(known(done))


def test_a_folder_of_apply_without_its_group_is_refused(own, scratch):
    replace(scratch / "job.conf", "[what removed]\ncounts_as_updated = true\n", "[what remove]\n")
    place, why = refused(config(own))[SCRATCH]
    assert place == f"{scratch}/apply/removed/"
    assert why == "nothing would use it: job.conf has no group [what removed], did you mean 'remove'?"


def test_a_folder_without_its_page_or_with_a_wrong_statement_is_refused(own, scratch):
    replace(scratch / "page.sql", ":limit::int", ":limit")
    assert "has no cast" in refused(config(own))[SCRATCH][1]
    (scratch / "page.sql").unlink()
    assert "no page.sql" in refused(config(own))[SCRATCH][1]


def test_a_folder_without_job_conf_is_refused_if_it_looks_like_a_job(own, scratch, folder):
    (scratch / "job.conf").rename(scratch / "jobs.conf")
    (folder / "shared").mkdir()
    write(folder / "shared" / "rows.sql", "SELECT 1\n")
    assert refused(config(own)) == {SCRATCH: (str(scratch), "there is no job.conf")}


def test_a_name_must_be_fit_for_a_topic(own, scratch, folder):
    scratch.rename(folder / "my job")
    file = write(folder / "my file.conf", "[retention]\ntable = t\nwhere = true\n")
    found = refused(config(own))
    assert found["my job"] == (f"{folder}/my job", "this cannot be the name of a job")
    assert found["my file"][0] == f"{file}:1" and "cannot be a name" in found["my file"][1]


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


# --- commands and the daemon

@pytest.fixture
def broken(new_scene, tmp_path):
    """A scene whose job scratch.remove is wrong; it is mended by `mend`."""
    mine = tmp_path / "own"
    shutil.copytree(JOBS, mine)
    replace(mine / SCRATCH / "job.conf", "batch = 10", "bacth = 10")
    scene = new_scene({"run.jobs_dir": mine})
    scene.own = mine
    return scene


def test_commands_show_the_rest_and_end_with_2(broken):
    place = f"{broken.own}/{SCRATCH}/job.conf:5"
    jobs = broken.run("jobs", "--json")
    assert jobs.code == 2 and refused(jobs)[SCRATCH][0] == place
    listed = {line["job"]: line for line in jobs.json()}
    assert listed[SCRATCH]["refused"].startswith(f"{place}: unknown key 'bacth'")
    assert listed["scratch.endless"]["refused"] is None and listed["members.remove_expired"]["enabled"] is True
    assert config(broken).code == 2
    doctor = broken.run("doctor", "--json")
    assert doctor.code == 2
    [found] = [f for f in doctor.json() if f["check"] == "jobs" and not f["ok"]]
    assert f"{SCRATCH} is refused: {place}: unknown key" in found["detail"] and place in found["remedy"]
    plan = broken.run("plan", SCRATCH)
    assert plan.code == 2 and place in plan.stderr
    assert broken.run("runs", "--job", SCRATCH).code == 0
    topics = broken.run("topics", "--json").ok()
    assert not [t for t in topics.json() if t["topic"].endswith(f"work.{SCRATCH}")]
    assert list(refused(topics)) == [SCRATCH]


def test_the_daemon_goes_on_and_ends_the_tick_blocked(broken):
    fill(broken.database, 3)
    daemon = broken.start()
    when = now(minutes=-1)
    broken.topics.tick(SCRATCH, when)
    row = broken.wait_run(tick_id(SCRATCH, when))
    reason = f"refused: {broken.own}/{SCRATCH}/job.conf:5: unknown key 'bacth', did you mean 'batch'?"
    assert row["state"] == "finished" and result(row) == {"status": "blocked", "reason": reason}
    assert row["error"] == reason and row["finished_at"] is not None
    [end] = wait_until(lambda: broken.topics.outcomes("RunFinished"), 30, "the outcome")
    assert (str(end.value["run_id"]), end.value["state"], json.loads(end.value["result"])["reason"]) == (str(row["run_id"]), "finished", reason)
    done = broken.run("tick", SCRATCH, "--wait=30")
    assert done.code == 7 and reason in done.stderr
    broken.topics.tick("scratch.endless", when)
    broken.wait_run(tick_id("scratch.endless", when), "ready", "waiting", "finished")
    assert len(daemon.lines("Job refused", level="error")) == 1
    assert broken.database.value("SELECT count(*) FROM scratch") == 3


def test_the_tick_is_done_once_the_job_is_mended(broken):
    fill(broken.database, 3)
    daemon = broken.start()
    when = now(minutes=-1)
    broken.topics.tick(SCRATCH, when)
    run_id = tick_id(SCRATCH, when)
    broken.wait_run(run_id)
    assert daemon.stop() == 0
    replace(broken.own / SCRATCH / "job.conf", "bacth = 10", "batch = 10")
    broken.run("topics", "--apply").ok()
    broken.start()
    wait_until(lambda: result(broken.run_row(run_id)) and result(broken.run_row(run_id)).get("status") == "completed", 60,
               lambda: broken.run_row(run_id))
    assert broken.database.value("SELECT count(*) FROM scratch") == 0
    # At least once: the first one may come again, from the process that was stopped at once.
    wait_until(lambda: len({end.headers["ce_id"] for end in broken.topics.outcomes("RunFinished")}) == 2, 30, "two outcomes")


def test_jobs_dir_cannot_replace_a_job_of_the_program(own, folder):
    shutil.copytree(JOBS / SCRATCH, folder / "members.remove_expired")
    done = config(own)
    assert done.code == 2 and known(done)["jobs.members.remove_expired.batch"] == ("1000", "job.conf")
    assert refused(done)["members.remove_expired"][0] == f"{folder}/members.remove_expired"
