#include "cli/new.h"

#include "cli/check/check.h"

#include "base/json.h"
#include "engine/job/sentence/sentence_partitions.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/sql/"
#define LEAST_ROW_BYTES 32 /* on a page of a table */
#define COUNT_MOST 500000  /* rows, of 32 bytes: 16 MB */

void
new_clear (New *new)
{
  g_clear_pointer (&new->sentence, sentence_free);
  g_clear_pointer (&new->catalogue, catalogue_free);
  g_clear_pointer (&new->children, g_free);
  g_clear_pointer (&new->index, g_free);
  g_clear_pointer (&new->unrecorded, g_free);
  g_clear_pointer (&new->outside, rows_free);
}

/* --- where ------------------------------------------------------------------------------------ */

/* A row is over at that time. */
static const char *const ENDS[]
    = { "deleted_at", "deleted_on",      "discarded_at", "removed_at", "expires_at",  "expires_on",
        "expired_at", "expired_on",      "expires",      "expiry",     "valid_until", "valid_to",
        "expiration", "expiration_date", "revoked_at",   "revoked_on", "archived_at", NULL };
/* A row began at that time; how long it is needed nobody can tell from it. */
static const char *const AGES[] = { "created_at", "created_on",  "created",     "inserted_at",
                                    "logged_at",  "occurred_at", "recorded_at", NULL };

static gboolean
is_time (const CatColumn *column)
{
  static const char *const types[] = { "timestamptz", "timestamp", "date", NULL };
  return g_strv_contains (types, column->type);
}

static const CatColumn *
column_of (const CatTable *table, const char *const *names)
{
  for (; *names != NULL; names++) {
    const CatColumn *column = catalogue_column (table, *names);
    if (column != NULL && is_time (column))
      return column;
  }
  return NULL;
}

gboolean
new_propose (New *new)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  new->by = NEW_BY_END;
  new->column = column_of (table, ENDS);
  if (new->column == NULL) {
    new->by = NEW_BY_AGE;
    new->column = column_of (table, AGES);
  }
  if (new->column != NULL)
    new->sentence->where = g_strdup_printf ("%s < :T - interval '%s'", new->column->quoted,
                                            new->by == NEW_BY_END ? "30 days" : "1 year");
  return new->column != NULL;
}

/* --- partitions and objects ------------------------------------------------------------------- */

gboolean
new_look_at_partitions (New *new, Pg *pg, GError **error)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  if (table->kind != 'p')
    return TRUE;
  g_autofree char *refusal = NULL;
  g_autoptr (GError) cause = NULL;
  Sentence sentence = { .table = table->name, .older_than = (char *)NEW_OLDER_THAN };
  g_autoptr (Written) written = sentence_partitions_write (pg, &sentence, &refusal, &cause);
  new->by_time = written != NULL;
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return written != NULL || refusal != NULL;
}

/* Names that say it where there is a bucket; others say it anywhere (check/sql/outside.sql). */
static const char *const FILES[]
    = { "file", "file_name", "filename", "file_path", "path", "key", "object", NULL };

static const CatColumn *
text_of (const CatTable *table, const char *const *names)
{
  static const char *const types[] = { "text", "varchar", NULL };
  for (; *names != NULL; names++) {
    const CatColumn *column = catalogue_column (table, *names);
    if (column != NULL && g_strv_contains (types, column->type))
      return column;
  }
  return NULL;
}

gboolean
new_find_outside (New *new, Pg *pg, GError **error)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  g_autoptr (PgValues) values = pg_values_new ();
  GString *job = array_new (), *relation = array_new (), *name = array_new ();
  array_add (job, new->job);
  array_add (relation, new->sentence->table);
  array_add (name, "DELETE");
  pg_values_set (values, "app_schema", new->schema);
  pg_values_take (values, "job", array_take (job));
  pg_values_take (values, "relation", array_take (relation));
  pg_values_take (values, "name", array_take (name));
  new->outside = pg_run_file (pg, CHECK_OUTSIDE_SQL, values, error);
  for (int i = 0; new->outside != NULL &&new->object == NULL &&i < rows_count (new->outside); i++)
    if (g_str_equal (rows_text (new->outside, i, "kind"), "file"))
      new->object = catalogue_column (table, rows_text (new->outside, i, "name"));
  if (new->object == NULL && *new->bucket != '\0')
    new->object = text_of (table, FILES);
  return new->outside != NULL;
}

/* The first column that WHERE names; with TIMES only those that hold a time. */
static const CatColumn *
first_column (const CatTable *table, const char *where, gboolean times)
{
  for (const char *p = where, *end; *p != '\0'; p = end) {
    Quoted quoted = quoted_at (where, p, &end, NULL);
    if (quoted == QUOTED_NOT)
      for (end = p; quoted_is_name_char (*end); end++)
        ;
    if (end == p) {
      end = p + 1;
      continue;
    }
    if (quoted != QUOTED_NOT && quoted != QUOTED_NAME)
      continue;
    g_autofree char *name = g_strndup (p, end - p);
    const CatColumn *column = catalogue_column (table, name);
    if (column != NULL && (!times || is_time (column)))
      return column;
  }
  return NULL;
}

/* --- rows and index --------------------------------------------------------------------------- */

