"""ci.schedule_delete_objects and ci.delete_objects: docs/jobs."""

from .expected import Expected, result

MAX_SLOTS = 50
BATCH = 100


def ready(db, now):
    """Oldest first."""
    found = [o for o in db.rows("ci_deleted_objects") if o["pick_up_at"] < now]
    return sorted(found, key=lambda o: (o["pick_up_at"], o["id"]))


def schedule(db, t, args=None, now=None):
    """`now` is the database's clock; T does not matter here."""
    expected = result("updated_rows")
    slots = min(MAX_SLOTS, -(-len(ready(db, now or t)) // BATCH))
    for slot in range(slots):
        expected.start("ci.delete_objects", **(args or {}), slot=slot)
    return expected


def is_unsafe(row):
    whole = f"{row['store_dir']}/{row['file']}"
    return row["store_dir"].startswith("/") or row["file"].startswith("/") or ".." in whole.split("/")


def key_of(row, prefix=""):
    """Exactly one slash between the parts."""
    parts = [part.strip("/") for part in (prefix, row["store_dir"], row["file"])]
    return "/".join(part for part in parts if part)


def delete_slot(db, t, args=None, now=None, storage=None, failing=(), prefix=""):
    """Deletes everything that is ready, one slot after the other. `storage`: the set of existing
    (file_store, key); `failing`: those that the storage refuses to delete."""
    expected = Expected(result={"status": "completed", "updated_rows": 0, "failed": 0})
    storage = storage if storage is not None else set()
    for row in ready(db, now or t):
        name = (row["file_store"], key_of(row, prefix))
        if is_unsafe(row) or row["file_store"] not in (1, 2) or name in failing:
            # It is ready again when its lease ends: pick_up_at is not predicted.
            expected.count("failed")
            expected.quarantine.append(f"ci_deleted_objects:{row['id']}")
            continue
        storage.discard(name)
        db.delete("ci_deleted_objects", row)
        expected.count("updated_rows")
    return expected
