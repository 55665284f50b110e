/* Scheduled removals. take.c chooses the schedules of a step and their memberships. prune.c handles
 * all of them as one page (step_page), so that locks are taken in order and bad rows are found
 * once, and decides what follows for each schedule. drop.c removes the schedules that are done.
 * plan.c works in the same rounds, but only shows.
 *
 * A step takes up to ten schedules and up to a hundred memberships of each. The progress of each
 * schedule is its *pass* (pass.c), kept in the cursor.
 *
 * Invariant: a schedule that is left is ahead of the cursor, put aside by it, or in quarantine: no
 * busy loop.
 * Threads: as pruned/job.h. Ownership: prune.c makes and clears a Prune.
 */
#pragma once
#include "pruned/job.h"

#define NOT_PROCESSED "Scheduled member deletion cannot be processed"

/* --- a pass over the memberships of a schedule --- */

typedef enum {
  PASS_CONTINUES, /* there are more memberships */
  PASS_DONE,      /* nothing removable is left: the schedule is done */
  PASS_BUSY,      /* other sessions hold some: the run looks again at its end */
  PASS_KEPT,      /* some are held, or rows below them, and none has failed: a later run goes on */
  PASS_AGAIN,     /* some are left, but it changed something: another pass */
  PASS_STUCK      /* some are left, and it changed nothing */
} PassEnd;

/* What a step did with some of the memberships. */
typedef struct {
  gboolean more;           /* memberships after these */
  gint64 after;            /* the last of them */
  int removed, left, busy; /* left: in quarantine; busy: locked by other sessions */
  int kept;                /* held */
} PassPart;

/* The membership after which schedule ID continues; 0: from the first. PASSES: schedule -> pass,
 * from the cursor. */
gint64 pass_after (const json_t *passes, gint64 id);
/* Adds PART to the pass of ID, and ends the pass unless there are more memberships. *LEFT:
 * memberships that the whole pass has left. */
PassEnd pass_add (json_t *passes, gint64 id, const PassPart *part, gint64 *left);

/* Ends the pass of ID unfinished. */
void pass_end (json_t *passes, gint64 id);

/* --- one step --- */

/* One schedule in this step. */
typedef struct {
  gint64 id;
  int row;     /* in `schedules` */
  guint first; /* in `keys`, of its memberships */
  int asked;   /* memberships handed to the page */
  gboolean more;
  gint64 began_after, after; /* the memberships before and at the end of this step's */
  int removed, answered;     /* memberships removed, and decided in any way */
  int kept;                  /* memberships that stay because a row is held */
  json_t *denied;
} Turn;

typedef struct {
  Step *step;
  PgRows *schedules;
  json_t *passes;            /* by schedule, from the cursor */
  GArray *turns;             /* of Turn */
  GArray *keys;              /* of gint64: the memberships of the turns */
  GString *members, *owners; /* array literals, open: the same, and their schedules */
  char *turn, *began_after;  /* array literals: of the turns, once schedules are dropped */
  char *read;                /* array literal: the memberships that the step has read */
  GArray *done;              /* of gint64: schedules that are done */
  GArray *failed;      /* of gint64: schedules in quarantine; in a plan also those that are done */
  GArray *busy;        /* of gint64: schedules that wait for the end of the run, because other
                          sessions hold something of theirs; from the cursor */
  GArray *kept;        /* of gint64: schedules that wait for the end of a hold; from the cursor */
  guint was_busy;      /* how many of these the steps before have found */
  gint64 at_once;      /* schedules that a step takes: one, once most of a page was held */
  GHashTable *removed; /* in a plan: user -> GString, an open array literal of their memberships
                          that are removed; else NULL */
  char *requests;      /* array literal: access requests of the schedules' users */
  gint64 left;         /* rows that this step may still touch */
  gint64 from;         /* where the next step begins */
} Prune;

void prune_init (Prune *prune, Step *step);
void prune_clear (Prune *prune);
/* Reads schedules from FROM on and gives them turns. */
gboolean prune_take_turns (Prune *prune, gint64 from, GError **error);
/* Puts schedule ID into quarantine until its next retry, or FOR_GOOD. */
void prune_quarantine (Prune *prune, gint64 id, const char *reason, gboolean for_good);
/* The schedule of ROW failed for REASON: counts, logs and quarantines it. */
void prune_refuse (Prune *prune, int row, const char *reason, gboolean for_good);
/* Removes the schedules that are done; refuses those that cannot be removed. */
gboolean prune_drop_done (Prune *prune, GError **error);

/* Decides what follows for the schedule of TURN: it continues, is done, begins again, or waits. */
PassEnd prune_conclude (Prune *prune, const Turn *turn);

/* Schedule ID is passed over until the run looks again. ITSELF: it is held, not a membership. */
void prune_pass_over (Prune *prune, gint64 id, gboolean itself);
/* Schedule ID stays until a later run, because rows are held. No failure: what had failed of it
 * before counts no longer. */
void prune_keep (Prune *prune, gint64 id);
/* The schedules from FROM on that this step, or this run, has put aside: an array literal; g_free
 * it. */
char *prune_aside (const Prune *prune, gint64 from);
/* `members_deletion_schedules:<id>`; g_free it. */
char *prune_item (gint64 id);
