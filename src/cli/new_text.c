#include "base/spoken.h"
#include "cli/new.h"

#include <string.h>

#define LEAST_MAX_ROWS 1000

/* A line that begins with `#`; it stays one line whatever names are in it. */
static void remark (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);
static void
remark (GString *text, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *line = g_strdup_vprintf (format, args);
  va_end (args);
  for (char *p = line; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  g_string_append_printf (text, "# %s\n", line);
}

static char *
columns_of (const GPtrArray *columns, gboolean types)
{
  GString *list = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    const CatColumn *column = columns->pdata[i];
    g_string_append_printf (list, "%s%s%s%s", i > 0 ? ", " : "", column->quoted, types ? " " : "",
                            types ? column->type : "");
  }
  return g_string_free (list, FALSE);
}

/* NULL: nobody knows which. */
static char *
index_command (const New *new)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  if (new->column == NULL)
    return NULL;
  /* PostgreSQL makes none of a partitioned table concurrently. */
  return g_strdup_printf ("CREATE INDEX %sON %s (%s)", table->kind == 'p' ? "" : "CONCURRENTLY ",
                          table->name, new->column->quoted);
}

static void
add_rows (GString *text, const New *new)
{
  g_autofree char *matching = spoken_number (new->matching),
                  *rows = new->rows >= 0 ? spoken_number (new->rows) : NULL;
  if (new->counted)
    remark (text, "Rows: %s match today, of %s: counted, since it has no statistics; run ANALYZE.",
            matching, rows);
  else
    remark (text, "Rows: about %s match today, of %s%s. PostgreSQL estimates this; a plan counts.",
            matching, rows != NULL ? "about " : "a table without statistics: run ANALYZE",
            rows != NULL ? rows : "");
  if (new->rows > 0 && new->matching * 10 >= new->rows * 9)
    remark (text, "That is nearly all of the table: is it meant?");
}

static void
add_where (GString *text, const New *new)
{
  if (new->by == NEW_BY_END)
    remark (text, "Proposed, since there is a column %s: decide which rows go, and when.",
            new->column->quoted);
  if (new->by == NEW_BY_AGE)
    remark (text,
            "Proposed. %s only says how old a row is: decide whether nobody needs it after a year.",
            new->column->quoted);
  if (new->by != NEW_GIVEN && !new->column->notnull)
    remark (text, "A row without %s stays.", new->column->quoted);
  add_rows (text, new);
  g_autofree char *make = index_command (new);
  if (new->index != NULL)
    remark (text, "Index: %s finds these rows.", new->index);
  else if (make != NULL)
    remark (text, "Index: none finds these rows. On a large table make one: %s", make);
  else
    remark (text, "Index: none finds these rows, each run reads the whole table.");
  g_string_append_printf (text, "where = %s\n", new->sentence->where);
}

/* Those of the foreign keys that do as ACTIONS (pg_constraint.confdeltype). */
static void
add_keys (GString *text, const New *new, const char *actions, const char *what)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < new->catalogue->keys->len; i++) {
    const CatKey *key = new->catalogue->keys->pdata[i];
    if (strchr (actions, key->deltype) == NULL || !new_goes_with (new, key))
      continue;
    g_autofree char *columns = columns_of (key->from, FALSE);
    g_string_append_printf (list, "%s%s (%s)", list->len > 0 ? ", " : "", key->child->name,
                            columns);
  }
  if (list->len > 0)
    remark (text, "%s: %s", what, list->str);
}

static void
add_children (GString *text, const New *new)
{
  add_keys (text, new, "ar", "These rows refer to rows that go, and would block them");
  if (new->children != NULL) {
    remark (
        text,
        "So the condition lets such a row stay: they may hold it, as an order to keep it does.");
    remark (text, "Where they are parts of it, take that condition away, and they go first with%s:",
            g_str_equal (new->children, "auto")
                ? " (rows of the table itself that are below it, too)"
                : "");
    remark (text, "children = %s", new->children);
  }
  add_keys (text, new, "c", "Go as well, by ON DELETE CASCADE");
  add_keys (text, new, "nd", "Are emptied, by ON DELETE SET NULL or SET DEFAULT");
}

static void
add_partitions (GString *text, const CatTable *table)
{
  remark (text,
          "Proposed, since %s is partitioned by a time: whole partitions go, never row by row.",
          table->name);
  remark (text, "One goes when its upper bound is older than this: decide when nobody needs it.");
  g_string_append (text, "drop_partitions_older_than = " NEW_OLDER_THAN "\n");
  remark (text,
          "Only an owner drops partitions: the daemon's role needs the rights of the table's.");
  g_string_append (text, "schedule = 30 3 * * *\n");
}

/* The first column of the key of an object is proposed by itself. */
static void
add_outside (GString *text, const New *new)
{
  for (int i = 0; i < rows_count (new->outside); i++)
    if (new->object == NULL
        || !g_str_equal (rows_text (new->outside, i, "name"), new->object->name))
      remark (text, "%s.", rows_text (new->outside, i, "detail"));
}

static void
add_object (GString *text, const New *new)
{
  if (new->object == NULL)
    return;
  remark (text,
          "%s looks like the key of a file in S3. If it is one, let the file go before the row:",
          new->object->quoted);
  remark (text, "object = s3:%s column %s", *new->bucket != '\0' ? new->bucket : "BUCKET",
          new->object->quoted);
}

static void
add_rest (GString *text, const New *new)
{
  add_where (text, new);
  if (new->by_time)
    remark (text, "Old partitions can go as a whole instead, without `where` and `max_rows`:"
                  " drop_partitions_older_than = " NEW_OLDER_THAN);
  add_object (text, new);
  add_outside (text, new);
  add_children (text, new);
  g_string_append (text, "schedule = 30 3 * * *\n");
  remark (text, "About twice what matches today%s, and at least %d: a run of more is held.",
          new->below > 0 ? ", with the rows of other tables that go with it" : "", LEAST_MAX_ROWS);
  const gint64 rows = new->rows >= 0 ? new->rows : new->most;
  const double each = 1 + (double)new->below / (double)MAX (1, rows);
  g_string_append_printf (text, "max_rows = %" G_GINT64_FORMAT "\n",
                          MAX (LEAST_MAX_ROWS, (gint64)((double)new->matching * 2 * each)));
}

char *
new_text (const New *new)
{
  const CatTable *table = new->catalogue->tables->pdata[0];
  GString *text = g_string_new (NULL);
  g_autofree char *key = columns_of (table->key, TRUE);
  remark (text, "A first version. Read each line, then `pruned check %s` and `pruned plan %s`;",
          new->job, new->job);
  remark (text, "then say `enabled = true`. The first run waits for `pruned approve`.");
  g_string_append_printf (text, "[retention %s]\nenabled = false\napprove = first\n", new->job);
  if (table->key->len > 0)
    remark (text, "Key: %s", key);
  g_string_append_printf (text, "table = %s\n", table->name);
  if (new->unrecorded != NULL)
    remark (text,
            "Look like secrets and are not recorded, so a restore lacks them: %s. "
            "`record = COLUMN` records one that is none.",
            new->unrecorded);
  if (new->by == NEW_BY_PARTITIONS)
    add_partitions (text, table);
  else
    add_rest (text, new);
  return g_string_free (text, FALSE);
}
