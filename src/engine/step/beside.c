#include "engine/step/beside.h"

#include "base/clock.h"
#include "engine/step/guard.h"

#define SQL "src/engine/step/sql/"
#define ASK_EVERY_US (5 * G_USEC_PER_SEC)

/* A statement of a job in C, and the place of its answer. */
typedef struct {
  char *table;
  ApplyKind kind;
  guint at;
} Queued;

static void
queued_clear (gpointer data)
{
  g_free (((Queued *)data)->table);
}

void
beside_init (Beside *beside)
{
  *beside = (Beside){ .tables = g_ptr_array_new_with_free_func (g_free),
                      .told = g_array_new (FALSE, TRUE, sizeof (BesideCount)),
                      .queued = g_array_new (FALSE, FALSE, sizeof (Queued)),
                      .counts = json_object () };
  g_array_set_clear_func (beside->queued, queued_clear);
}

void
beside_clear (Beside *beside)
{
  g_clear_pointer (&beside->rels, g_free);
  g_clear_pointer (&beside->before, g_hash_table_unref);
  g_clear_pointer (&beside->tables, g_ptr_array_unref);
  g_clear_pointer (&beside->told, g_array_unref);
  g_clear_pointer (&beside->queued, g_array_unref);
  g_clear_pointer (&beside->counts, json_decref);
  g_clear_pointer (&beside->emptied, g_free);
}

/* Its place in the list, from 0. */
static guint
place_of (Beside *beside, const char *table)
{
  guint at;
  if (!g_ptr_array_find_with_equal_func (beside->tables, table, g_str_equal, &at)) {
    at = beside->tables->len;
    g_ptr_array_add (beside->tables, g_strdup (table));
  }
  g_array_set_size (beside->told, beside->tables->len);
  return at;
}

/* Behind the tables of the files that of an archive. */
static void
note_tables (Beside *beside, const GPtrArray *tables, const Sentence *sentence)
{
  for (guint i = 0; tables != NULL && i < tables->len; i++)
    place_of (beside, tables->pdata[i]);
  if (sentence == NULL || sentence->archive == NULL)
    return;
  place_of (beside, sentence->archive);
  beside->archive = sentence->archive;
}

gboolean
beside_look (Step *step, Beside *beside, const GPtrArray *tables, GError **error)
{
  if (!GUARDS || beside->rels != NULL || (tables != NULL && tables->len == 0))
    return TRUE;
  /* A sentence's job is another copy once the catalogue has changed (sentence/complete.h). */
  g_autofree char *stamp = g_strdup_printf ("%p %" G_GINT64_FORMAT, (const void *)step->job,
                                            clock_monotonic_us () / ASK_EVERY_US);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", tables != NULL ? array_of_texts (tables) : NULL);
  const PgRows *rows
      = pg_run_kept (step->pg, pg_statement (SQL "effects_reach.sql"), values, stamp, error);
  if (rows == NULL)
    return FALSE;
  const char *rels = rows_count (rows) > 0 ? rows_text (rows, 0, "rels") : NULL;
  if (rels != NULL && !g_str_equal (rels, "{}"))
    beside->rels = g_strdup (rels);
  note_tables (beside, tables, step->job->sentence);
  return TRUE;
}

gboolean
beside_queue (Step *step, const Beside *beside, GError **error)
{
  if (beside->rels == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "rels", beside->rels);
  pg_values_take (values, "tab", array_of_texts (beside->tables));
  return pg_queue (step->pg, pg_statement (SQL "effects_beside.sql"), values, error);
}

static BesideCount
count_at (const PgRows *rows, int row)
{
  return (BesideCount){ rows_int (rows, row, "deleted"), rows_int (rows, row, "updated"),
                        rows_int (rows, row, "inserted") };
}

static void
note_before (Beside *beside, const PgRows *rows)
{
  g_clear_pointer (&beside->before, g_hash_table_unref);
  beside->before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (int i = 0; i < rows_count (rows); i++) {
    const BesideCount count = count_at (rows, i);
    g_hash_table_insert (beside->before, g_strdup (rows_text (rows, i, "rel")),
                         g_memdup2 (&count, sizeof count));
  }
  g_array_set_size (beside->told, 0);
  g_array_set_size (beside->told, beside->tables->len);
}

/* What has grown of one table of the application, with all its partitions. */
typedef struct {
  char *name;
  gint64 pos; /* which of `tables`; 0: none */
  BesideCount grown;
} Table;

static void
table_free (gpointer data)
{
  Table *table = data;
  g_free (table->name);
  g_free (table);
}

