/* The table of commands; src/cli has a file for each. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "jobs/jobs.h"

#include <malloc.h>

static const Command commands[] = {
  { "run", "[--embedded-kafka] [--until-idle]", "the daemon",
    "pruned -c /etc/pruned/pruned.conf run", command_run, run_options, .is_daemon = TRUE },
  { "demo", "[--kafka HOST:PORT] [--keep]",
    "everything on this machine: see what it does; nothing is left behind", "pruned demo",
    command_demo, demo_options,
    "Wants PostgreSQL's programs (initdb, postgres). Files are below TMPDIR.", .bare = TRUE },
  { "migrate", "[--indexes] [--dry-run]",
    "make or upgrade schema pruned, and the indexes that jobs want",
    "pruned migrate && pruned migrate --indexes", command_migrate, migrate_options,
    "Run it as the owner of the database's tables; the daemon's own role needs only deploy/grants.sql." },
  { "topics", "[--apply]", "say which topics are missing or too small, and make them",
    "pruned topics --apply", command_topics, topics_options, topics_more },
  { "jobs", "", "the jobs: schedule, next tick, what is due, last run", "pruned jobs",
    command_jobs },
  { "status", "", "PostgreSQL, Kafka, stores, runs, lag, quarantine on one screen", "pruned status",
    command_status, .any_schema = TRUE },
  { "processes", "",
    "the processes that run: where, since when, with which settings and how many partitions",
    "pruned processes", command_processes,
    .more
    = "`settings` is a hash: where it differs, processes run with other settings; `pruned jobs` and `pruned doctor` say which." },
  { "config", "[--example]", "every setting of this command line, its value and where it came from",
    "pruned -s jobs.members.remove_expired.batch=500 config", command_config, config_options,
    "What running processes have is told by `pruned jobs` and `pruned processes`." },
  { "tick", "JOB [--at TIME] [--arg K=V]... [--wait[=S]]",
    "ask for a run of a job; prints the run's id", "pruned tick members.remove_expired --wait",
    command_tick, tick_options,
    "TIME is RFC 3339 with zone, YYYY-MM-DD (00:00 UTC), or -10m, -2h, -1d before now. The same tick twice is the same run.",
    1, 1 },
  { "emit", "TYPE [FIELD=VALUE]... [--json-file FILE]", "publish an event; prints its ce_id",
    "pruned emit MemberExpirySet member_id=42 expires_at=2026-12-31", command_emit, emit_options,
    "TYPE is a record of schemas/avro/events, with or without its namespace. VALUE is JSON if it reads as such, else text.",
    1, ANY_NUMBER },
  { "runs", "[ID] [--job J] [--state S] [--since T] [--limit N]",
    "list runs, newest first, or show one", "pruned runs --job members.remove_expired --since -1d",
    command_runs, runs_options, "States: waiting, ready, held, finished, dead, skipped.", 0, 1,
    .any_schema = TRUE },
  { "plan", "JOB [--at TIME]",
    "what a run would remove, what it would keep and why; changes nothing, makes nobody wait",
    "pruned plan members.remove_expired", command_plan, plan_options,
    "Refusals by triggers and constraints are not foreseen.", 1, 1 },
  { "quarantine", "[list [--all] | retry [JOB [ITEM]] | drop [JOB [ITEM]]]",
    "items that failed: list the parked ones, try again, forget",
    "pruned quarantine retry members.remove_expired members:42", command_quarantine,
    quarantine_options, "Without JOB and ITEM all are meant.", 0, 3 },
  { "dead", "[list [--all] | show ID | retry [ID...] | drop [ID...]]",
    "messages that could not be handled: list, look into, send again, settle",
    "pruned dead show 0:17", command_dead, dead_options, dead_more, 0, ANY_NUMBER },
  { "replay", "--from TIME [--to TIME] [--topic ticks,events] [--job J] [--dry-run]",
    "feed the log again: what is missing is started, what is done stays done",
    "pruned replay --from -2h --dry-run", command_replay, replay_options, replay_more },
  { "pause", "JOB", "start nothing new of a job; a running step ends",
    "pruned pause members.remove_expired", command_pause, .least = 1, .most = 1,
    .any_schema = TRUE },
  { "resume", "JOB", "let a paused job go on", "pruned resume members.remove_expired",
    command_resume, .least = 1, .most = 1, .any_schema = TRUE },
  { "retry", "ID", "try a dead run again, or a waiting one now",
    "pruned retry 0b1f6bb2-5f5c-5a7e-9d1c-6f6b1f6a0c11", command_retry, .least = 1, .most = 1 },
  { "discard", "ID", "end a run that has not ended, or that is dead, as skipped",
    "pruned discard 0b1f6bb2-5f5c-5a7e-9d1c-6f6b1f6a0c11", command_discard, .least = 1, .most = 1 },
  { "restore", "RUN [--with-children] [--dry-run] [--partial]",
    "put back what a run removed, from the audit record",
    "pruned restore 0b1f6bb2-5f5c-5a7e-9d1c-6f6b1f6a0c11 --dry-run", command_restore,
    restore_options, restore_more, 1, 1 },
  { "forget", "TABLE KEY",
    "take somebody's rows out of the audit, which says so; they cannot be restored any more",
    "pruned -s postgres.url=postgresql://owner@/app forget users 42", command_forget,
    .more = forget_more, .least = 2, .most = 2 },
  { "doctor", "", "is all well, and if not what to do; changes nothing", "pruned doctor",
    command_doctor,
    .more
    = "Exit code 0, or that of the first error: 2 configuration, 3 PostgreSQL, 4 Kafka, 5 store, 6 something that is missing.\n"
      "Warnings have ok false, too, and do not change it." },
  { "bench", "", "how fast PostgreSQL, Kafka and this machine are, in a few seconds",
    "pruned bench --json", command_bench, .more = bench_more },
  { "help", "[COMMAND]", "this list, or what a command is given", "pruned help tick", .most = 1,
    .bare = TRUE },
  { "version", "[--faults]", "versions of pruned and of what it is made of", "pruned version",
    command_version, version_options, .bare = TRUE },
  { NULL }
};

int
main (int argc, char **argv)
{
  /* Arenas for each thread would hold on to megabytes of freed memory. */
  mallopt (M_ARENA_MAX, 2);
  return cli_main (commands, JOB_CODE, argc, argv);
}
