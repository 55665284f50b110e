"""What of `[run] jobs_dir` cannot be read is an error; it never counts as a folder without jobs.
Links to nothing: unit/engine/job/test_job_own.c."""

import os

import pytest

from support.jobs_dir import config, jobs_of, known, refused
from support.reloads import JOB, OTHER, ended, hang_up, items, said, sentence, start, tick  # noqa: F401
from support.sentences import house  # noqa: F401

FOLDER = "own.files"
KEPT = "Configuration not reloaded; the settings in force stay"


@pytest.fixture
def limited(items, tmp_path):  # noqa: F811
    """The binary has no more rights to files than their modes say, also where root runs it."""
    script = tmp_path / "limited"
    drop = "setpriv --bounding-set -dac_override,-dac_read_search " if os.geteuid() == 0 else ""
    script.write_text(f'#!/bin/sh\nexec {drop}{items.pruned.binary} "$@"\n')
    script.chmod(0o755)
    items.pruned.binary = script
    closed = []

    def close(path, mode=0):
        closed.append((path, path.stat().st_mode))
        path.chmod(mode)

    items.close = close
    items.open = lambda: [path.chmod(mode) for path, mode in closed]
    yield items
    items.open()


def add_folder(house):  # noqa: F811
    """The sentence as a folder of SQL files, beside it."""
    house.pruned.run("jobs", "show", JOB, "--to", house.folder).ok()
    return (house.folder / JOB).rename(house.folder / FOLDER)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("mode", [0, 0o444, 0o111])
def test_a_folder_that_cannot_be_read_is_an_error(limited, mode):
    assert JOB in jobs_of(known(config(limited.pruned).ok()))
    limited.close(limited.folder, mode)
    for command in ("config", "jobs", "check", "run"):
        done = limited.pruned.run(command)
        assert (done.code, done.stdout) == (2, ""), done
        assert f"[run] jobs_dir: {limited.folder}" in done.stderr and "Permission denied" in done.stderr, done


def test_a_file_in_its_place_is_an_error(limited):
    done = limited.pruned.run("jobs", settings={"run.jobs_dir": limited.folder / f"{JOB}.conf"})
    assert done.code == 2 and f"[run] jobs_dir: {limited.folder}/{JOB}.conf: Not a directory" in done.stderr, done


def test_a_reload_that_cannot_read_the_folder_is_refused_as_a_whole(limited):
    daemon = start(limited)
    limited.say(OTHER, sentence("kind = 1"))
    limited.close(limited.folder)
    daemon.send(1)
    kept = daemon.wait_line(KEPT)
    assert kept["error"] == f"[run] jobs_dir: {limited.folder}: Permission denied"
    limited.open()
    assert ended(limited, tick(limited)) == ("completed", 10)
    limited.pruned.run("topics", "--apply").ok()
    assert said(hang_up(daemon)) == {"added": OTHER}
    assert daemon.stop() == 0


@pytest.mark.check_first(2)
@pytest.mark.parametrize("closed, mode", [("", 0), ("", 0o444), ("", 0o111), ("apply", 0), ("apply/removed", 0), ("job.conf", 0)])
def test_a_job_folder_that_cannot_be_read_is_refused_alone(limited, closed, mode):
    folder = add_folder(limited)
    assert FOLDER in jobs_of(known(config(limited.pruned).ok()))
    limited.close(folder / closed, mode)
    done = config(limited.pruned)
    (name, (place, reason)), = refused(done).items()
    assert (done.code, name) == (2, FOLDER) and place.startswith(str(folder / closed)) and "Permission denied" in reason, done
    assert JOB in jobs_of(known(done))


def test_a_folder_that_could_not_be_a_job_is_passed_over(limited):
    """It is made with a volume, and only root may read it."""
    (limited.folder / "lost+found").mkdir()
    limited.close(limited.folder / "lost+found")
    assert config(limited.pruned).code == 0


def test_the_version_before_goes_on_while_its_folder_cannot_be_read(limited):
    folder = add_folder(limited)
    (limited.folder / f"{JOB}.conf").unlink()
    daemon = start(limited)
    limited.close(folder)
    assert said(hang_up(daemon)) == {"refused": FOLDER}
    limited.open()
    assert ended(limited, tick(limited, FOLDER)) == ("completed", 10)
    assert daemon.stop() == 0
