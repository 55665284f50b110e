/* Scheduled removals: take.c chooses the schedules of a step and their memberships, prune.c hands
 * all of them to one page (step_page), so that locks are taken in order and bad rows are found
 * once, and says what follows for each schedule; drop.c removes those that are through. plan.c goes
 * in the same rounds, but only shows.
 *
 * A step takes up to ten schedules and up to a hundred memberships of each. How far each has come
 * is its *pass* (pass.c), kept in the cursor.
 *
 * Invariant: a schedule that is left is in the cursor's way, or in quarantine: no busy loop.
 * Threads: as pruned/job.h. Ownership: prune.c makes and clears a Prune.
 */
#pragma once
#include "pruned/job.h"

#define NOT_PROCESSED "Scheduled member deletion cannot be processed"

/* --- a pass over the memberships of a schedule
 * ------------------------------------------------------- */

typedef enum {
  PASS_GOES_ON, /* there are more memberships */
  PASS_THROUGH, /* nothing removable is left */
  PASS_AGAIN,   /* some are left, but it changed something: another pass */
  PASS_STUCK    /* some are left, and it changed nothing */
} PassVerdict;

/* What a step did with a part of the memberships. */
typedef struct {
  gboolean more; /* memberships after these */
  gint64 after;  /* the last of them */
  int removed, left;
} PassPart;

/* PASSES: schedule -> pass, of the cursor. The membership after which schedule ID goes on; 0: from
 * the first. */
gint64 pass_after (const json_t *passes, gint64 id);
/* Adds PART to the pass of ID, which ends unless it goes on. *LEFT: memberships left by the whole
 * pass. */
PassVerdict pass_add (json_t *passes, gint64 id, const PassPart *part, gint64 *left);

/* Ends it unfinished. */
void pass_end (json_t *passes, gint64 id);

/* --- one step
 * -------------------------------------------------------------------------------------------- */

/* One schedule in this step. */
typedef struct {
  gint64 id;
  int row;   /* of the schedules */
  int asked; /* memberships handed to the page */
  gboolean more;
  gint64 after;
  int removed, answered; /* gone, decided in any way */
  json_t *denied;
} Turn;

typedef struct {
  Step *step;
  PgRows *schedules;
  json_t *passes;            /* of the cursor: by schedule */
  GArray *turns;             /* of Turn */
  GString *members, *owners; /* array literals, open: membership and its schedule */
  GArray *done;              /* of gint64: schedules that are through */
  GArray *failed; /* of gint64: schedules that have been put aside; of a plan also those that are
                     through */
  GHashTable *removed; /* of a plan: user -> GString, an open array literal of his memberships that
                          went; else NULL */
  char *requests;      /* array literal: access requests of the schedules' users */
  gint64 left;         /* rows that this step may still touch */
  gint64 from;         /* where the next step begins */
} Prune;

void prune_init (Prune *prune, Step *step);
void prune_clear (Prune *prune);
/* Schedules from FROM on, and the turns they get. */
gboolean take_turns (Prune *prune, gint64 from, GError **error);
/* Schedule ID waits in quarantine for its next try, or FOR_GOOD. */
void put_aside (Prune *prune, gint64 id, const char *reason, gboolean for_good);
/* The schedule of ROW failed for REASON: counted, said, put aside. */
void refuse (Prune *prune, int row, const char *reason, gboolean for_good);
/* Removes the schedules that are through; one that cannot be removed is refused. */
gboolean drop_done (Prune *prune, GError **error);

/* What follows for the schedule of TURN: it goes on, is done, begins anew, or waits. */
PassVerdict conclude_turn (Prune *prune, const Turn *turn);

/* An array literal of those of IDS that are FROM or more; g_free it. */
char *ids_literal (const GArray *ids, gint64 from);
/* `members_deletion_schedules:<id>`; g_free it. */
char *item_of (gint64 id);
