"""The page's views with few runs and with many: how long until the first byte of an answer that is
not known yet."""

import statistics
import time

import requests

from support.exposition import Listening

from fill import PEOPLE, filler

JOB = "members.remove_expired"
DAYS = 30
# As nights of a month have left them: runs in the archive, each with a record, the nights' sums,
# rows that fail and what operators did.
RUNS = """
SELECT pruned.ensure_day('runs_done', current_date - n), pruned.ensure_day('deletions', current_date - n) FROM generate_series(0, {days}) n;
INSERT INTO pruned.runs_done (run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at, finished_at, step, slot, state, job, args, result, rows_done)
SELECT md5(n::text)::uuid, at, at, at, at, at, at, at + interval '1 s', 1, 0, 'finished', '{job}', '{{}}', '{{"status": "completed", "updated_rows": 5}}', 5
FROM generate_series(1, {runs}) AS n, LATERAL (SELECT now() - interval '2 hours' - n * (interval '{days} days' / {runs}) AS at) AS t;
INSERT INTO pruned.deletions (run_id, step, at, table_name, action, keys, rows)
SELECT run_id, 0, finished_at, 'members', 'deleted', jsonb_build_array(n, n + 1, n + 2, n + 3, n + 4), '[null, null, null, null, null]'
FROM (SELECT run_id, finished_at, 5 * row_number() OVER (ORDER BY scheduled_at) AS n FROM pruned.runs_done) AS r;
INSERT INTO pruned.nights (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)
SELECT (scheduled_at AT TIME ZONE 'UTC')::date, job, count(*), 0, sum(rows_done), 0, max(run_id::text)::uuid, max(scheduled_at), max(finished_at)
FROM pruned.runs_done GROUP BY 1, 2;
INSERT INTO pruned.quarantine (job, item, reason, attempts, next_try_at, first_at)
SELECT '{job}', 'members:' || n, 'reason ' || n % 7, 1, now() + interval '1 h', now() - interval '1 h' FROM generate_series(1, {runs} / 100) n;
INSERT INTO pruned.journal (role, os_user, host, command, object, reason)
SELECT 'r', 'u', 'h', 'pause', '{job}', 'x' FROM generate_series(1, {runs} / 100) n"""
VIEWS = ("/", f"/job?name={JOB}", "/runs", f"/runs?job={JOB}", "/quarantine", "/holds", "/processes", "/journal", "/report?since=-8d", "/row?item=members:12",
         "/run?id={run}")
KEPT_S = 3.1  # an answer that is known is not asked for again within three seconds


def first_bytes(pruned, listen, rounds):
    """Milliseconds by view: the median of ROUNDS, and the answers."""
    run = pruned.database.value("SELECT run_id FROM pruned.runs_done ORDER BY scheduled_at DESC LIMIT 1")
    times = {view: [] for view in VIEWS}
    with requests.Session() as session:
        for _ in range(rounds):
            for view, found in times.items():
                began = time.monotonic()
                answer = session.get(f"http://{listen}{view.format(run=run)}", stream=True, timeout=30)
                found.append((time.monotonic() - began) * 1000)
                if answer.status_code not in (200, 503):  # 503: its time was over
                    raise RuntimeError(f"{view}: {answer.status_code} {answer.text[-600:]}")
                answer.content  # noqa: B018
            time.sleep(KEPT_S)
    return {view: statistics.median(found) for view, found in times.items()}


def page(stage, report, quick):
    for runs, most_ms in ((1_000, 20), (100_000 if quick else 1_000_000, 100)):
        report.say(f"the page with {runs:,} runs of {DAYS} days")
        template = stage.template(filler((PEOPLE, RUNS), users=100, runs=runs, days=DAYS, job=JOB))
        http = Listening()
        with stage.installation(template, {"http.listen": http.listen, "http.page": "on"}) as pruned:
            daemon = pruned.start()
            daemon.wait_line("Partitions assigned")
            found = first_bytes(pruned, http.listen, 3 if quick else 7)
            slowest = max(found, key=found.get)
            report.add("v", f"first byte of the slowest view, {runs:,} runs", found[slowest], "ms", at_most=most_ms,
                       detail={view: round(ms, 1) for view, ms in found.items()})
            daemon.stop()
        http.close()
        template.drop()
