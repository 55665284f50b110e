"""Rows of the application with an infinite time: they go as others do, and stop none."""

import pytest

from support.instance import tenant  # noqa: F401
from support.metrics import OBJECTS, SLOT, http, start  # noqa: F401
from support.scene import now, result

pytestmark = pytest.mark.built_in


def listed(database, root, names):
    for name in names:
        (root / name).write_text("artifact")
        database.execute("INSERT INTO ci_deleted_objects (store_dir, file, pick_up_at, created_at)"
                         " VALUES ('', %s, '2020-01-01', now() - interval '1 h')", [name])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("column, value", [("created_at", "infinity"), ("created_at", "-infinity"), ("pick_up_at", "-infinity")])
def test_an_object_goes_and_so_do_the_others(tenant, tmp_path, column, value):  # noqa: F811
    root = tmp_path / "objects"
    root.mkdir()
    listed(tenant.database, root, "abc")
    tenant.database.execute(f"UPDATE ci_deleted_objects SET {column} = %s WHERE file = 'a'", [value])
    tenant.tick(OBJECTS, **{"store.local.root": root})
    (run,) = tenant.runs(SLOT)
    assert (run["state"], result(run)["deleted"]) == ("finished", 3)
    assert tenant.ids("ci_deleted_objects") == [] and list(root.iterdir()) == []


def test_it_has_no_age(scene, http, tmp_path):  # noqa: F811
    listed(scene.database, tmp_path, "abc")
    scene.database.execute("UPDATE ci_deleted_objects SET created_at = 'infinity' WHERE file = 'a'")
    scene.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 h' WHERE file <> 'b'")
    scene.database.execute("UPDATE ci_deleted_objects SET pick_up_at = '-infinity' WHERE file = 'b'")
    daemon = start(scene, http, **{"store.local.root": tmp_path})
    assert 3600 <= http.metrics()["pruned_object_oldest_ready_seconds"] < 4200
    scene.topics.tick(OBJECTS, now(minutes=-1))
    daemon.wait_line("Finished", job=SLOT)
    metrics = http.metrics()
    assert metrics.of("pruned_deleted_objects_total", error="false") == 3
    assert metrics.of("pruned_object_age_seconds_count") == 2
