#include "engine/step/effects.h"

#include "base/plural.h"
#include "engine/step/effects_judge.h"
#include "engine/step/effects_keys.h"

#define SQL "src/engine/step/sql/"

static gboolean
is_counted (const JobApply *apply)
{
  return apply->kind != APPLY_INSERT || apply->watched;
}

void
effects_init (Effects *effects, const Job *job)
{
  *effects = (Effects){ .tables = g_ptr_array_new (),
                        .counts = g_array_new (FALSE, TRUE, sizeof (BesideCount)),
                        .keys = g_array_new (FALSE, FALSE, sizeof (EffectsKeys)) };
  beside_init (&effects->beside);
  g_array_set_clear_func (effects->keys, effects_keys_clear);
  for (guint i = 0; GUARDS && i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (is_counted (file)
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
  g_clear_pointer (&effects->keys, g_array_unref);
  g_clear_pointer (&effects->doubt, g_free);
  beside_clear (&effects->beside);
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

static BesideCount
count_at (const PgRows *rows, guint table)
{
  const int row = (int)table;
  return (BesideCount){ rows_int (rows, row, "deleted"), rows_int (rows, row, "updated"),
                        rows_int (rows, row, "inserted") };
}

/* How much the counts of TABLE have grown; those of ROWS are the new ones. */
static BesideCount
grown_at (const Effects *effects, const PgRows *rows, guint table)
{
  BesideCount now = count_at (rows, table),
              was = g_array_index (effects->counts, BesideCount, table);
  return (BesideCount){ now.deleted - was.deleted, now.updated - was.updated,
                        now.inserted - was.inserted };
}

/* The counts become ROWS. */
static void
count_on (Effects *effects, const PgRows *rows)
{
  g_array_set_size (effects->counts, effects->tables->len);
  for (guint i = 0; i < effects->tables->len; i++)
    g_array_index (effects->counts, BesideCount, i) = count_at (rows, i);
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
effects_queue_first (Step *step, Effects *effects, GError **error)
{
  return effects->tables->len == 0 || effects->counts->len > 0
         || (beside_look (step, &effects->beside, effects->tables, error)
             && queue_counts (step, effects, error)
             && (effects->beside.before != NULL || beside_queue (step, &effects->beside, error)));
}

gboolean
effects_take_first (Step *step, Effects *effects, GError **error)
{
  if (effects->tables->len == 0 || effects->counts->len > 0)
    return TRUE;
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows != NULL)
    count_on (effects, rows);
  return rows != NULL
         && (effects->beside.before != NULL || beside_take (step, &effects->beside, error));
}

gboolean
effects_queue (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  return effects->tables->len == 0 || !is_counted (apply) || queue_counts (step, effects, error);
}

/* --- judging --- */

/* Those of GROWN that an update of APPLY has only moved to another partition. */
static gint64
moved_by (const JobApply *apply, BesideCount grown, gboolean parted)
{
  return apply->kind == APPLY_UPDATE && parted ? MIN (grown.deleted, grown.inserted) : 0;
}

/* What has become of the job's own table: by APPLY, or (NULL) at the end. */
static void
judge_own (const Step *step, Effects *effects, const JobApply *apply, const PgRows *rows,
           gint64 moved)
{
  guint own = table_at (effects, step->job->table);
  if (own == G_MAXUINT)
    return;
  BesideCount grown = grown_at (effects, rows, own);
  effects_judge_own (step, effects, grown);
  if (apply != NULL)
    effects_judge_beside (step, effects, apply, grown,
                          g_str_equal (apply->table, step->job->table) ? moved : 0);
}

gboolean
effects_take (Step *step, Effects *effects, const JobApply *apply, const PgRows *returned,
              gboolean own, GError **error)
{
  effects->last = apply;
  if (effects->tables->len == 0 || !is_counted (apply))
    return TRUE;
  effects_keys_note (effects->keys, apply, returned);
  g_autoptr (PgRows) rows = take_counts (step, effects, error);
  if (rows == NULL)
    return FALSE;
  gint64 n = rows_count (returned);
  guint table = table_at (effects, apply->table);
  beside_told (&effects->beside, apply->table, apply->kind, n);
  BesideCount grown = grown_at (effects, rows, table);
  gint64 moved = moved_by (apply, grown, rows_bool (rows, (int)table, "parted"));
  if (g_strcmp0 (apply->table, step->job->table) == 0)
    effects->returned += apply->kind == APPLY_DELETE ? n : MIN (n, moved);
  effects->stirred |= own && apply->kind == APPLY_DELETE && grown.updated > 0;
  if (apply->kind != APPLY_DELETE)
    effects_judge_name (effects, apply, n, grown, grown.deleted - moved);
  if (apply->kind != APPLY_INSERT)
    effects_judge_rows (effects, apply, n,
                        apply->kind == APPLY_DELETE ? grown.deleted : grown.updated + moved, own);
  judge_own (step, effects, apply, rows, moved);
  count_on (effects, rows);
  return TRUE;
}

/* Asks about the table of APPLY; if rows too many went, also about the job's own. */
static PgRows *
ask (Step *step, const Effects *effects, const JobApply *apply, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  g_ptr_array_add (tables, apply->table);
  if (effects->why.too_many && step->job->table != NULL)
    g_ptr_array_add (tables, step->job->table);
  pg_values_take (values, "tab", array_of_texts (tables));
  g_autofree char *events = g_strdup_printf ("%d", effects->why.events);
  pg_values_set (values, "events", events);
  pg_values_set (values, "beside", effects->why.beside ? "t" : "f");
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
  if (!effects->why.too_many)
    return !rows_bool (rows, 0, "counted")
           || guard_block (step, apply->statement, error, "%s: its rows are of another table",
                           text);
  if (effects->why.sure || !rows_bool (rows, 0, "touches"))
    return guard_block (step, apply->statement, error, "%s", text);
  effects->returned = MAX (effects->returned, effects->deleted);
  if (!effects->why.lost)
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

/* Behind the pipeline: how many rows such a table had, nobody knows. */
static gboolean
is_emptied (Step *step, const Effects *effects, GError **error)
{
  if (effects->beside.emptied == NULL)
    return TRUE;
  if (step->many)
    return step_fail (step, error, PRUNED_BUSY, "a table was emptied; each run is tried alone");
  return guard_block (step, effects->last->statement, error,
                      "or a trigger behind it empties %s by TRUNCATE: how many rows went is not "
                      "known, and they are in no audit; let it DELETE",
                      effects->beside.emptied);
}

gboolean
effects_end (Step *step, Effects *effects, GError **error)
{
  const PgStatement *deferred = pg_statement (SQL "effects_deferred.sql");
  gboolean counted = effects->counts->len > 0;
  if (!effects_keys_fit (step, effects->keys, error) || !pg_queue (step->pg, deferred, NULL, error)
      || (counted
          && (!queue_counts (step, effects, error)
              || !beside_queue (step, &effects->beside, error)))
      || !pg_flush (step->pg, error))
    return FALSE;
  g_autoptr (PgRows) ran = pg_next (step->pg, error);
  g_autoptr (PgRows) rows = ran != NULL && counted ? take_counts (step, effects, error) : NULL;
  if (ran == NULL || (counted && (rows == NULL || !beside_take (step, &effects->beside, error)))
      || !pg_finish (step->pg, error))
    return FALSE;
  if (counted)
    judge_own (step, effects, NULL, rows, 0);
  return is_emptied (step, effects, error) && effects_settle (step, effects, error);
}
