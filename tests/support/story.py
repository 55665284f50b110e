"""The work that tests interrupt by SIGKILL and SIGSTOP (a story): a chain of pages, runs without
rows, a message that cannot be read."""

from .scene import fill, now, outcome_id, refuse_rows, tick_id

JOB = "scratch.remove"


def minute_passes(database):
    """A run whose message may be lost is looked for after two seconds. Nobody needs to wait for
    them."""
    database.execute("UPDATE pruned.runs SET changed_at = changed_at - interval '1 min', published_at = published_at - interval '1 min' "
                     "WHERE state = 'ready'")


def state(scene):
    """Everything that two runs of the story have in common: rows, runs, quarantine, audit, outcomes
    with their identities."""
    database = scene.database
    audit = database.rows("SELECT run_id::text, step, table_name, keys FROM pruned.deletions ORDER BY 1, 2, 3")
    return {
        "rows": database.column("SELECT id FROM scratch ORDER BY id"),
        "runs": database.rows("SELECT run_id::text, state, step, attempts, unique_key, cursor, result, error "
                              "FROM pruned.runs ORDER BY run_id"),
        "quarantine": database.rows("SELECT item, attempts FROM pruned.quarantine ORDER BY item"),
        "audit": [a | {"keys": sorted(a["keys"])} for a in audit],
        "outcomes": {(m.schema, m.headers["ce_id"], m.raw) for m in scene.topics.outcomes()},
        "unpublished": database.value("SELECT count(*) FROM pruned.unpublished"),
        "suspects": database.value("SELECT count(*) FROM pruned.suspects WHERE topic LIKE %s", [f"{scene.topics.prefix}.%"]),
    }


def expected(chain, wide, dead):
    return {
        "rows": [7],
        "runs": sorted([
            {"run_id": chain, "state": "finished", "step": 3, "attempts": 0, "unique_key": None,
             "cursor": {"day": "2026-01-01", "id": 6}, "error": None,
             "result": {"status": "completed", "updated_rows": 24, "removed": 24, "failed": 1}},
            *({"run_id": run_id, "state": "finished", "step": 1, "attempts": 0, "unique_key": None, "cursor": None,
               "error": None, "result": {"status": "completed", "updated_rows": 0, "removed": 0}} for run_id in wide)],
            key=lambda run: run["run_id"]),
        "quarantine": [{"item": "scratch:7", "attempts": 1}],
        "audit": [{"run_id": chain, "step": step, "table_name": "scratch", "keys": keys} for step, keys in enumerate(
            (list(range(16, 26)), [6, *range(8, 16)], list(range(1, 6))))],
        "ids": {outcome_id(chain, 2, "RunFinished", chain), *(outcome_id(r, 0, "RunFinished", r) for r in wide)},
        "dead": dead,
    }


def check(scene, chain, wide, dead):
    got, wanted = state(scene), expected(chain, wide, dead)
    for name in ("rows", "runs", "quarantine", "audit"):
        assert got[name] == wanted[name], name
    assert {ce_id for _, ce_id, _ in got["outcomes"]} == wanted["ids"]
    assert len(got["outcomes"]) == len(wanted["ids"])  # a repeated outcome has the same bytes
    assert (got["unpublished"], got["suspects"]) == (0, 0)
    assert {m.raw for m in scene.topics.read("dead")} == {dead}


def prepare(scene):
    """Sends the story: a chain of three pages with one row that is refused, runs without rows, a
    message that cannot be read."""
    fill(scene.database, 25)
    refuse_rows(scene.database, "OLD.id = 7")
    at, others = now(minutes=-9), [now(minutes=-30 + n) for n in range(3)]
    scene.topics.tick(JOB, at)
    for other in others:
        scene.topics.tick("scratch.wide", other)
    scene.topics.produce("ticks", b"nonsense")
    return tick_id(JOB, at), [tick_id("scratch.wide", other) for other in others], b"nonsense"
