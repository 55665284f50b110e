/* The keys of a page: those that an event names, or that page.sql finds behind the run's cursor.
 *
 * Invariant: what a page query returns is only a wish; decide and apply look again, under lock.
 * Threads: one worker. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  GPtrArray *keys; /* of char, decimal */
  gboolean more;   /* a next page exists */
  json_t *cursor;  /* after the last key; NULL: nothing was found */
} Page;
void page_clear (Page *page);

/* Finds the page of STEP: the key that an event names, or what page.sql returns. */
gboolean page_find (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The parameters of page.sql for RUN with at most LIMIT rows. g_free nothing: pg_values_free. */
PgValues *page_values (Step *step, int limit);
/* ROWS are what page.sql has to return. */
gboolean page_is_one (const Job *job, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ROWS of page.sql asked for LIMIT + 1. */
void page_read (const Run *run, const PgRows *rows, int limit, Page *page);
/* The keys of a run that an event has started, or FALSE: page.sql finds them. */
gboolean page_of_event (const Run *run, Page *page);
