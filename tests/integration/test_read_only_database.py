"""A database that is read-only for a while: somebody is told, and the work goes on afterwards."""

import json

import pytest

from support.database import connect
from support.places import ROLE
from support.scene import fill, now, tick_id
from stack.process import wait_until

JOB = "scratch.remove"


def ready(http):
    answer = http.ask("/readyz")
    return answer.status_code, answer.text


@pytest.mark.check_all
@pytest.mark.parametrize("whose", [f"ROLE {ROLE} IN DATABASE {{}}", "DATABASE {}"])
def test_a_setting_of_the_role_or_the_database(scene, http, whose):
    fill(scene.database, 5)
    daemon = scene.start(settings={"http.listen": http.listen})
    daemon.wait_line("Partitions assigned")

    def put(change):
        with connect(scene.database.server_url) as server:
            server.execute(f"ALTER {whose.format(scene.database.name)} {change}")
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s AND datname = %s",
                           [ROLE, scene.database.name])

    put("SET default_transaction_read_only = on")
    wait_until(lambda: "read-only transaction [25006]" in daemon.text(), 30, "an error")
    wait_until(lambda: ready(http) == (503, "not ready: PostgreSQL is read-only\n"), 30, lambda: ready(http))
    said = [line for line in scene.run("doctor", "--json").json() if not line["ok"] and "read-only" in json.dumps(line)]
    assert [line["check"] for line in said][:1] == ["PostgreSQL"]
    with connect(scene.database.server_url) as server:  # sessions that are read-only stay
        server.execute(f"ALTER {whose.format(scene.database.name)} RESET default_transaction_read_only")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    scene.wait_run(tick_id(JOB, at), "finished")
    wait_until(lambda: ready(http)[0] == 200, 30, lambda: ready(http))
    assert scene.database.value("SELECT count(*) FROM scratch") == 0 and daemon.stop() == 0


@pytest.mark.check_first(1)
@pytest.mark.parametrize("setting", ["quote_all_identifiers = on", "array_nulls = off"])
def test_other_settings_of_the_role_change_nothing(scene, setting):
    fill(scene.database, 5)
    scene.database.connection.execute(f"ALTER ROLE {ROLE} IN DATABASE {scene.database.name} SET {setting}")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    scene.run_until_idle()
    assert scene.run_row(tick_id(JOB, at))["result"]["removed"] == 5
    assert scene.database.column("SELECT DISTINCT table_name FROM pruned.deletions") == ["scratch"]
