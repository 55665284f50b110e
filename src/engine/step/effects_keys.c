#include "engine/step/effects_keys.h"

#include "base/json.h"

#include <string.h>

#define SQL "src/engine/step/sql/"

void
effects_keys_clear (gpointer keys)
{
  EffectsKeys *one = keys;
  g_string_free (one->keys, TRUE);
  g_string_free (one->rows, TRUE);
}

void
effects_keys_note (GArray *others, const JobApply *apply, const PgRows *returned)
{
  const int key = rows_column (returned, "key"), other = rows_column (returned, "other");
  EffectsKeys one = { .apply = apply };
  for (int i = 0; other >= 0 && i < rows_count (returned); i++) {
    if (rows_at (returned, i, other) == NULL)
      continue;
    one.keys = one.keys != NULL ? one.keys : array_new ();
    one.rows = one.rows != NULL ? one.rows : array_new ();
    array_add (one.keys, rows_at (returned, i, key));
    array_add (one.rows, rows_at (returned, i, other));
  }
  if (one.keys != NULL)
    g_array_append_val (others, one);
}

/* ROW, the columns of its own key: `id is 21`. */
static char *
shown (const json_t *row)
{
  GString *text = g_string_new (NULL);
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)row, name, value) {
    g_autofree char *one
        = json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
    g_string_append_printf (text, "%s%s is %s", text->len > 0 ? ", " : "", name, one);
  }
  return g_string_free (text, FALSE);
}

/* A column of its key that ROW does not have; NULL: it has all. */
static const char *
missing_of (const json_t *row)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)row, name, value)
    if (json_is_null (value))
      return name;
  return NULL;
}

static gboolean
block (Step *step, const JobApply *apply, const char *key, const char *row, GError **error)
{
  g_autoptr (json_t) own = json_parse_exact (row, strlen (row), NULL);
  const char *missing = missing_of (own);
  if (json_object_size (own) == 0)
    return guard_block (step, apply->statement, error,
                        "returns the key %s with a row in which it is not: %s has no primary key, "
                        "so a key has to be columns of its row",
                        key, apply->table);
  if (missing != NULL)
    return guard_block (step, apply->statement, error,
                        "returns the key %s with a row that does not say whose it is: %s, of the "
                        "primary key of %s, is not in it; return pg_catalog.to_jsonb(t.*) AS row",
                        key, missing, apply->table);
  g_autofree char *other = shown (own);
  return guard_block (step, apply->statement, error,
                      "returns the key %s with another row of %s, whose %s", key, apply->table,
                      other);
}

/* The array literal TEXTS, which is not closed yet. */
static char *
closed (const GString *texts)
{
  return g_strconcat (texts->str, "}", NULL);
}

/* The statement that compares keys and rows of the table of APPLY by their types. */
static const PgStatement *
compares (Step *step, const JobApply *apply, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", apply->table);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "effects_key.sql", values, error);
  const char *text = rows != NULL ? rows_text (rows, 0, "text") : NULL;
  return text != NULL ? pg_statement_anew (text, text, error) : NULL;
}

/* Of one file. What cannot be compared is no key either. */
static gboolean
fit (Step *step, const EffectsKeys *one, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement = compares (step, one->apply, &cause);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", closed (one->keys));
  pg_values_take (values, "row", closed (one->rows));
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (step->pg, statement, values, &cause) : NULL;
  if (rows != NULL && rows_count (rows) == 0)
    return TRUE;
  if (rows != NULL) {
    const char *key = rows_text (rows, 0, "key");
    return block (step, one->apply, key != NULL ? key : "NULL", rows_text (rows, 0, "row"), error);
  }
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  gboolean blocked
      = guard_block (step, one->apply->statement, error, "returns what is no key of %s: %s",
                     one->apply->table, cause->message);
  g_error_free (cause);
  return blocked;
}

gboolean
effects_keys_fit (Step *step, const GArray *others, GError **error)
{
  if (others->len > 0 && step->many)
    return step_fail (step, error, PRUNED_BUSY,
                      "a key differs from that of its row; each run is tried alone");
  for (guint i = 0; i < others->len; i++)
    if (!fit (step, &g_array_index (others, EffectsKeys, i), error))
      return FALSE;
  return TRUE;
}
