/* A user on their way out, as the stages of users_destroy.h hand them on.
 *
 * Threads: a worker. Ownership: texts are those of the step and of the rows held by the caller.
 */
#pragma once
#include "users.h"

#define BOT "6" /* the user_type of project bots */

typedef struct {
  Step *step;
  const char *stamp; /* of the catalogue */
  const char *user_id;
  const Users *users;   /* the same, for files that crowd.h has for several */
  const char *ghost_id; /* NULL: there is none */
  const char *user_type;
  gboolean migration; /* this run has inserted the row in ghost_user_migrations */
  gint64 left;        /* rows that this step may still touch */
  int looks;          /* how often the last check has found new rows */
} Destroy;

/* The job's own list of columns and that of placeholders. */
#define OWN_LIST(step) step_setting_text (step, "references")
#define ALSO_LIST(step) step_setting_text_of (step, PLACEHOLDER_JOB, "references")
#define LISTS(step) "references", OWN_LIST (step), "also", ALSO_LIST (step)

/* Tables whose rows must not go by a key with the user's: they need outcomes, files and
 * authorizations, or belong to something that stays. */
#define NOT_WITH_THE_USER                                                                          \
  { "projects",         "namespaces", "users",           "members",                                \
    "ci_job_artifacts", "routes",     "redirect_routes", NULL }

/* Continues with STAGE; FIELDS (taken, can be NULL) are added to the cursor. */
void users_destroy_continue (const Destroy *destroy, const char *stage, json_t *fields);
