/* The table of commands; src/cli has a file for each. */
#include "base/descriptors.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "jobs/jobs.h"

#include <locale.h>
#include <malloc.h>

static const Command commands[] = {
  { "run", "[--embedded-kafka] [--until-idle]", "the daemon",
    "pruned -c /etc/pruned/pruned.conf run", command_run, run_options, .is_daemon = TRUE },
  { "demo", "[--kafka HOST:PORT] [--keep]",
    "a trial run on this machine, with PostgreSQL and Kafka of its own; leaves nothing behind",
    "pruned demo", command_demo, demo_options,
    "Needs PostgreSQL's programs (initdb, postgres). Its files are below TMPDIR.", .bare = TRUE },
  { "migrate", "[--indexes] [--topics] [--identity keep|new] [--dry-run]",
    "create or upgrade schema pruned, and the indexes that jobs need",
    "pruned migrate && pruned migrate --indexes", command_migrate, migrate_options,
    "Run it as the owner of the database's tables; the daemon's own role needs only what `pruned grants` prints." },
  { "grants", "[--role ROLE]", "print the SQL that grants the daemon's role the rights it needs",
    "pruned grants --role daemon | psql -v ON_ERROR_STOP=1 postgresql://owner@/app", command_grants,
    grants_options, grants_more },
  { "topics", "[--apply] [--take]", "show which topics are missing or too small, and create them",
    "pruned topics --apply", command_topics, topics_options, topics_more },
  { "jobs", "[show JOB [--to DIR]]",
    "the jobs: schedule, next tick, what is due, last run; or the SQL of one",
    "pruned jobs show members.remove_expired", command_jobs, jobs_options, jobs_more, .most = 2 },
  { "night", "[--since T]",
    "last night: what each job did, what is usual, and what needs a person, with its commands",
    "pruned night", command_night, night_options, night_more },
  { "status", "[--watch[=S]]", "PostgreSQL, Kafka, stores, runs, lag, quarantine on one screen",
    "pruned status", command_status, status_options, .any_schema = TRUE },
  { "schemas", "[list | show NAME | register]",
    "the schemas of ticks, events and outcomes, with their fingerprints; put them into the registry",
    "pruned schemas show RowProcessed", command_schemas, .more = schemas_more, .most = 2 },
  { "processes", "", "the running processes: host, start, settings and number of partitions",
    "pruned processes", command_processes,
    .more
    = "`settings` is a hash. `differing` names the jobs and settings of which another process has another version or value; `pruned jobs` and `pruned doctor` show the values." },
  { "config", "[--example]", "every setting of this command line, its value and where it came from",
    "pruned -s jobs.members.remove_expired.batch=500 config", command_config, config_options,
    "`pruned jobs` and `pruned processes` show the settings of running processes." },
  { "tick", "JOB [--at TIME] [--arg K=V]... [--wait[=S]]",
    "ask for a run of a job; prints the run's id", "pruned tick members.remove_expired --wait",
    command_tick, tick_options,
    "TIME is RFC 3339 with zone, YYYY-MM-DD (00:00 UTC), or -10m, -2h, -1d before now. The same tick twice is the same run.",
    1, 1 },
  { "emit", "TYPE [FIELD=VALUE]... [--json-file FILE]", "publish an event; prints its ce_id",
    "pruned emit MemberExpirySet member_id=42 expires_at=2026-12-31", command_emit, emit_options,
    "TYPE is a record of schemas/avro/events, with or without its namespace. VALUE is JSON if it reads as such, else text.",
    1, ANY_NUMBER },
  { "runs",
    "[ID] [--job J] [--state S] [--since T] [--limit N] [--children] [--columns C,...] [--wide]",
    "list runs, newest first, or show one: its steps, tables, children, and what comes next",
    "pruned runs --job members.remove_expired --since -1d", command_runs, runs_options,
    "ID may be the beginning of an id. States: waiting, ready, held, finished, dead, skipped. The steps of ID are the last 20 "
    "that changed rows, from the audit: there are none with [audit] rows = off.",
    0, 1, .any_schema = TRUE },
  { "plan", "JOB [--at TIME] [--rows] [--diff]",
    "what a run would remove, what it would keep and why; removes nothing, locks nothing",
    "pruned plan members.remove_expired --diff", command_plan, plan_options, plan_more, 1, 1 },
  { "new", "NAME --table TABLE [--where EXPR]",
    "write a first version of a job for a table: key, index, children, volume, a limit",
    "pruned new orders.old --table orders --where \"at < :T - interval '30 days'\"", command_new,
    new_options, new_more, 1, 1 },
  { "check", "[JOB [--apply N]] [--role ROLE]",
    "look at jobs before they run: statements, page, cursor, indexes, rights, foreign keys, brakes",
    "pruned check members.remove_expired", command_check, check_options, check_more, 0, 1 },
  { "quarantine",
    "[list [--all] | retry [JOB [ITEM]] [--yes] | drop [JOB [ITEM]] [--yes]] [--reason TEXT]",
    "items that failed: list the parked ones, retry, forget",
    "pruned quarantine retry members.remove_expired members:42", command_quarantine,
    quarantine_options,
    "Without JOB and ITEM it applies to all items, and asks. Rows that `pruned restore` brought back are held: only\n"
    "retry JOB ITEM, or drop, lets a job remove one again.",
    0, 3 },
  { "dead", "[list [--all] | show ID | retry [ID...] | drop [ID...] [--yes]] [--reason TEXT]",
    "messages that could not be handled: list, show, send again, drop", "pruned dead show 0:17",
    command_dead, dead_options, dead_more, 0, ANY_NUMBER },
  { "replay", "--from TIME [--to TIME] [--topic ticks,events] [--job J] [--dry-run]",
    "read ticks and events again from Kafka: start the runs that are missing, leave the others alone",
    "pruned replay --from -2h --dry-run", command_replay, replay_options, replay_more },
  { "reload", "[--wait S] [--reason TEXT]",
    "all processes read their jobs and settings again; waits for them", "pruned reload",
    command_reload, reload_options, reload_more },
  { "stop", "[--reason TEXT] [--now]",
    "stop everything, in all processes: no step begins, no store is called; running steps end",
    "pruned stop --reason 'too many removals'", command_stop, stop_options, stop_more,
    .any_schema = TRUE, .urgent = TRUE },
  { "go", "[--reason TEXT]", "end the stop: work goes on", "pruned go", command_go, go_options,
    .any_schema = TRUE, .urgent = TRUE },
  { "pause", "{JOB... | --all} [--for TIME] [--reason TEXT]",
    "start no new step of these jobs; a running step ends", "pruned pause 'members.*' --for 2h",
    command_pause, pause_options, pause_more, .most = ANY_NUMBER, .any_schema = TRUE },
  { "resume", "{JOB... | --all} [--reason TEXT]", "let paused jobs continue",
    "pruned resume members.remove_expired", command_resume, resume_options, resume_more,
    .most = ANY_NUMBER, .any_schema = TRUE },
  { "retry",
    "{ID... | [--job J] [--state S] [--error-class C] [--since T] [--yes]} [--reason TEXT]",
    "retry dead runs, or waiting ones now", "pruned retry 0b1f6bb2", command_retry, retry_options,
    run_choice_more, .most = ANY_NUMBER },
  { "approve", "{ID [--wait[=S]] | --job J [--since T] [--yes]} [--reason TEXT]",
    "let a held run go, or all of a job; within a day and with at most the counted rows plus 1 %",
    "pruned approve 0b1f6bb2 --reason 'seen, it is right'", command_approve, approve_options,
    run_choice_more, .most = 1 },
  { "discard",
    "{ID... | [--job J] [--state S] [--error-class C] [--since T] [--yes]} [--reason TEXT]",
    "end unfinished and dead runs: they become skipped", "pruned discard 0b1f6bb2", command_discard,
    discard_options, run_choice_more, .most = ANY_NUMBER },
  { "who", "TABLE:KEY [--limit N]",
    "what happened to a row and to rows that name it: when, by which run and rule, the row as it was",
    "pruned who members:80248", command_who, who_options, who_more, 1, 1 },
  { "why", "TABLE:KEY...",
    "why a row is still there: not due until, kept because, in quarantine, held, no rule names it",
    "pruned why members:80248", command_why, .more = why_more, .least = 1, .most = ANY_NUMBER },
  { "restore", "RUN [--with-children] [--dry-run] [--partial] [--only TABLE:KEY] [--reason TEXT]",
    "put back the rows that a run removed, from the audit",
    "pruned restore 0b1f6bb2-5f5c-5a7e-9d1c-6f6b1f6a0c11 --dry-run", command_restore,
    restore_options, restore_more, 1, 1 },
  { "forget", "TABLE KEY [--reason TEXT]",
    "take a row's records out of the audit, and record that; they can no longer be restored",
    "pruned -s postgres.url=postgresql://owner@/app forget users 42", command_forget,
    .options = forget_options, .more = forget_more, .least = 2, .most = 2 },
  { "journal", "[--since T] [--command C] [--job J] [--limit N]",
    "who changed what, and why, the newest first", "pruned journal --since -1d", command_journal,
    journal_options, journal_more },
  { "doctor", "[--quiet]", "check everything, with a remedy for each finding; changes nothing",
    "pruned doctor", command_doctor, doctor_options,
    .more
    = "Exit code 0, or that of the first error: 2 configuration, 3 PostgreSQL, 4 Kafka, or no daemon runs although something is due, 5 store,\n"
      "6 something is missing.\n"
      "Warnings have ok false as well, but do not change the exit code." },
  { "bench", "", "how fast PostgreSQL, Kafka and this machine are, in a few seconds",
    "pruned bench --json", command_bench, .more = bench_more },
  { "help", "[COMMAND]", "this list, or the help of a command", "pruned help tick", .most = 1,
    .bare = TRUE },
  { "version", "[--faults]", "versions of pruned and of its libraries", "pruned version",
    command_version, version_options, .bare = TRUE },
  { NULL }
};

int
main (int argc, char **argv)
{
  if (!descriptors_fill ())
    return CODE_BUG;
  /* With an arena for each thread, malloc would keep megabytes of freed memory. */
  mallopt (M_ARENA_MAX, 2);
  /* Arguments are UTF-8 whatever the locale: `pruned stop --reason` must not fail under LANG=C. */
  (void)setlocale (LC_CTYPE, "C.UTF-8");
  return cli_main (commands, JOB_CODE, argc, argv);
}
