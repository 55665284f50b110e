/* A page: the next keys of a run. An event names them, or page.sql finds them behind the run's
 * cursor. A step of a page job finds its page, tries it (trial.c), finds the keys at fault
 * (bisect.c) and records what stays (record.c).
 *
 * Invariant: what a page query returns is only a wish; decide and apply look again, under lock.
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  GPtrArray *keys; /* of char, decimal */
  gboolean more;   /* a next page exists, or a next range of the same chain */
  json_t *cursor;  /* after the last key; NULL: nothing was found */
  json_t *next;    /* of the row behind it; NULL: there is none */
} Page;
void page_clear (Page *page);

/* Further parameters of the job's files, from a job in C or from what its objects say. */
typedef struct {
  GPtrArray *names, *texts;
} Extra;

/* The keys of the run's next page; *PAGE is page_clear's, also after an error. */
gboolean page_find (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Locks, decides and applies KEYS, which lose those that wait in quarantine. *DECIDED gets the
 * decisions, if any key is left; EXTRA can be NULL. */
gboolean page_apply_keys (Step *step, GPtrArray *keys, const Extra *extra, PgRows **decided,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The step of a page job. */
gboolean page_apply (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The parameters of page.sql for the run of STEP with at most LIMIT rows. pg_values_free them. */
PgValues *page_values (Step *step, int limit);
/* What asks for the page of STEP: page.sql, or the same up to the end of its range. */
const PgStatement *page_statement (const Step *step);
/* The cursor behind that row of ROWS. New reference. */
json_t *page_cursor_at (const Run *run, const PgRows *rows, int row);
/* ROWS are what page.sql has to return. */
gboolean page_is_one (const Job *job, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ROWS of page.sql asked for LIMIT + 1. */
void page_read (const Run *run, const PgRows *rows, int limit, Page *page);
/* The keys of a run that an event has started, or FALSE: page.sql finds them. */
gboolean page_of_event (const Run *run, Page *page);
/* In a pipeline: asks how its table writes the key of an event's PAGE, and puts the answer there
 * (`1.10` and `1.1` are one number). The job has `named`. */
gboolean page_queue_name (Step *step, const Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean page_take_name (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same (in *NAMED), each by the name that its table gives it. */
gboolean page_find_named (Step *step, Page *page, gboolean *named, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
