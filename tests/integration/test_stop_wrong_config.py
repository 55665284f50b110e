"""`stop` and `go` need no more of the configuration than where PostgreSQL is: whoever must stop
everything in the night need not mend a file first."""

import subprocess

import pytest

from support.places import binary
from support.pruned import clean_environment

WARNS = "The configuration has an error; of it only [postgres] is used"
WRONG = {"a job that is gone": "[jobs.nothing]\nmode = apply\n", "an unknown key": "[run]\nnonsense = 1\n", "a wrong value": "[run]\nmode = perhaps\n",
         "an unknown choice": "[run]\njobs = nothing.such\n",
         "no such folder": "[run]\njobs_dir = /nonexistent/jobs.d\n"}


@pytest.fixture
def told(stored, tmp_path):
    """Runs a command with this file, which has the address of PostgreSQL in it, and no other
    settings."""
    def run(text, *arguments, url=stored.database.role_url, **environment):
        file = tmp_path / "pruned.conf"
        file.write_text(f"[postgres]\nurl = {url}\n{text}")
        return subprocess.run([binary(), "-c", file, *arguments], env=clean_environment(**environment), capture_output=True, text=True, timeout=60)
    run.database = stored.database
    return run


def stopped(told):
    return told.database.value("SELECT stopped FROM pruned.stop")


@pytest.mark.check_all
@pytest.mark.parametrize("wrong", WRONG)
def test_everything_is_stopped_with_a_wrong_configuration(told, wrong):
    done = told(WRONG[wrong], "stop", "--reason", "members vanish")
    assert done.returncode == 0 and "Everything is stopped" in done.stdout and WARNS in done.stderr, done
    assert stopped(told)
    done = told(WRONG[wrong], "go")
    assert done.returncode == 0 and WARNS in done.stderr and not stopped(told), done


def test_everything_is_stopped_where_the_folder_of_jobs_cannot_be_read(told):
    """The environment names the folder, beside a file that is right."""
    done = told("", "stop", PRUNED_RUN_JOBS_DIR="/dev/null")
    assert done.returncode == 0 and WARNS in done.stderr and stopped(told), done


def test_everything_is_stopped_with_a_file_that_others_can_change(told, tmp_path):
    """Such a file decides about no row; a stop is no such decision."""
    assert told("", "go").returncode == 0  # the file is there
    (tmp_path / "pruned.conf").chmod(0o646)
    done = told("", "check")
    assert done.returncode == 2 and "everybody may write this file" in done.stderr and "chmod o-w" in done.stderr, done
    done = told("", "stop")
    assert done.returncode == 0 and WARNS in done.stderr and stopped(told), done


def test_other_commands_and_a_file_that_is_right(told):
    done = told(WRONG["an unknown key"], "pause", "--all")
    assert done.returncode == 2 and "nonsense" in done.stderr and WARNS not in done.stderr, done
    assert WARNS not in told("", "stop").stderr


def test_a_file_that_cannot_be_read_needs_the_address_beside_it(told):
    twice = "[run]\nmode = apply\n[run]\nworkers = 2\n"
    done = told(twice, "stop")
    assert done.returncode == 2 and "appears twice" in done.stderr and not stopped(told), done
    done = told(twice, "-s", f"postgres.url={told.database.role_url}", "stop")
    assert done.returncode == 0 and WARNS in done.stderr and stopped(told), done


def test_without_an_address_the_error_is_that_of_the_file(told):
    done = told(WRONG["an unknown key"], "stop", url="")
    assert done.returncode == 2 and "nonsense" in done.stderr and not stopped(told), done
