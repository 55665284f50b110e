#include "jobs/shared/stamp.h"

#define SETTLED "" /* the names depend on the settings alone, which are parameters */

char *
stamp_begin (Step *step, const char *file, const char *own, const char *also, GError **error)
{
  const PgRows *names
      = step_query_kept (step, SETTLED, error, file, "references", own, "also", also, NULL);
  const PgRows *begun = names != NULL
                            ? step_query_once (step, error, "../shared/begin_user", "tables",
                                               rows_text (names, 0, "tables"), "columns",
                                               rows_text (names, 0, "columns"), NULL)
                            : NULL;
  return begun != NULL ? g_strdup (rows_text (begun, 0, "stamp")) : NULL;
}
