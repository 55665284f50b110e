/* Destroying a group: destroy.c looks whether it is still wanted, walk.c goes through the hierarchy
 * (which groups and projects are next), drain.c and own.c remove what belongs to one batch of them
 * (members.c says what becomes of members), finish.c the batch itself; refuse.c says what is in the
 * way.
 *
 * A batch is up to 100 groups of one depth, or up to 100 projects, and never more than `limit`.
 * What belongs to it goes first, at most `limit` rows of a table a step; once a step has taken too
 * long, one table a step and `limit` rows of it. The batch itself goes when nothing is left. It is
 * locked before anything of it goes, so that nobody puts a row below it between the last look and
 * its end.
 *
 * Invariant: a step removes nothing before it has locked the root and seen mark and rights again
 * (destroy.c). Threads: as pruned/job.h. Ownership: array literals belong to the Batch.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  const char *kind; /* "projects", "groups" */
  char *projects;   /* array literals of ids; "{}": none */
  char *namespaces; /* the projects' own namespaces */
  char *groups;
  const char *top, *root, *actor, *catalogue;
  char *limit; /* rows of a table that may go in this step; if it has been cut, of all tables
                  together */
  gboolean cut;
  gboolean again;    /* the step before removed nothing of it, and yet something was left */
  gint64 removed;    /* rows that went in this step */
  gboolean own_gone; /* the last of the rows that have a file of their own went */
  gboolean
      actor_goes; /* whoever asked for the deletion is a bot of one of the projects or groups */
  gboolean moved; /* some of it is elsewhere by now: nothing was touched */
} Batch;

/* Its values, as statements name them. */
#define BATCH(batch)                                                                               \
  "project", (batch)->projects, "namespace", (batch)->namespaces, "group", (batch)->groups, "top", \
      (batch)->top, "limit", (batch)->limit, NULL

gboolean batch_is_groups (const Batch *batch);
/* How many ids an array literal has. */
guint array_length (const char *array);
/* A statement that changes rows, and what is read of its answer (as step_queue_apply). */
typedef struct {
  const char *file, *columns;
} Effect;
/* Queues EFFECTS, up to one without a file. */
gboolean batch_queue (Step *step, const Batch *batch, const Effect *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* *EMPTY: nothing belongs to the batch any more. */
gboolean batch_drain (Step *step, Batch *batch, gboolean *empty, GError **error);
/* ROWS: what belongs to something else and would go by a key of a namespace (`tab`, `id`); FALSE if
 * there is one. */
gboolean batch_refuse_stranger (Step *step, const PgRows *rows, GError **error);
/* MEMBERS have gone with the batch: outcomes, and the end of bots. */
void batch_note_members (Step *step, Batch *batch, const PgRows *members);
/* Starts the end of a bot, OF_PROJECT or of a group. */
void bot_destroy (Step *step, const char *user, gboolean of_project);
/* The batch itself: paths, own rows, outcomes. */
gboolean batch_finish (Step *step, const Batch *batch, GError **error);

typedef struct {
  Step *step;
  const char *group, *root;
  const char *catalogue; /* the stamp under which its references are known */
  json_t *cursor;        /* the next step's; what this one changes */
} Walk;

/* Looks at the whole group, before anything of it goes: FALSE if something elsewhere forbids that.
 */
gboolean walk_refuse (Step *step, const char *group, const char *catalogue, GError **error);
/* For still.sql: "true" if an earlier step has taken along what gave the actor his rights. */
const char *walk_rights (const json_t *cursor);
/* CURSOR is the last one: the bot whose end was put off goes now. */
void walk_end (Step *step, const json_t *cursor);
/* One step on: continues the run, or lets it end with the group itself. */
gboolean walk_on (Walk *walk, GError **error);