static void
add_grown (Beside *beside, GHashTable *tables, const PgRows *rows, int row)
{
  const BesideCount now = count_at (rows, row),
                    *was = g_hash_table_lookup (beside->before, rows_text (rows, row, "rel"));
  const char *name = rows_text (rows, row, "table");
  Table *table = g_hash_table_lookup (tables, name);
  if (rows_bool (rows, row, "emptied") && beside->emptied == NULL)
    beside->emptied = g_strdup (name);
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

/* Whether TABLE is NAMED. */
static gboolean
is_named (const Beside *beside, const Table *table, const char *named)
{
  return named != NULL && table->pos > 0
         && g_str_equal (beside->tables->pdata[table->pos - 1], named);
}

/* Rows that statements have returned are known. A row that moves to another partition counts as
 * deleted and inserted; what an insert returned can have been updated instead. */
static void
add_beside (const Step *step, Beside *beside, const Table *table)
{
  const BesideCount grown = table->grown;
  const BesideCount told = table->pos > 0
                               ? g_array_index (beside->told, BesideCount, table->pos - 1)
                               : (BesideCount){ 0 };
  const gint64 upserted = MAX (0, told.inserted - grown.inserted),
               changed = is_named (beside, table, beside->leases)
                             ? MAX (0, grown.deleted - told.deleted)
                             : MAX (0, grown.deleted + grown.updated - told.deleted - told.updated
                                           - upserted),
               deleted = MIN (changed, MAX (0, grown.deleted - told.deleted)),
               moved = MIN (grown.deleted, told.updated),
               inserted = is_named (beside, table, beside->archive) || step->job->built_in
                              ? 0
                              : MAX (0, grown.inserted - told.inserted - moved);
  beside->changed += changed;
  step_add_other (beside->counts, table->name, STEP_DELETED, deleted);
  step_add_other (beside->counts, table->name, STEP_CHANGED, changed - deleted);
  step_add_other (beside->counts, table->name, STEP_INSERTED, inserted);
}

static void
add_all_grown (const Step *step, Beside *beside, const PgRows *rows)
{
  g_autoptr (GHashTable) tables = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, table_free);
  for (int i = 0; i < rows_count (rows); i++)
    add_grown (beside, tables, rows, i);
  GHashTableIter iter;
  gpointer table;
  g_hash_table_iter_init (&iter, tables);
  while (g_hash_table_iter_next (&iter, NULL, &table))
    add_beside (step, beside, table);
}

gboolean
beside_take (Step *step, Beside *beside, GError **error)
{
  if (beside->rels == NULL)
    return TRUE;
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  if (rows == NULL)
    return FALSE;
  if (beside->before != NULL)
    add_all_grown (step, beside, rows);
  note_before (beside, rows);
  return TRUE;
}

gboolean
beside_read (Step *step, Beside *beside, GError **error)
{
  return beside->rels == NULL
         || (beside_queue (step, beside, error) && pg_flush (step->pg, error)
             && beside_take (step, beside, error) && pg_finish (step->pg, error));
}

/* What went before the counts were read has not grown since. */
void
beside_told (Beside *beside, const char *table, ApplyKind kind, gint64 n)
{
  if (beside->before == NULL)
    return;
  const guint at = place_of (beside, table);
  BesideCount *told = &g_array_index (beside->told, BesideCount, at);
  *(kind == APPLY_DELETE   ? &told->deleted
    : kind == APPLY_UPDATE ? &told->updated
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
beside_share (const Beside *beside, gint64 n)
{
  return beside->changed == 0 ? divided (beside->counts, MAX (1, n)) : NULL;
}

/* --- steps of a job in C --- */

gboolean
beside_begin_steps (Beside *beside, Step *const *steps, guint n, const GPtrArray *tables,
                    GError **error)
{
  beside_init (beside);
  for (guint i = 0; i < n; i++)
    (void)step_tell_to (steps[i], beside);
  return beside_look (steps[0], beside, tables, error) && beside_read (steps[0], beside, error);
}

gboolean
beside_end_steps (Beside *beside, Step *const *steps, guint n, GError **error)
{
  Step *first = steps[0];
  if (!beside_read (first, beside, error))
    return FALSE;
  if (n > 1 && (beside->changed > 0 || beside->emptied != NULL))
    return step_fail (first, error, PRUNED_BUSY,
                      "rows of other tables changed; each run is tried alone");
  if (beside->emptied != NULL)
    return step_block (
        first, error,
        "a trigger empties %s by TRUNCATE: how many rows went is not known, and they "
        "are in no audit; let it DELETE",
        beside->emptied);
  step_add_rows (first, 0, beside->changed, 0);
  step_add_counts (first->counts, beside->counts);
  return TRUE;
}

void
beside_leave_steps (Beside *beside, Step *const *steps, guint n)
{
  for (guint i = 0; i < n; i++)
    (void)step_tell_to (steps[i], NULL);
  beside_clear (beside);
}

gboolean
beside_pause (Step *step, GError **error)
{
  return step->told_to == NULL || beside_read (step, step->told_to, error);
}

gboolean
beside_resume (Step *step, GError **error)
{
  if (step->told_to != NULL)
    g_clear_pointer (&step->told_to->before, g_hash_table_unref);
  return beside_pause (step, error);
}

void
beside_told_rows (Step *step, const char *table, ApplyKind kind, const PgRows *rows)
{
  if (step->told_to != NULL)
    beside_told (step->told_to, table, kind,
                 rows_column (rows, "n") >= 0 ? rows_int (rows, 0, "n") : rows_count (rows));
}

void
beside_note_queued (Step *step, const char *table, ApplyKind kind)
{
  const Queued queued = { g_strdup (table), kind, pg_queued (step->pg) };
  if (step->told_to != NULL)
    g_array_append_val (step->told_to->queued, queued);
  else
    g_free (queued.table);
}

void
beside_told_queued (Step *step, const GPtrArray *answers)
{
  if (step->told_to == NULL)
    return;
  GArray *all = step->told_to->queued;
  for (guint i = 0; i < all->len; i++) {
    const Queued *queued = &g_array_index (all, Queued, i);
    beside_told_rows (step, queued->table, queued->kind, answers->pdata[queued->at]);
  }
  g_array_set_size (all, 0);
}
