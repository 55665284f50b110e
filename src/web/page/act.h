/* The page that asks people whether they mean what they want done, and how that stands.
 *
 * Threads: the request's. Ownership: as said.
 */
#pragma once
#include "web/page/act_table.h"
#include "web/page/views.h"

/* A line with what can be done to WHAT; nothing while actions are off. */
void act_show_links (Sheet *sheet, ActOf of, const char *what);

/* How what ACT is done to stands now: what is asked for, and what is done, must be about the same.
 * Texts of the form; NULL: none. */
typedef struct {
  PgRows *run;   /* of VIEW_RUN; NULL: it is about no run, or there is none */
  char *step;    /* of the run */
  char *rows;    /* how many are counted, or held */
  char *since;   /* of the stop, or of the job's pause; empty: there is none */
  char *last;    /* the newest run of the job; empty: it has none */
  char *missing; /* a sentence: it cannot be done; NULL: it can */
} ActSeen;
void act_seen_clear (ActSeen *seen);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ActSeen, act_seen_clear)
gboolean act_look (const Act *act, const char *what, Pg *pg, ActSeen *seen, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
