/* Rows that change with those of a job although no statement of it returns them: by foreign keys of
 * the database (CASCADE, SET NULL, SET DEFAULT, ON UPDATE CASCADE) and by triggers and rules of the
 * application. PostgreSQL counts them by table. They stand in the run's result and count for its
 * limits; rows that are inserted stand in the result only.
 *
 * Counted is one try of a page (effects.h), or the step of a job in C. Such a step tries pages and
 * statements under savepoints, too: each is counted by itself, because PostgreSQL goes on counting
 * what was rolled back.
 *
 * Invariant: a table that a foreign key leads to is counted; if there is a trigger or a rule, every
 * table of the application is. A try in which one of these was emptied by TRUNCATE does not stand.
 * What built-in jobs insert is their own, and told by none of their statements, so nothing that is
 * inserted is counted for them.
 * Threads: one worker, inside the step's transaction. Ownership: beside_clear.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/step/step.h"

typedef struct {
  gint64 deleted, updated, inserted;
} BesideCount;

typedef struct _Beside {
  char *rels;          /* tables to look at, an array literal; NULL: none, or not asked yet */
  GHashTable *before;  /* of these: oid -> BesideCount, as last read; NULL: not read yet */
  GPtrArray *tables;   /* of char: of which statements have returned rows, or will */
  GArray *told;        /* of BesideCount, one a table: these rows, since the counts were read */
  GArray *queued;      /* of statements of a job in C that were queued and not sent */
  const char *archive; /* a table into which rows of the job are moved; NULL: none. Borrowed */
  const char *leases;  /* one whose rows the job changes without telling it; NULL: none. Borrowed */
  json_t *counts;      /* counters as in a result: rows of other tables */
  char *emptied;       /* a table that a trigger has emptied by TRUNCATE; NULL: none */
  gint64 changed;      /* rows that were deleted or changed, and that no statement has returned */
} Beside;

void beside_init (Beside *beside);
void beside_clear (Beside *beside);

/* Which tables to look at for statements on TABLES (of char; NULL: on any); asked every five
 * seconds, and where the tables of a sentence have changed, with their triggers. */
gboolean beside_look (Step *step, Beside *beside, const GPtrArray *tables, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* In a pipeline, if there are any: their counts. The first answer is that before the rows go; each
 * further one adds what has changed since the one before. */
gboolean beside_queue (Step *step, const Beside *beside, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean beside_take (Step *step, Beside *beside, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Both, in a round trip of its own. */
gboolean beside_read (Step *step, Beside *beside, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A statement on TABLE has returned N rows. */
void beside_told (Beside *beside, const char *table, ApplyKind kind, gint64 n);
/* Of a try that has changed N rows of several runs: the part of one row, a new reference. NULL:
 * rows that count for limits are told of each run only if it is alone. Rows that were inserted are
 * left out where they do not divide evenly. */
json_t *beside_share (const Beside *beside, gint64 n);

/* --- steps of a job in C: what their statements return is told to `told_to` (step_sql.c) --- */

/* Before the first statement of N steps that share them; TABLES: as of beside_look. */
gboolean beside_begin_steps (Beside *beside, Step *const *steps, guint n, const GPtrArray *tables,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Behind the last one: adds to the first what has changed. Of several steps nobody knows whose that
 * is: then each goes alone. */
gboolean beside_end_steps (Beside *beside, Step *const *steps, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Also if they have failed. */
void beside_leave_steps (Beside *beside, Step *const *steps, guint n);
/* What follows can be rolled back, or is counted by itself: reads what has changed up to here. */
gboolean beside_pause (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Behind it: what has changed in between is not counted. */
gboolean beside_resume (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A statement on TABLE has returned ROWS: these, or their number as `n`. */
void beside_told_rows (Step *step, const char *table, ApplyKind kind, const PgRows *rows);
/* It is queued next; and ANSWERS (of PgRows) are those to all that was queued. */
void beside_note_queued (Step *step, const char *table, ApplyKind kind);
void beside_told_queued (Step *step, const GPtrArray *answers);
