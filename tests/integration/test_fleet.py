"""`pruned fleet`: a line for each configuration of a folder, from what its own commands say."""

import subprocess

import pytest

from support.pruned import binary, clean_environment
from support.sentences import house  # noqa: F401

AWAY = "postgresql://nobody@127.0.0.1:1/nowhere"


@pytest.fixture
def fleet(house, tmp_path):  # noqa: F811
    """A folder with the configuration of one database that answers, as `here`, and of one that is
    away."""
    settings = {"run": {"jobs_dir": house.folder, "jobs": "none"}, "kafka": {"bootstrap.servers": house.pruned.topics.bootstrap},
                "topics": {"prefix": house.pruned.topics.prefix}}
    folder = tmp_path / "fleet"
    folder.mkdir()

    def write(name, url):
        with open(folder / f"{name}.conf", "w") as conf:
            for section, keys in (settings | {"postgres": {"url": url}}).items():
                conf.write(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()))

    write("here", house.database.url)
    write("away", AWAY)
    (folder / "README").write_text("not a configuration")
    return folder


def run(folder, *arguments, code, **environment):
    done = subprocess.run([binary(), "fleet", *arguments, "-c", folder], env=clean_environment(**environment), text=True, capture_output=True, timeout=90)
    assert done.returncode == code, done
    header, *lines = [line.split("\t") for line in done.stdout.splitlines() or [""]]
    return [dict(zip(header, line)) for line in lines], done.stderr


def test_a_line_for_each_database(house, fleet):  # noqa: F811
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean)")
    house.say("orders.purge", "table = orders\nwhere = gone\nmax_share = off\n")
    house.start()
    lines, _ = run(fleet, "status", code=3)
    assert [line["database"] for line in lines] == ["away", "here"]
    assert lines[0]["state"] == "error" and "cannot connect" in lines[0]["says"]
    assert lines[1]["state"] == "ok" and lines[1]["says"].startswith("0 processes")
    (fleet / "away.conf").unlink()
    [line], _ = run(fleet, code=0)
    assert (line["state"], line["says"]) == ("ok", "1 job, 0 rows went")


def test_stop_stops_each_database_and_no_other(house, fleet):  # noqa: F811
    """A variable that names one database would stop that one, twice."""
    lines, _ = run(fleet, "stop", "--reason", "too many", code=3, PRUNED_POSTGRES_URL=AWAY)
    assert [line["state"] for line in lines] == ["error", "stopped"]
    assert house.database.row("SELECT reason FROM pruned.stop")["reason"] == "too many"
    lines, _ = run(fleet, "status", code=3)
    assert lines[1]["state"] == "stopped"
    lines, _ = run(fleet, "go", code=3)
    assert lines[1]["says"] == "work goes on"


@pytest.mark.parametrize("arguments, words", [
    (["night", "--reason", "x"], "night takes no --reason"), (["dance"], "one of night, status, stop, go"),
    (["status", "-s", "postgres.url=x"], "-s would hold for all databases")])
def test_what_makes_no_sense_is_refused(fleet, arguments, words):
    assert words in run(fleet, *arguments, code=1)[1]


def test_a_folder_without_configurations_is_no_green_light(tmp_path):
    assert "has no *.conf" in run(tmp_path, code=2)[1]
