#include "engine/step/effects.h"

#include "base/plural.h"

#define SQL "src/engine/step/sql/"

void
effects_init (Effects *effects, const Job *job)
{
  *effects = (Effects){ .tables = g_ptr_array_new (),
                        .counts = g_array_new (FALSE, TRUE, sizeof (EffectsCount)) };
  for (guint i = 0; GUARDS && i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (file->kind != APPLY_INSERT
          && !g_ptr_array_find_with_equal_func (effects->tables, file->table, g_str_equal, NULL))
        g_ptr_array_add (effects->tables, file->table);
    }
  }
}

void
effects_clear (Effects *effects)
{
  g_clear_pointer (&effects->tables, g_ptr_array_unref);
  g_clear_pointer (&effects->counts, g_array_unref);
  g_clear_pointer (&effects->doubt, g_free);
}

/* --- counting --- */

static gboolean
queue_counts (Step *step, const Effects *effects, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tab", array_of_texts (effects->tables));
  return pg_queue (step->pg, pg_statement (SQL "effects_counts.sql"), values, error);
}

static PgRows *
take_counts (Step *step, const Effects *effects, GError **error)
{
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  g_assert (rows == NULL || rows_count (rows) == (int)effects->tables->len);
  return g_steal_pointer (&rows);
}

/* The counts become ROWS. Returns how much those of table I have grown. */
static EffectsCount
count_on (Effects *effects, const PgRows *rows, guint table)
{
  EffectsCount grown = { 0 };
  g_array_set_size (effects->counts, effects->tables->len);
  for (guint i = 0; i < effects->tables->len; i++) {
    EffectsCount *count = &g_array_index (effects->counts, EffectsCount, i);
    EffectsCount now = { rows_int (rows, (int)i, "deleted"), rows_int (rows, (int)i, "updated") };
    if (i == table)
      grown = (EffectsCount){ now.deleted - count->deleted, now.updated - count->updated };
    *count = now;
  }
  return grown;
}

static guint
table_at (const Effects *effects, const char *table)
{
  guint at = G_MAXUINT;
  if (table != NULL)
    g_ptr_array_find_with_equal_func (effects->tables, table, g_str_equal, &at);
  return at;
}

gboolean
effects_queue_first (Step *step, const Effects *effects, GError **error)
{
  return effects->tables->len == 0 || effects->counts->len > 0
         || queue_counts (step, effects, error);
}

gboolean
effects_take_first (Step *step, Effects *effects, GError **error)
{
  if (effects->tables->len == 0 || effects->counts->len > 0)
    return TRUE;
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows != NULL)
    count_on (effects, rows, G_MAXUINT);
  return rows != NULL;
}

gboolean
effects_queue (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  return effects->tables->len == 0 || apply->kind == APPLY_INSERT
         || queue_counts (step, effects, error);
}

/* --- judging --- */

/* The counts do not fit, but there can be a reason (effects_doubt.sql). The first one is kept. */
static void
doubt (Effects *effects, const JobApply *apply, gboolean too_many, char *text)
{
  g_autofree char *owned = text;
  if (effects->doubted != NULL)
    return;
  effects->doubted = apply;
  effects->too_many = too_many;
  effects->doubt = g_steal_pointer (&owned);
}

/* Rows of the job's own table that no file has returned are not in the audit. */
static void
count_own (const Step *step, Effects *effects, const PgRows *rows)
{
  guint own = table_at (effects, step->job->table);
  if (own == G_MAXUINT)
    return;
  gint64 before = g_array_index (effects->counts, EffectsCount, own).deleted;
  effects->deleted += rows_int (rows, (int)own, "deleted") - before;
  if (effects->deleted > effects->returned)
    doubt (effects, effects->last, TRUE,
           g_strdup_printf ("or a trigger behind it deletes %" G_GINT64_FORMAT
                            " %s of %s, and %" G_GINT64_FORMAT " %s returned",
                            effects->deleted, plural (effects->deleted, "row", "rows"),
                            step->job->table, effects->returned,
                            plural (effects->returned, "was", "were")));
}

/* APPLY has returned N rows and changed CHANGED. */
static void
compare (Effects *effects, const JobApply *apply, gint64 n, gint64 changed, gboolean own)
{
  if (changed < n || (own && changed > n))
    doubt (effects, apply, changed > n,
           g_strdup_printf ("%s %" G_GINT64_FORMAT " %s of %s and returns %" G_GINT64_FORMAT,
                            apply->kind == APPLY_DELETE ? "deletes" : "updates", changed,
                            plural (changed, "row", "rows"), apply->table, n));
}

