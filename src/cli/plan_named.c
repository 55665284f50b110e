#include "cli/plan_named.h"

#include "cli/cli.h"
#include "engine/job/job_erasure.h"

#include <string.h>

static char **
columns_of (const Job *job)
{
  return job->sentence != NULL ? job->sentence->by : NULL;
}

/* `person_id=42`. NAMES: what can stand before it; NULL: nothing. */
static gboolean
take (const Job *job, char **names, const char *given, json_t *rows, GError **error)
{
  const char *equals = strchr (given, '=');
  g_autofree char *name = g_strndup (given, equals != NULL ? (gsize)(equals - given) : 0);
  if (equals == NULL || !g_utf8_validate (given, -1, NULL))
    cli_usage (error, "--arg %s: expected COLUMN=VALUE", equals == NULL ? given : name);
  else if (names == NULL)
    cli_usage (error, "job %s: its rows are named by no column: leave --arg out", job->name);
  else if (!g_strv_contains ((const char *const *)names, name))
    cli_usage (error, "--arg %s: events of job %s do not name rows by it", given, job->name);
  else if (equals[1 + strspn (equals + 1, " \t\r\n")] == '\0')
    cli_usage (error, "--arg %s: an empty text names no row", given);
  else if (json_object_get (rows, name) != NULL)
    cli_usage (error, "--arg %s: given twice", given);
  else
    return json_object_set_new (rows, name, json_string (equals + 1)) == 0;
  return FALSE;
}

json_t *
plan_named_args (const Job *job, char **given, GError **error)
{
  g_autoptr (json_t) rows = json_object ();
  for (; given != NULL && *given != NULL; given++)
    if (!take (job, columns_of (job), *given, rows, error))
      return NULL;
  for (char **column = columns_of (job); column != NULL && *column != NULL; column++)
    if (json_object_get (rows, *column) == NULL) {
      cli_usage (error, "which rows? Events of job %s name rows of %s by %s: add --arg %s=VALUE",
                 job->name, job->table, *column, *column);
      return NULL;
    }
  return columns_of (job) != NULL ? json_pack ("{s:O}", JOB_EVENT_ROWS, rows) : json_object ();
}

json_t *
plan_named_values (const Job *erasure, char **given, GError **error)
{
  char **paths = job_erasure (erasure)->values;
  g_autoptr (json_t) values = json_object ();
  for (; given != NULL && *given != NULL; given++)
    if (!take (erasure, paths, *given, values, error))
      return NULL;
  for (char **path = paths; *path != NULL; path++)
    if (json_object_get (values, *path) == NULL) {
      cli_usage (error, "who? Events of %s say it by %s: add --arg %s=VALUE", erasure->name, *path,
                 *path);
      return NULL;
    }
  return g_steal_pointer (&values);
}
