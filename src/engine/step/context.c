#include "engine/step/context.h"

#include "engine/job/job_rows.h"
#include "engine/step/trial.h"

static PgRows *
ask (Step *step, const GPtrArray *keys, gconstpointer data, GError **error)
{
  const PgStatement *statement = data;
  g_autoptr (PgValues) values = trial_values (step, statement, NULL);
  pg_values_take (values, "key", array_of_texts (keys));
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, error);
  return rows != NULL && job_rows_have (statement, rows, "key", error) ? g_steal_pointer (&rows)
                                                                       : NULL;
}

gboolean
context_ask (Step *step, const GPtrArray *keys, Halves *context, GError **error)
{
  return step->job->context == NULL
         || halves_ask (step, keys, ask, step->job->context, context, error);
}

/* Adds row I to FIELDS. */
static void
add_row (json_t *fields, const PgRows *rows, int i)
{
  for (int column = 0; column < rows_columns (rows); column++)
    if (!g_str_equal (rows_name (rows, column), "key") && rows_at (rows, i, column) != NULL)
      json_object_set_new (fields, rows_name (rows, column),
                           json_string (rows_at (rows, i, column)));
}

json_t *
context_fields (const Halves *context, const char *key)
{
  json_t *fields = json_object ();
  for (guint part = 0; context->answers != NULL && part < context->answers->len; part++) {
    const PgRows *rows = context->answers->pdata[part];
    for (int i = 0; i < rows_count (rows); i++)
      if (g_strcmp0 (rows_text (rows, i, "key"), key) == 0)
        add_row (fields, rows, i);
  }
  return fields;
}
