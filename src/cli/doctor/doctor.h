/* `pruned doctor`: each check adds a finding. Checks change nothing, except that two messages are
 * sent to `<prefix>.clock` to learn Kafka's time. A check that needs a service that is down is
 * skipped; the service is the finding.
 *
 * Invariant: the exit code is that of the first finding that is an error; warnings do not change
 * it.
 *
 * Threads: main only. Ownership: the Doctor owns its findings and its connection.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/admin.h"

typedef struct {
  Cli *cli;
  Pg *pg;             /* NULL: PostgreSQL is down */
  gboolean migrated;  /* schema pruned has this binary's version */
  char **kafka;       /* settings; NULL: they are wrong */
  char *grants;       /* the command that grants this role its rights */
  char *owner, *role; /* the owner of the application's tables; the current role, quoted for SQL.
                         NULL: not known */
  char *ours;         /* the owner of schema pruned's tables; NULL: there are none */
  gboolean hides;     /* row-level security, something that a job of the user's own reads */
  GPtrArray *findings;
} Doctor;

/* Adds a finding without a problem. */
void doctor_ok (Doctor *doctor, const char *check, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Adds a warning or an error. REMEDY is a command to copy. A warning does not change the exit code.
 */
void doctor_warn (Doctor *doctor, const char *check, const char *remedy, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
void doctor_error (Doctor *doctor, ExitCode code, const char *check, const char *remedy,
                   const char *format, ...) G_GNUC_PRINTF (5, 6);

/* Runs a statement in a read-only transaction of its own. NULL: it failed, which is a finding of
 * CHECK. */
PgRows *doctor_ask (Doctor *doctor, const char *check, const char *file, const PgValues *values);
/* The same of what was asked otherwise, and failed with CAUSE. */
void doctor_unasked (Doctor *doctor, const char *check, const GError *cause);
/* The same, but a table or a column that is not there is a finding of another check. */
void doctor_unasked_but_missing (Doctor *doctor, const char *check, const GError *cause);
/* The values of column NAME in one line; of many rows only the first few. g_free it. */
char *doctor_list (const PgRows *rows, const char *name);

/* `1 daemon`, `2 daemons`. g_free it. */
char *doctor_count (gint64 n, const char *what);

/* [clock] max_skew_s: clocks that differ by no more agree. */
gint64 doctor_skew_us (const Doctor *doctor);

/* The command that does WHAT (`describe`, `create`) with TOPIC. */
char *doctor_topic_command (const Doctor *doctor, const char *what, const char *topic);
/* The command that sets CONFIG, `key=value`, for TOPIC. */
char *doctor_alter_topic (const Doctor *doctor, const char *topic, const char *config);
/* The command that shows the members of GROUP. */
char *doctor_group_command (const Doctor *doctor, const char *group);

/* The checks, in the order of command_doctor (which decides the exit code). */
void doctor_postgres (Doctor *doctor); /* reachable, schema, clock */
void doctor_replica (Doctor *doctor);  /* the standby for pages */
/* What jobs need: rights, tables, columns, rows of settings, indexes. */
void doctor_rights (Doctor *doctor);
void doctor_owners (Doctor *doctor); /* of schema pruned, and who can create functions; by it */
void doctor_kafka (Doctor *doctor);  /* reachable, topics, clock, retention, group, dead letters */
void doctor_whose (Doctor *doctor, const KafkaTopic *clock); /* whose topics; by it */
void doctor_events (Doctor *doctor);   /* where events come from, and their keys; by it */
void doctor_erasures (Doctor *doctor); /* the ledger, and what backups bring back; by it */
void doctor_group (Doctor *doctor);    /* who is in it, and who is not; by it */
/* What its ACLs deny; WANTED: our topics, of WantedTopic; by it. */
void doctor_acl (Doctor *doctor, const GArray *wanted);
void doctor_unread (Doctor *doctor); /* messages that nobody reads, as no daemon runs; by it */
void doctor_stores (Doctor *doctor);
void doctor_gentle (Doctor *doctor);   /* thresholds, dead rows */
void doctor_jobs (Doctor *doctor);     /* those of the user's own; which built-in ones, and why */
void doctor_settings (Doctor *doctor); /* modes, schedules */
void doctor_housekeeping (Doctor *doctor); /* of the running processes: what fails */
void doctor_holds (Doctor *doctor);
void doctor_notices (Doctor *doctor);   /* what could not be told to people */
void doctor_busy (Doctor *doctor);      /* rows that other sessions hold; by doctor_work */
void doctor_processes (Doctor *doctor); /* those that run; by doctor_work */
void doctor_night (Doctor *doctor);     /* what the last night says; by doctor_work */
void doctor_work (Doctor *doctor);      /* runs, quarantine, bloat, the application's own workers */
