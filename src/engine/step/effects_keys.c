#include "engine/step/effects_keys.h"

#include "base/clock.h"
#include "base/json.h"

#include <string.h>

#define SQL "src/engine/step/sql/"

static void
free_text (GString *text)
{
  if (text != NULL)
    g_string_free (text, TRUE);
}

void
effects_keys_clear (gpointer keys)
{
  EffectsKeys *one = keys;
  free_text (one->keys);
  free_text (one->rows);
  free_text (one->own);
}

static void
note (GString **texts, const char *text)
{
  *texts = *texts != NULL ? *texts : array_new ();
  array_add (*texts, text);
}

void
effects_keys_note (GArray *all, const JobApply *apply, const PgRows *returned)
{
  const int key = rows_column (returned, "key"), other = rows_column (returned, "other"),
            own = rows_column (returned, "own");
  EffectsKeys one = { .apply = apply };
  for (int i = 0; other >= 0 && i < rows_count (returned); i++) {
    note (&one.own, rows_at (returned, i, own));
    if (!rows_bool (returned, i, "other"))
      continue;
    note (&one.keys, rows_at (returned, i, key));
    note (&one.rows, rows_at (returned, i, own));
  }
  if (one.own != NULL)
    g_array_append_val (all, one);
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

/* Takes CAUSE. What cannot be compared is no key either. */
static gboolean
refuse (Step *step, const JobApply *apply, GError *cause, GError **error)
{
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  gboolean blocked = guard_block (step, apply->statement, error, "returns what is no key of %s: %s",
                                  apply->table, cause->message);
  g_error_free (cause);
  return blocked;
}

/* Of one file: the keys are those of their rows. */
static gboolean
fit (Step *step, const EffectsKeys *one, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement = compares (step, one->apply, &cause);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", closed (one->keys));
  pg_values_take (values, "row", closed (one->rows));
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (step->pg, statement, values, &cause) : NULL;
  if (rows == NULL)
    return refuse (step, one->apply, cause, error);
  if (rows_count (rows) == 0)
    return TRUE;
  const char *key = rows_text (rows, 0, "key");
  return block (step, one->apply, key != NULL ? key : "NULL", rows_text (rows, 0, "row"), error);
}

/* The statement that finds rows of the table of APPLY that are there as they were; it is asked for
 * once a minute. */
static gboolean
find_left (Step *step, const JobApply *apply, const PgStatement **statement, GError **error)
{
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", apply->table);
  const PgRows *rows
      = pg_run_kept (step->pg, pg_statement (SQL "effects_left.sql"), values, minute, error);
  const char *text = rows != NULL && rows_count (rows) > 0 ? rows_text (rows, 0, "text") : NULL;
  *statement = text != NULL ? pg_statement_anew (text, text, error) : NULL;
  return rows != NULL && (text == NULL || *statement != NULL);
}

/* OWN, the key of a row that APPLY has returned: it is there as it was, or lacks a column. */
static gboolean
block_left (Step *step, const JobApply *apply, const char *own, GError **error)
{
  g_autoptr (json_t) key = json_parse_exact (own, strlen (own), NULL);
  if (missing_of (key) != NULL)
    return block (step, apply, own, own, error);
  g_autofree char *left = shown (key);
  return guard_block (step, apply->statement, error,
                      "returns the row of %s whose %s, and leaves it as it was: it %s others than "
                      "it returns",
                      apply->table, left, apply->kind == APPLY_DELETE ? "deletes" : "changes");
}

/* No row that one file has returned is there as it was. */
static gboolean
are_changed (Step *step, const EffectsKeys *one, GError **error)
{
  GError *cause = NULL;
  const PgStatement *statement;
  if (!find_left (step, one->apply, &statement, error))
    return FALSE;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "own", closed (one->own));
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, &cause);
  if (rows == NULL)
    return refuse (step, one->apply, cause, error);
  if (rows_count (rows) > 0 && step->many)
    return step_fail (step, error, PRUNED_BUSY, "a row stays; each run is tried alone");
  return rows_count (rows) == 0 || block_left (step, one->apply, rows_text (rows, 0, "own"), error);
}

gboolean
effects_keys_fit (Step *step, const GArray *all, GError **error)
{
  for (guint i = 0; i < all->len; i++) {
    const EffectsKeys *one = &g_array_index (all, EffectsKeys, i);
    if (one->keys != NULL && step->many)
      return step_fail (step, error, PRUNED_BUSY,
                        "a key differs from that of its row; each run is tried alone");
    if ((one->keys != NULL && !fit (step, one, error)) || !are_changed (step, one, error))
      return FALSE;
  }
  return TRUE;
}
