"""PostgreSQL keeps the plan of a statement. A plan made while the ledger was empty must not read all of it when it is large."""

from stack.process import wait_until
from support.scene import now, tick_id

JOB = "scratch.wide"
NUMBER = 50_000
WAITING = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job)
SELECT gen_random_uuid(), now(), now() + interval '1 day' + n * interval '1 ms', 'waiting', %s FROM generate_series(1, %s) AS n"""
DUE = "INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job) VALUES (gen_random_uuid(), now(), now(), 'waiting', %s) RETURNING run_id"
READ = """
SELECT t.seq_tup_read + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)::bigint
FROM pg_stat_user_tables t WHERE t.relid = 'pruned.runs'::regclass"""


def work(scene, daemon, times):
    """Runs that come as messages, and runs that become due: one after the other, so that each statement runs often enough."""
    for _ in range(times):
        scene.topics.tick(JOB, at := now(minutes=-1))
        daemon.wait_line("Finished", run_id=tick_id(JOB, at))
        daemon.wait_line("Finished", run_id=str(scene.database.row(DUE, [JOB])["run_id"]))


def test_no_plan_reads_the_whole_ledger_for_long(scene):
    database = scene.database
    database.execute("ALTER TABLE pruned.runs SET (autovacuum_enabled = off)")
    database.execute("VACUUM ANALYZE pruned.runs")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    work(scene, daemon, 8)
    database.execute(WAITING, [JOB, NUMBER])

    def reads_little():
        before = database.value(READ)
        work(scene, daemon, 2)
        return database.value(READ) - before < NUMBER

    wait_until(reads_little, 60, "steps that find their rows by an index")
