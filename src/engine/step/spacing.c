#include "engine/step/spacing.h"

#include "base/clock.h"

#define INDEX "index"
#define BEGAN_AT "began_at"

static gint64
index_of (const Run *run)
{
  return json_integer_value (json_object_get (run->cursor, INDEX));
}

/* g_free it. */
static char *
began_at (const Run *run)
{
  const char *began = json_string_value (json_object_get (run->cursor, BEGAN_AT));
  return began != NULL ? g_strdup (began) : clock_format (run->now_us);
}

void
spacing_advance (const Run *run, int n_keys, json_t *cursor)
{
  if (!run->job->spacing)
    return;
  g_autofree char *began = began_at (run);
  json_object_set_new (cursor, BEGAN_AT, json_string (began));
  json_object_set_new (cursor, INDEX, json_integer (index_of (run) + n_keys));
}

void
spacing_bind (const Run *run, const PgStatement *statement, PgValues *values)
{
  if (pg_statement_wants (statement, INDEX))
    pg_values_int (values, INDEX, index_of (run));
  if (pg_statement_wants (statement, BEGAN_AT))
    pg_values_take (values, BEGAN_AT, began_at (run));
}
