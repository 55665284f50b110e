#include "jobs/shared/stamp.h"

#define SETTLED "" /* the names depend on the settings alone, which are parameters */

char *
stamp_begin (Step *step, const char *file, const char *own, const char *also, GError **error)
{
  const PgRows *names
      = step_query_kept (step, SETTLED, error, file, "references", own, "also", also, NULL);
  /* The stamp first: it reads whole tables. */
  if (names == NULL
      || !step_queue (step, error, "../shared/catalogue", "tables", rows_text (names, 0, "tables"),
                      "columns", rows_text (names, 0, "columns"), NULL)
      || !step_queue (step, error, "../shared/one_user", NULL))
    return NULL;
  g_autoptr (GPtrArray) all = step_send (step, error);
  return all != NULL ? g_strdup (rows_text (all->pdata[0], 0, "stamp")) : NULL;
}
