"""A job whose rows events name (`on`) takes ticks only if it has a schedule or says so: a condition
beside `on` is a guard for events that come twice, and not a search."""

import json

import pytest

from support.own_events import answers, say_event, send, topics  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

PATIENTS = "CREATE TABLE patients (id bigint PRIMARY KEY, name text, erased_at timestamptz); INSERT INTO patients SELECT n, 'p' || n FROM generate_series(1, {n}) AS n"
ERASE = "table = patients\non = PatientErasure\nwhere = erased_at IS NULL\nset = name = 'erased', erased_at = :T\nmax_share = off\n"
JOB = "patients.erase"
SENTENCE, FOLDER = "a schedule in its section, or with ticks = on", "tick among the `starts` of its job.conf"


@pytest.fixture
def patients(house, topics):  # noqa: F811
    house.sql(PATIENTS.format(n=900))
    topics.make("app-patients")
    say_event(house, "PatientErasure", "app-patients", "key = id")
    house.say(JOB, ERASE)
    house.start()
    return house


def erased(house):  # noqa: F811
    return house.database.column("SELECT id FROM patients WHERE erased_at IS NOT NULL ORDER BY id")


def as_folder(house):  # noqa: F811
    house.pruned.run("jobs", "show", JOB, "--to", house.folder).ok()
    (house.folder / f"{JOB}.conf").unlink()


@pytest.mark.check_first(1)
@pytest.mark.parametrize("form", ["sentence", "folder"])
def test_a_tick_takes_no_row_and_an_event_takes_its_own(patients, form):
    if form == "folder":
        as_folder(patients)
    done = patients.pruned.run("tick", JOB, "--wait")
    assert done.code == 1 and f"job {JOB} takes no ticks" in done.stderr and (SENTENCE if form == "sentence" else FOLDER) in done.stderr, done
    patients.pruned.topics.produce("ticks", json.dumps({"job": JOB, "scheduled_at": now(minutes=-1).isoformat()}).encode(), key=JOB)
    send(patients, {"id": 7}, "app-patients")
    patients.work()
    assert erased(patients) == [7] and [(key, what) for _, _, key, what, _ in answers(patients)] == [("7", "changed")]
    (letter,) = patients.pruned.topics.read("dead")
    assert letter.headers["pruned_reason"].startswith(f"job {JOB} takes no ticks: its runs are about the rows that events name (on)")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("more", ["ticks = on", "schedule = 0 3 * * *"])
def test_one_that_has_a_schedule_or_says_so_takes_them(patients, more):
    patients.say(JOB, ERASE + more)
    send(patients, {"id": 7}, "app-patients")
    assert patients.done(JOB)[0]["changed"] in (899, 900)
    assert len(erased(patients)) == 900


@pytest.mark.check_first(1)
@pytest.mark.parametrize("more", ["ticks = off", "schedule = off"])
def test_what_is_off_is_no_schedule(patients, more):
    patients.say(JOB, ERASE + more)
    done = patients.pruned.run("tick", JOB)
    assert done.code == 1 and "takes no ticks" in done.stderr, done
    as_folder(patients)
    assert patients.pruned.run("check", JOB).code in (0, 6)
    assert "takes no ticks" in patients.pruned.run("tick", JOB).stderr


def test_a_schedule_in_the_configuration_alone_has_no_effect_and_that_is_said(patients):
    """A job is what its section says; settings come later."""
    patients.pruned.settings[f"jobs.{JOB}.schedule"] = "* * * * *"
    done = patients.pruned.run("tick", JOB)
    assert done.code == 1 and "takes no ticks" in done.stderr and f"schedule in [jobs.{JOB}] has no effect" in done.stderr, done
    patients.work()
    assert erased(patients) == [] and patients.database.value("SELECT count(*) FROM pruned.runs") == 0


def test_the_folder_of_one_with_ticks_takes_them(patients):
    patients.say(JOB, ERASE + "ticks = on")
    as_folder(patients)
    assert "\nstarts = tick\n" in (patients.folder / JOB / "job.conf").read_text()
    assert patients.done(JOB)[0]["changed"] == 900


