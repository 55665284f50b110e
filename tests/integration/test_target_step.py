"""Pages become smaller while their steps take longer than `target_step_ms`, and grow back to
`batch`."""

import pytest

from support.scene import fill, now, result, tick_id
from support.slow import slow_table

JOB = "scratch.remove"
ROWS, BATCH, EACH_S, TARGET_MS = 90, 20, 0.1, 600


@pytest.mark.check_all
def test_a_page_shrinks_with_the_time_of_its_steps_and_grows_back(scene):
    """The first 20 rows are slow: all of them take 2 s, ten take one, and only five take less than
    `target_step_ms`."""
    fill(scene.database, ROWS)
    slow_table(scene.database, "scratch", EACH_S, condition=f"OLD.id > {ROWS - 40}")
    when = now(minutes=-1)
    scene.topics.tick(JOB, when)
    daemon = scene.start(settings={f"jobs.{JOB}.batch": BATCH, f"jobs.{JOB}.target_step_ms": TARGET_MS})
    run = scene.wait_run(tick_id(JOB, when))
    pages = scene.database.column("SELECT jsonb_array_length(keys) FROM pruned.deletions ORDER BY step")
    assert (run["state"], run["attempts"], sum(pages), result(run)["removed"]) == ("finished", 0, ROWS, ROWS)
    assert pages[:2] == [BATCH, BATCH // 2] and min(pages) <= BATCH // 4, pages
    least = pages.index(min(pages))
    assert max(pages[least:-1]) > min(pages), pages
    assert daemon.lines("Step failed") == []
