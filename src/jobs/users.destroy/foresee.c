/* What would go or change with a user beside what the job names: by keys to the user, to what is
 * only theirs, and to their memberships. */
#include "users_destroy.h"

#include "references.h"

#include "jobs/shared/placeholder.h"
#include "jobs/shared/stamp.h"
#include "jobs/shared/sweep.h"

/* What is only the user's, as far as it is there, and the user. */
static gboolean
foresee_roots (const Sweep *sweep, const char *keys, GError **error)
{
  const PgRows *roots = step_query_kept (sweep->step, sweep->catalogue, error, "finish", NULL);
  g_autoptr (PgRows) there
      = roots != NULL ? step_query_text (sweep->step, error, rows_text (roots, 0, "probe"),
                                         "user_id", sweep->user_id, NULL)
                      : NULL;
  for (int i = 0; there != NULL && i < rows_count (roots); i++)
    if (rows_has (there, "number", rows_text (roots, i, "number"))
        && !sweep_foresee (sweep, rows_text (roots, i, "relation"),
                           rows_text (roots, i, "condition"), keys, error))
      return FALSE;
  return there != NULL;
}

gboolean
users_destroy_foresee (Step *step, GError **error)
{
  static const char *const refused[] = NOT_WITH_THE_USER;
  const char *user_id = step_arg (step, "user_id");
  if (user_id == NULL)
    return TRUE; /* the step says so */
  g_autofree char *stamp = stamp_begin (step, "names", OWN_LIST (step), ALSO_LIST (step), error);
  const PgRows *own
      = stamp != NULL ? step_query_kept (step, stamp, error, "own_keys", LISTS (step), NULL) : NULL;
  if (own == NULL)
    return FALSE;
  Destroy destroy = { .step = step, .stamp = stamp };
  const char *keys = rows_text (own, 0, "keys");
  const Sweep sweep = { .step = step, .catalogue = stamp, .user_id = user_id, .refused = refused };
  return users_destroy_look_for_hidden (&destroy, error)
         && sweep_foresee (&sweep, "members", "x0.user_id = :user_id::bigint", keys, error)
         && (!step_setting_bool (step, "finish") || foresee_roots (&sweep, keys, error));
}