gboolean
effects_take (Step *step, Effects *effects, const JobApply *apply, const PgRows *returned,
              gboolean own, GError **error)
{
  effects->last = apply;
  if (effects->tables->len == 0 || apply->kind == APPLY_INSERT)
    return TRUE;
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows == NULL)
    return FALSE;
  gint64 n = rows_count (returned);
  guint table = table_at (effects, apply->table);
  const EffectsCount *before = &g_array_index (effects->counts, EffectsCount, table);
  gint64 deleted = rows_int (rows, (int)table, "deleted") - before->deleted;
  gint64 updated = rows_int (rows, (int)table, "updated") - before->updated;
  /* An update that moves a row to another partition deletes it there. */
  gint64 changed = apply->kind == APPLY_DELETE ? deleted : updated + deleted;
  if (g_strcmp0 (apply->table, step->job->table) == 0)
    effects->returned += apply->kind == APPLY_DELETE ? n : MIN (n, deleted);
  effects->stirred |= own && apply->kind == APPLY_DELETE && updated > 0;
  compare (effects, apply, n, changed, own);
  count_own (step, effects, rows);
  count_on (effects, rows, G_MAXUINT);
  return TRUE;
}

/* Asks about the table of APPLY; if rows too many went, also about the job's own. */
static PgRows *
ask (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  g_ptr_array_add (tables, apply->table);
  if (effects->too_many && step->job->table != NULL)
    g_ptr_array_add (tables, step->job->table);
  pg_values_take (values, "tab", array_of_texts (tables));
  pg_values_set (values, "update", apply->kind == APPLY_UPDATE ? "t" : "f");
  return pg_run_file (step->pg, SQL "effects_doubt.sql", values, error);
}

gboolean
effects_settle (Step *step, Effects *effects, GError **error)
{
  const JobApply *apply = effects->doubted;
  if (apply == NULL)
    return TRUE;
  if (step->many)
    return step_fail (step, error, PRUNED_BUSY,
                      "more rows changed than were returned; each run is tried alone");
  g_autoptr (PgRows) rows = ask (step, effects, apply, error);
  if (rows == NULL)
    return FALSE;
  effects->doubted = NULL;
  g_autofree char *text = g_steal_pointer (&effects->doubt);
  if (!rows_bool (rows, 0, "there"))
    return guard_block (step, apply->statement, error, "returns rows, and there is no table %s",
                        apply->table);
  if (!effects->too_many)
    return !rows_bool (rows, 0, "counted")
           || guard_block (step, apply->statement, error, "%s: its rows are of another table",
                           text);
  if (!rows_bool (rows, 0, "touches"))
    return guard_block (step, apply->statement, error, "%s", text);
  effects->returned = MAX (effects->returned, effects->deleted);
  if (apply->kind == APPLY_UPDATE)
    return TRUE;
  g_autofree char *line = g_strdup_printf ("%s: %s", pg_statement_name (apply->statement), text);
  step_log (step, LOG_WARNING, "A trigger may have deleted rows that are not in the audit",
            json_pack ("{s:s, s:s}", "table", apply->table, "error", line));
  return TRUE;
}

gboolean
effects_are_all (const PgRows *returned, const PgRows *decided, const GArray *which)
{
  int column = rows_column (returned, "key"), key = rows_column (decided, "key");
  gboolean same = rows_count (returned) == (int)which->len;
  for (guint i = 0; same && i < which->len; i++)
    same = g_str_equal (rows_at (returned, (int)i, column),
                        rows_at (decided, g_array_index (which, int, i), key));
  return same;
}

gboolean
effects_are_decided (Step *step, const JobApply *apply, const PgRows *returned,
                     const PgRows *decided, const GArray *which, GError **error)
{
  const PgStatement *statement = apply->statement;
  if (!GUARDS || effects_are_all (returned, decided, which))
    return TRUE;
  if (apply->kind != APPLY_INSERT && rows_count (returned) > (int)which->len)
    return guard_block (step, statement, error, "returns %d rows of %s for %u %s",
                        rows_count (returned), apply->table, which->len,
                        plural (which->len, "key", "keys"));
  g_autoptr (GHashTable) open = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < which->len; i++)
    g_hash_table_add (open, (gpointer)rows_text (decided, g_array_index (which, int, i), "key"));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  int column = rows_column (returned, "key");
  for (int i = 0; i < rows_count (returned); i++) {
    const char *key = rows_at (returned, i, column);
    if (!g_hash_table_contains (open, key))
      return guard_block (step, statement, error, "returns the key %s, which was not decided", key);
    if (!g_hash_table_add (seen, (gpointer)key) && apply->kind != APPLY_INSERT)
      return guard_block (step, statement, error, "returns the key %s twice", key);
  }
  return TRUE;
}

gboolean
effects_end (Step *step, Effects *effects, GError **error)
{
  const PgStatement *deferred = pg_statement (SQL "effects_deferred.sql");
  gboolean counted = effects->counts->len > 0;
  if (!pg_queue (step->pg, deferred, NULL, error)
      || (counted && !queue_counts (step, effects, error)) || !pg_flush (step->pg, error))
    return FALSE;
  g_autoptr (PgRows) ran = pg_next (step->pg, error);
  g_autoptr (PgRows) rows = ran != NULL && counted ? take_counts (step, effects, error) : NULL;
  if (ran == NULL || (counted && rows == NULL) || !pg_finish (step->pg, error))
    return FALSE;
  if (counted)
    count_own (step, effects, rows);
  return effects_settle (step, effects, error);
}
