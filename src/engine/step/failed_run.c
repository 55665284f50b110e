#include "engine/step/failed_run.h"

#include "base/plural.h"
#include "base/spoken.h"

static gint64
count_in (const json_t *result, const char *counter)
{
  return json_integer_value (json_object_get (result, counter));
}

gboolean
failed_run_is (const Step *step, const json_t *result)
{
  return step->run->range_of == NULL && count_in (result, "failed") > 0
         && count_in (result, "updated_rows") == 0 && count_in (result, "already_running") == 0
         && step->run->rows_done + step->rows + step->rows_taken_in == 0;
}

char *
failed_run_error (const Step *step, const json_t *result)
{
  const guint n = step->failed_reasons->len; /* of its last step alone */
  const gint64 failed = count_in (result, "failed");
  g_autofree char *number = spoken_number (failed);
  if (!failed_run_is (step, result))
    return NULL;
  return g_strdup_printf (
      "%s %s failed: %s", number, plural (failed, "row was due, and", "rows were due, and all"),
      n > 0 ? (const char *)step->failed_reasons->pdata[n - 1] : "`pruned quarantine list --all`");
}
