/* The walk through the hierarchy: which groups and projects are next.
 *
 * Threads: as pruned/job.h. Ownership: the caller has all of a Walk.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  Step *step;
  const char *group, *root;
  const char *catalogue; /* the stamp under which references are cached */
  json_t *cursor;        /* the next step's cursor, which this step builds */
  gboolean unwanted;     /* set by walk_step: the deletion was not wanted any more when the portion
                            was locked; nothing was touched, and the run does not continue */
} Walk;

/* For still.sql: "true" if an earlier step has removed what gave the actor the right. */
const char *walk_rights (const json_t *cursor);
/* The deletion ends with CURSOR: removes the bot that asked for it, if that was postponed, here or
 * by its own run. */
gboolean walk_end (Step *step, const json_t *cursor, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Does one step: continues the run, or lets it end with the group itself. */
gboolean walk_step (Walk *walk, GError **error);
