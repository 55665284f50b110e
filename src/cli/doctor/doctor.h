/* `pruned doctor`: each check says what it found, as a finding; none changes anything (but for two
 * messages in `<prefix>.clock`, which only make Kafka tell its time), and none hides another: a
 * check that cannot be made because something is down is left out, the thing that is down is the
 * finding.
 *
 * Invariant: the exit code is that of the first finding that is an error, whatever warnings stand
 * before it. Threads: main only. Ownership: the Doctor owns its findings and its connection.
 */
#pragma once
#include "cli/cli.h"

typedef struct {
  Cli *cli;
  Pg *pg;            /* NULL: PostgreSQL cannot be asked */
  gboolean migrated; /* schema pruned is as this program wants it */
  char **kafka;      /* settings; NULL: no Kafka is named */
  char *grants;      /* the command that gives this role its rights */
  char *owner,
      *role; /* of the application's tables; whom we run as, as SQL writes it. NULL: not known */
  GPtrArray *findings;
} Doctor;

/* All is well there. */
void doctor_ok (Doctor *doctor, const char *check, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* REMEDY is a command to copy. A warning does not change the exit code. */
void doctor_warn (Doctor *doctor, const char *check, const char *remedy, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
void doctor_error (Doctor *doctor, ExitCode code, const char *check, const char *remedy,
                   const char *format, ...) G_GNUC_PRINTF (5, 6);

/* A statement in a read-only transaction of its own. NULL: said as an error of CHECK. */
PgRows *doctor_ask (Doctor *doctor, const char *check, const char *file, const PgValues *values);
/* The column NAME of all rows in one line, at most a few of them. g_free it. */
char *doctor_list (const PgRows *rows, const char *name);

/* `1 daemon`, `2 daemons`. g_free it. */
char *doctor_count (gint64 n, const char *what);

/* [clock] max_skew_s: clocks that differ by no more agree. */
gint64 doctor_skew_us (const Doctor *doctor);

/* In this order (the exit code is that of the first thing found). */
void doctor_postgres (Doctor *doctor); /* reachable, schema, clock */
void doctor_rights (
    Doctor *doctor); /* what jobs need: rights, tables, columns, rows of settings, indexes */
const char *doctor_bootstrap (const Doctor *doctor); /* "": no Kafka is named */
void doctor_kafka (Doctor *doctor); /* reachable, topics, clock, retention, group, dead letters */
void doctor_stores (Doctor *doctor);
void doctor_work (Doctor *doctor); /* runs, quarantine, bloat, the application's own workers */
