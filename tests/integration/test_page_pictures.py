"""The pictures of README (`make screenshots`): a page after an ordinary night, in both colour
schemes. PAGE_PICTURES names the folder in which they are kept."""

import os
import pathlib

import pytest

from support.browsed import Tab, chromium  # noqa: F401
from support.paged import paged  # noqa: F401
from support.sentences import house  # noqa: F401

MOST_BYTES = 60_000
JOBS = {"carts.abandoned": (2400, 0), "logs.old": (21200, 0), "sessions.expire": (8300, 12), "customers.inactive": (64, 0)}


@pytest.mark.check_all
def test_pictures(paged, chromium, tmp_path):  # noqa: F811
    for name, (usual, failed) in JOBS.items():
        paged.house.sql(f"CREATE TABLE {name.split('.')[0]} (id bigint PRIMARY KEY, gone boolean)")
        paged.house.say(name, f"table = {name.split('.')[0]}\nwhere = gone\nschedule = 0 2 * * *")
        paged.database.execute(
            "INSERT INTO pruned.nights (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)"
            " SELECT current_date - n, %(job)s, 1, 0, %(usual)s * (80 + n * 37 %% 41) / 100, CASE n WHEN 0 THEN %(failed)s ELSE 0 END,"
            "  gen_random_uuid(), now(), current_date - n + interval '2 h 3 min' FROM generate_series(0, 29) n", {"job": name, "usual": usual, "failed": failed})
    paged.database.execute("INSERT INTO pruned.readings (run_id, job, rows, read, wrong, left_over, lost, unsure)"
                           " SELECT gen_random_uuid(), j, 300, 300, 0, 0, 0, 0 FROM unnest(%s::text[]) j", [list(JOBS)])
    paged.database.execute(
        "INSERT INTO pruned.quarantine (job, item, reason, attempts, next_try_at, first_at) SELECT 'sessions.expire', 'sessions:' || n,"
        " 'violates foreign key constraint \"audits_session_id_fkey\"', 2, now() + interval '1 h', now() - interval '26 h' FROM generate_series(1, 12) n")
    assert paged.house.pruned.run("reload", "--wait", "30").code == 0
    folder = pathlib.Path(os.environ.get("PAGE_PICTURES", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        with Tab(chromium, f"http://{paged.http.listen}", color_scheme=scheme, viewport={"width": 820, "height": 520}) as tab:
            page = tab.open("/")
            page.locator("text=sessions.expire").first.wait_for(timeout=30_000)
            picture = folder / f"night-{scheme}.png"
            page.screenshot(path=picture)
            assert tab.complaints == [] and picture.stat().st_size < MOST_BYTES, picture.stat().st_size
