"""Settings of jobs that do not do what they seem to are said at the start, at a reload, and by
`pruned doctor`."""

import pytest

from support.scene import configure

pytestmark = pytest.mark.built_in

JOB, CHILD = "scratch.remove", "users.destroy"
NEVER = "Schedule never fires: no such day ever comes"
PLANS = "Job only plans, but jobs that start its runs apply: those runs end without their work"
WRONG = f"""
[jobs.{JOB}]
schedule = 0 0 30 2 *
[jobs.{CHILD}]
mode = plan
"""


def found(scene):
    return {(f["check"], f["detail"].partition(":")[0].split(" ")[0]): f for f in scene.run("doctor", "--json").json()
            if f["check"] in ("mode", "never due")}


@pytest.mark.check_all
def test_they_are_said(scene):
    scene.settings.pop(f"jobs.{JOB}.schedule", None)
    scene.settings["run.mode"] = "apply"
    scene.configuration.write_text(WRONG)
    daemon = scene.start()
    line = daemon.wait_line(NEVER)
    assert (line["level"], line["job"], line["schedule"]) == ("warning", JOB, "0 0 30 2 *") and f"[jobs.{JOB}] schedule" in line["remedy"]
    line = daemon.wait_line(PLANS)
    assert (line["level"], line["job"]) == ("warning", CHILD) and f"[jobs.{CHILD}] mode" in line["remedy"]
    assert line["started_by"] == "groups.destroy, members.remove_expired, users.delete_placeholder"
    daemon.wait_line("Started")
    scene.database.wait("SELECT count(*) FROM pruned.processes", until=1)
    wrong = found(scene)
    schedule, mode = wrong["never due", JOB], wrong["mode", CHILD]
    assert not schedule["ok"] and schedule["level"] == mode["level"] == "warning" and schedule["remedy"] == f"pruned tick {JOB}"
    assert "no such day ever comes" in schedule["detail"] and "members.remove_expired" in mode["detail"]
    configure(scene, WRONG + "batch = 7\n", daemon)  # the same once more
    configure(scene, f"[jobs.{JOB}]\nschedule = 0 0 31 4 *\n", daemon)
    assert daemon.wait_line(NEVER, schedule="0 0 31 4 *")["job"] == JOB
    # a job that is off, or whose parents only plan as well, is not meant
    configure(scene, WRONG.replace("plan", "off").replace(f"[jobs.{JOB}]", f"[jobs.{JOB}]\nenabled = false"), daemon)
    scene.database.wait("SELECT jobs -> %s ->> 'mode' FROM pruned.processes", [CHILD], until="off")
    now = found(scene)
    assert now["never due", "each"]["ok"] and ("mode", CHILD) not in now
    assert daemon.stop() == 0 and [len(daemon.lines(message)) for message in (NEVER, PLANS)] == [2, 1]
