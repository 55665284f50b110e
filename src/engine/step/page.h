/* A page of keys: found (page.c), then locked, decided, applied with savepoint and bisection
 * (apply.c).
 *
 * Invariant: what a page query returns is only a wish; decide and apply look again, under lock.
 * Threads: one worker. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

/* In the cursor: how often one row alone took too long. */
#define PAGE_TIMEOUTS "timeouts"

typedef struct {
  GPtrArray *keys; /* of char, decimal */
  gboolean more;   /* a next page exists */
  json_t *cursor;  /* after the last key; NULL: nothing was found */
} Page;
void page_clear (Page *page);

/* A page job's step. */
gboolean page_step (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The parameters of page.sql for RUN with at most LIMIT rows. g_free nothing: pg_values_free. */
PgValues *page_values (Step *step, int limit);
int page_limit (const Run *run);
/* ROWS are what page.sql has to return. */
gboolean page_is_one (const Job *job, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ROWS of page.sql asked for LIMIT + 1. */
void page_read (const Run *run, const PgRows *rows, int limit, Page *page);
/* The keys of a run that an event has started, or FALSE: page.sql finds them. */
gboolean page_of_event (const Run *run, Page *page);
/* The cursor of the run with the engine's own KEY set to N (limit, systemic): for a failed step.
 * New reference. */
json_t *page_cursor_with (const Run *run, const char *key, gint64 n);

/* apply.c: a page that goes on after its last key. */
gboolean page_apply (Step *step, GPtrArray *keys, va_list extra, PgRows **decided, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* decide.sql (or its default) for KEYS; GONE: array literal. */
PgRows *page_decide (Step *step, const char *keys, const char *gone, GError **error);
