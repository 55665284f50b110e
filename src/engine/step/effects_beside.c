#include "engine/step/effects_beside.h"

#include "base/clock.h"

#define SQL "src/engine/step/sql/"
#define ASK_EVERY_US (5 * G_USEC_PER_SEC)

gboolean
effects_beside_begin (Step *step, Effects *effects, GError **error)
{
  if (step->job->built_in || effects->tables->len == 0)
    return TRUE;
  /* A sentence's job is another copy once the catalogue has changed (sentence/complete.h). */
  g_autofree char *stamp = g_strdup_printf ("%p %" G_GINT64_FORMAT, (const void *)step->job,
                                            clock_monotonic_us () / ASK_EVERY_US);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", array_of_texts (effects->tables));
  const PgRows *rows
      = pg_run_kept (step->pg, pg_statement (SQL "effects_reach.sql"), values, stamp, error);
  if (rows == NULL)
    return FALSE;
  const char *rels = rows_count (rows) > 0 ? rows_text (rows, 0, "rels") : NULL;
  if (rels != NULL && !g_str_equal (rels, "{}"))
    effects->rels = g_strdup (rels);
  return TRUE;
}

/* Those of the files, and behind them that of an archive. */
static char *
tables_of (const Step *step, const Effects *effects)
{
  const Sentence *sentence = step->job->sentence;
  GString *tables = array_new ();
  for (guint i = 0; i < effects->tables->len; i++)
    array_add (tables, effects->tables->pdata[i]);
  if (sentence != NULL && sentence->archive != NULL)
    array_add (tables, sentence->archive);
  return array_take (tables);
}

gboolean
effects_beside_queue (Step *step, const Effects *effects, GError **error)
{
  if (effects->rels == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "rels", effects->rels);
  pg_values_take (values, "tab", tables_of (step, effects));
  return pg_queue (step->pg, pg_statement (SQL "effects_beside.sql"), values, error);
}

static EffectsCount
count_at (const PgRows *rows, int row)
{
  return (EffectsCount){ rows_int (rows, row, "deleted"), rows_int (rows, row, "updated"),
                         rows_int (rows, row, "inserted") };
}

static void
note_before (Effects *effects, const PgRows *rows)
{
  effects->before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (int i = 0; i < rows_count (rows); i++) {
    const EffectsCount count = count_at (rows, i);
    g_hash_table_insert (effects->before, g_strdup (rows_text (rows, i, "rel")),
                         g_memdup2 (&count, sizeof count));
  }
}

/* What has grown of one table of the application, with all its partitions. */
typedef struct {
  char *name;
  gint64 pos; /* which of the files' tables; 0: none */
  EffectsCount grown;
} Table;

static void
table_free (gpointer data)
{
  Table *table = data;
  g_free (table->name);
  g_free (table);
}

static void
add_grown (Effects *effects, GHashTable *tables, const PgRows *rows, int row)
{
  const EffectsCount now = count_at (rows, row),
                     *was = g_hash_table_lookup (effects->before, rows_text (rows, row, "rel"));
  const char *name = rows_text (rows, row, "table");
  Table *table = g_hash_table_lookup (tables, name);
  if (rows_bool (rows, row, "emptied") && effects->emptied == NULL)
    effects->emptied = g_strdup (name);
  if (table == NULL) {
    table = g_new0 (Table, 1);
    table->name = g_strdup (name);
    g_hash_table_insert (tables, table->name, table);
  }
  if (rows_text (rows, row, "pos") != NULL)
    table->pos = rows_int (rows, row, "pos");
  table->grown.deleted += now.deleted - (was != NULL ? was->deleted : 0);
  table->grown.updated += now.updated - (was != NULL ? was->updated : 0);
  table->grown.inserted += now.inserted - (was != NULL ? was->inserted : 0);
}

/* Rows that files have returned are known. A row that moves to another partition counts as deleted
 * and inserted; what an insert returned can have been updated instead. */
static void
add_beside (Effects *effects, const Table *table)
{
  const EffectsCount grown = table->grown;
  EffectsCount told = { 0 };
  const gboolean archive = table->pos > (gint64)effects->tables->len;
  if (table->pos > 0 && !archive)
    told = g_array_index (effects->told, EffectsCount, table->pos - 1);
  const gint64 upserted = MAX (0, told.inserted - grown.inserted),
               changed
               = MAX (0, grown.deleted + grown.updated - told.deleted - told.updated - upserted),
               deleted = MIN (changed, MAX (0, grown.deleted - told.deleted)),
               moved = MIN (grown.deleted, told.updated),
               inserted = archive ? 0 : MAX (0, grown.inserted - told.inserted - moved);
  effects->others_changed += changed;
  step_add_other (effects->beside, table->name, STEP_DELETED, deleted);
  step_add_other (effects->beside, table->name, STEP_CHANGED, changed - deleted);
  step_add_other (effects->beside, table->name, STEP_INSERTED, inserted);
}

gboolean
effects_beside_take (Step *step, Effects *effects, GError **error)
{
  if (effects->rels == NULL)
    return TRUE;
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  if (rows == NULL)
    return FALSE;
  if (effects->before == NULL) {
    note_before (effects, rows);
    return TRUE;
  }
  g_autoptr (GHashTable) tables = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, table_free);
  for (int i = 0; i < rows_count (rows); i++)
    add_grown (effects, tables, rows, i);
  GHashTableIter iter;
  gpointer table;
  g_hash_table_iter_init (&iter, tables);
  while (g_hash_table_iter_next (&iter, NULL, &table))
    add_beside (effects, table);
  return TRUE;
}

void
effects_beside_told (Effects *effects, guint table, const JobApply *apply, gint64 n)
{
  if (table >= effects->tables->len)
    return;
  g_array_set_size (effects->told, effects->tables->len);
  EffectsCount *told = &g_array_index (effects->told, EffectsCount, table);
  *(apply->kind == APPLY_DELETE   ? &told->deleted
    : apply->kind == APPLY_UPDATE ? &told->updated
                                  : &told->inserted)
      += n;
}

/* Each of COUNTS that N divides, divided by it. */
static json_t *
divided (const json_t *counts, gint64 n)
{
  const char *name;
  json_t *value, *all = json_object ();
  json_object_foreach ((json_t *)counts, name, value) {
    const gint64 whole = json_integer_value (value);
    json_t *part = json_is_object (value) ? divided (value, n)
                   : whole % n == 0       ? json_integer (whole / n)
                                          : NULL;
    if (part != NULL && json_is_object (part) && json_object_size (part) == 0)
      json_decref (part);
    else if (part != NULL)
      json_object_set_new (all, name, part);
  }
  return all;
}

json_t *
effects_beside_share (const Effects *effects, gint64 n)
{
  return effects->others_changed == 0 ? divided (effects->beside, MAX (1, n)) : NULL;
}