static gboolean
asks (const json_t *plan)
{
  static const char *const keys[]
      = { "Filter",      "Index Cond", "Recheck Cond", "One-Time Filter",
          "Join Filter", "Hash Cond",  "Merge Cond",   "TID Cond" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (json_object_get (plan, keys[i]) != NULL)
      return TRUE;
  size_t i;
  json_t *below;
  json_array_foreach (json_object_get (plan, "Plans"), i, below)
    if (asks (below))
      return TRUE;
  return FALSE;
}

/* An index of INDEXES (name: partial) that PLAN finds rows by. NULL: none. */
static const char *
index_of (const json_t *plan, GHashTable *indexes)
{
  const char *name = json_string_value (json_object_get (plan, "Index Name"));
  gpointer partial;
  if (name != NULL && g_hash_table_lookup_extended (indexes, name, NULL, &partial)
      && (partial != NULL || json_object_get (plan, "Index Cond") != NULL))
    return name;
  size_t i;
  json_t *below;
  const char *found = NULL;
  json_array_foreach (json_object_get (plan, "Plans"), i, below)
    if (found == NULL)
      found = index_of (below, indexes);
  return found;
}

/* The names belong to ROWS. */
static GHashTable *
indexes_of (const PgRows *rows)
{
  GHashTable *indexes = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++)
    if (rows_text (rows, i, "index") != NULL)
      g_hash_table_insert (indexes, (gpointer)rows_text (rows, i, "index"),
                           GINT_TO_POINTER (rows_bool (rows, i, "partial")));
  return indexes;
}

/* NULL: an error. */
static json_t *
plan_of (const New *new, Pg *pg, GError **error)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  g_autofree char *where = sql_text_at (new->sentence->where, "pg_catalog.now()");
  g_autofree char *text
      = g_strdup_printf ("EXPLAIN (FORMAT JSON) SELECT FROM %s WHERE (%s)", table->name, where);
  const PgStatement *statement = pg_statement_text ("the condition", text, error);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (pg, statement, NULL, error) : NULL;
  if (rows == NULL)
    return NULL;
  const char *words = rows_at (rows, 0, 0);
  g_autoptr (json_t) plans = json_parse (words, strlen (words), error);
  return json_incref (json_object_get (json_array_get (plans, 0), "Plan"));
}

/* The rows of the tables whose rows go by a cascade with the own ones. */
static gboolean
look_below (New *new, Pg *pg, GError **error)
{
  g_autoptr (GHashTable) lose = new_tables_that_go (new);
  g_hash_table_remove (lose, new->catalogue->tables->pdata[0]);
  GString *names = array_new ();
  GHashTableIter iter;
  gpointer table;
  for (g_hash_table_iter_init (&iter, lose); g_hash_table_iter_next (&iter, &table, NULL);)
    array_add (names, ((const CatTable *)table)->name);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", array_take (names));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "new_below.sql", values, error);
  new->below = rows != NULL ? rows_int (rows, 0, "rows") : 0;
  return rows != NULL;
}

/* Counts the rows of a small table. What fails leaves the estimates as they are. */
static void
count (New *new, Pg *pg)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  g_autofree char *where = sql_text_at (new->sentence->where, "pg_catalog.now()");
  g_autofree char *text = g_strdup_printf (
      "SELECT (SELECT count(*) FROM %s) AS rows, (SELECT count(*) FROM %s WHERE (%s)) AS matching",
      table->name, table->name, where);
  const PgStatement *statement = pg_statement_text ("the count", text, NULL);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (pg, statement, NULL, NULL) : NULL;
  new->counted = rows != NULL;
  if (rows == NULL)
    return;
  new->rows = rows_int (rows, 0, "rows");
  new->matching = rows_int (rows, 0, "matching");
}

/* A row to which others refer stays: it would block, and only its owner knows whether these are
 * parts of it, or hold it. */
static gboolean
keep_referred (New *new, Pg *pg, GError **error)
{
  g_autofree char *unless = new_unless_referred (new), *where = new->sentence->where;
  if (*unless == '\0') {
    new->sentence->where = g_steal_pointer (&where);
    return TRUE;
  }
  new->sentence->where = new->by == NEW_GIVEN ? g_strdup_printf ("(%s)%s", where, unless)
                                              : g_strconcat (where, unless, NULL);
  g_autoptr (json_t) plan
      = pg_exec (pg, "SET LOCAL enable_seqscan = on", error) ? plan_of (new, pg, error) : NULL;
  new->matching = json_integer_value (json_object_get (plan, "Plan Rows"));
  return plan != NULL;
}

gboolean
new_look (New *new, Pg *pg, GError **error)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  if (new->column == NULL)
    new->column = first_column (table, new->sentence->where, TRUE);
  if (new->column == NULL)
    new->column = first_column (table, new->sentence->where, FALSE);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", table->name);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "new_table.sql", values, error);
  g_autoptr (json_t) plan = rows != NULL ? plan_of (new, pg, error) : NULL;
  /* A small table is read as a whole even if an index serves. */
  g_autoptr (json_t) other = plan != NULL && pg_exec (pg, "SET LOCAL enable_seqscan = off", error)
                                 ? plan_of (new, pg, error)
                                 : NULL;
  if (other == NULL || !look_below (new, pg, error))
    return FALSE;
  g_autoptr (GHashTable) indexes = indexes_of (rows);
  new->rows = rows_int (rows, 0, "rows");
  new->most = rows_int (rows, 0, "bytes") / LEAST_ROW_BYTES;
  new->matching = json_integer_value (json_object_get (plan, "Plan Rows"));
  new->index = g_strdup (index_of (other, indexes));
  new->all = new->index == NULL && !asks (plan);
  if (!new->all && !keep_referred (new, pg, error))
    return FALSE;
  if (new->rows < 0 && new->most <= COUNT_MOST)
    count (new, pg);
  return TRUE;
}
