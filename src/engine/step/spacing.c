#include "engine/step/spacing.h"

#include "base/clock.h"

#define INDEX "index"
#define BEGAN_AT "began_at"

/* g_free it. */
static char *
began_at (const Run *run)
{
  const char *began = json_string_value (run->progress.began_at);
  return began != NULL ? g_strdup (began) : clock_format (run->now_us);
}

void
spacing_advance (const Run *run, int n_keys, RunProgress *behind)
{
  g_autofree char *began = began_at (run);
  run_progress_set (&behind->began_at, json_string (began));
  behind->index = run->progress.index + n_keys;
}

void
spacing_bind (const Run *run, const PgStatement *statement, PgValues *values)
{
  if (pg_statement_wants (statement, INDEX))
    pg_values_int (values, INDEX, run->progress.index);
  if (pg_statement_wants (statement, BEGAN_AT))
    pg_values_take (values, BEGAN_AT, began_at (run));
}
