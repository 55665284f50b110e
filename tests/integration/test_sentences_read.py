"""Sentences of one's own reach the settings, and a wrong one is refused alone. What is read and
refused, with each text: unit/engine/job/test_job_own.c, unit/engine/job/sentence."""

from support.jobs_dir import ORDERS, config, folder, jobs_of, known, own, refused, write  # noqa: F401


def test_sections_of_the_configuration_and_of_files_are_jobs_beside_a_wrong_one(own, folder):
    own.configuration.write_text(ORDERS + "batch = 70\n")
    wrong = write(folder / "wrong.conf", "[retention]\ntable = t\nwehre = true\n")
    good = write(folder / "good.conf", "[retention]\ntable = people\nkeep = 5 per user_id by seen_at desc\ndelay_ms = 9\n")
    done = config(own)
    assert done.code == 2, done
    assert refused(done) == {"wrong": (f"{wrong}:3", "unknown key 'wehre' in [retention], did you mean 'where'?")}
    settings = known(done)
    assert {"orders.purge", "good", "members.remove_expired"} <= jobs_of(settings) and "wrong" not in jobs_of(settings)
    assert settings["jobs.orders.purge.batch"] == ("70", f"{own.configuration}:1")
    assert settings["jobs.good.delay_ms"] == ("9", f"{good}:1")


def test_a_named_folder_must_be_there_the_default_one_need_not(own, folder):
    assert known(config(own, settings={"run.jobs_dir": None}).ok())["run.jobs_dir"] == ("/etc/pruned/jobs.d", "built-in")
    done = config(own, settings={"run.jobs_dir": None}, environment={"PRUNED_RUN_JOBS_DIR": folder / "nowhere"})
    assert (done.code, done.stdout) == (2, "") and f"there is no folder {folder}/nowhere" in done.stderr