@pytest.mark.check_first(1)
@pytest.mark.parametrize("keep", ["keep = 5 per name by id desc", "keep = 5 by id"])
def test_keep_beside_on_is_a_guard_too(patients, keep):
    patients.say(JOB, f"table = patients\non = PatientErasure\n{keep}")
    assert "takes no ticks" in patients.pruned.run("tick", JOB).stderr
    patients.say(JOB, f"table = patients\non = PatientErasure\n{keep}\nticks = on\nmax_share = off")
    assert patients.pruned.run("tick", JOB).code == 0


@pytest.mark.check_all
@pytest.mark.parametrize("text, line, words", [
    ("table = patients\non = PatientErasure\nticks = on", 4, "ticks: a run of a tick needs 'where' or 'keep'"),
    ("table = patients\nwhere = false\nticks = off", 4, "ticks: without 'on' nothing else starts a run"),
    ("table = patients\non = PatientErasure\nwhere = false\nschedule = 0 3 * * *\nticks = off", 6, "ticks: off, and 'schedule' in line 5 sends them"),
    ("table = patients\non = PatientErasure\nwhere = false\nticks = yes", 5, "ticks: expected on or off, not 'yes'")])
def test_ticks_that_make_no_sense_are_refused(patients, text, line, words):
    patients.say(JOB, text)
    done = patients.pruned.run("check", JOB)
    assert done.code == 2 and f"{JOB}.conf:{line}" in done.stdout and words in done.stdout.replace("\n", " "), done


# --- what looks at it

def findings(house, name):  # noqa: F811
    done = house.pruned.run("check", JOB, "--json")
    return done.code, [(one["level"], one["detail"]) for one in done.json() if one["check"] == name]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("form", ["sentence", "folder"])
def test_check_asks_for_no_index_of_a_condition_that_never_searches(patients, form):
    patients.sql("INSERT INTO patients SELECT n, 'p' || n FROM generate_series(901, 20000) AS n; ANALYZE patients")
    if form == "folder":
        as_folder(patients)
    assert findings(patients, "index") == (0, [])
    if form == "sentence":
        patients.say(JOB, ERASE + "ticks = on")
        code, [(level, detail)] = findings(patients, "index")
        assert (code, level) == (6, "error") and "; this index avoids it" in detail
        patients.say(JOB, ERASE.replace("erased_at IS NULL", "erased_at = now"))
        assert patients.pruned.run("check", JOB).code == 2  # it is looked at all the same


def test_check_reads_no_table_from_end_to_end_for_it(patients):
    """Its decision is asked of rows as the table has them."""
    patients.sql("""CREATE FUNCTION asked(bigint) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
        BEGIN IF $1 > 100 THEN RAISE EXCEPTION 'too far'; END IF; RETURN false; END $$""")
    patients.say(JOB, ERASE.replace("erased_at IS NULL", "asked(id)") + "batch = 40\n")
    code, said = findings(patients, "page")
    assert (code, said) == (0, [("ok", "no run searches for rows: events name them (on), and it takes no ticks")])


def test_its_plan_says_that_no_run_does_all_of_it(patients):
    patients.say(JOB, ERASE.replace("max_share = off", "max_rows = 10"))
    done = patients.pruned.run("plan", JOB).ok()
    assert "900 changed" in done.stdout and "would be held" not in done.stdout, done
    assert "takes no ticks" in done.stderr, done
    patients.say(JOB, ERASE.replace("max_share = off", "max_rows = 10") + "ticks = on")
    done = patients.pruned.run("plan", JOB).ok()
    assert "would be held" in done.stdout and "takes no ticks" not in done.stderr, done


def test_a_run_of_a_tick_that_waits_takes_no_row_once_ticks_are_not_said(patients):
    patients.say(JOB, ERASE + "ticks = on\nbatch = 10\nranges = 1\ndelay_ms = 600000")
    run = patients.pruned.run("tick", JOB).ok().stdout.strip()
    daemon = patients.pruned.start()
    patients.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'waiting' AND step = 1", until=1)
    assert daemon.stop() == 0 and len(erased(patients)) == 10
    patients.say(JOB, ERASE + "batch = 10\nmax_attempts = 0")
    patients.database.execute("UPDATE pruned.runs SET due_at = now() - interval '1 second', job_version = NULL")
    patients.work()
    assert patients.pruned.run_row(run)["state"] == "dead" and "the job takes no ticks" in patients.pruned.run_row(run)["error"]
    assert len(erased(patients)) == 10
