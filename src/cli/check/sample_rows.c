#include "cli/check/sample_rows.h"

#include "base/plural.h"
#include "engine/step/page_keys.h"

#include <string.h>

#define ROWS_MOST 1000 /* that are counted of one value */

/* How many rows values name (`key = COLUMN = PATH`). */
typedef struct {
  gint64 rows;
  guint naming; /* values that some row has */
  gboolean more;
} Named;

/* The first page of the run that an event with these values starts. */
static gboolean
count_one (Check *check, const char *values, Named *named, GError **error)
{
  g_autoptr (Run) run = check_run (check->job);
  g_autoptr (Step) step = step_new (check->pg, run, "", NULL, NULL);
  json_object_set_new (run->args, JOB_EVENT_ROWS, json_parse (values, strlen (values), NULL));
  step->plan = TRUE;
  g_autoptr (PgRows) rows = check_page_rows (check, step, ROWS_MOST, error);
  if (rows == NULL)
    return FALSE;
  named->rows += MIN (rows_count (rows), ROWS_MOST);
  named->naming += rows_count (rows) > 0;
  named->more |= rows_count (rows) > ROWS_MOST;
  return TRUE;
}

static char *
by_columns (Check *check, GHashTable *keys, GError **error)
{
  Named named = { 0 };
  const guint values = g_hash_table_size (keys);
  GHashTableIter iter;
  gpointer key;
  gboolean ok = TRUE;
  g_hash_table_iter_init (&iter, keys);
  while (ok && g_hash_table_iter_next (&iter, &key, NULL))
    ok = count_one (check, key, &named, error);
  if (!ok)
    return NULL;
  return g_strdup_printf (", they name %s%" G_GINT64_FORMAT " %s of today by %u of %u %s",
                          named.more ? "at least " : "", named.rows,
                          plural (named.rows, "row", "rows"), named.naming, values,
                          plural (values, "value", "values"));
}

static char *
by_key (Check *check, GHashTable *keys, GError **error)
{
  GString *texts = array_new ();
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, keys);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    array_add (texts, key);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", array_take (texts));
  g_autoptr (PgRows) rows = pg_run (check->pg, check->job->named, values, error);
  if (rows == NULL)
    return NULL;
  return g_strdup_printf (", they name %d %s of today", rows_count (rows),
                          plural (rows_count (rows), "row", "rows"));
}

char *
sample_rows_words (Check *check, GHashTable *keys, GError **error)
{
  const Job *job = check->job;
  const gboolean is_by = job->sentence != NULL && job->sentence->by != NULL;
  if ((!is_by && job->named == NULL) || !pg_begin_read_only (check->pg, error))
    return NULL;
  char *words = is_by ? by_columns (check, keys, error) : by_key (check, keys, error);
  pg_rollback (check->pg);
  return words;
}
