#include "engine/job/sentence/sentence_partitions.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/words.h"

#define SQL "src/engine/job/sentence/sql/"

/* Types of the column that partitions are made by, and the upper bound (a text) as a time. */
static const struct {
  const char *type, *upper_at;
} TYPES[] = {
  { "date", "(b.upper::pg_catalog.timestamp AT TIME ZONE 'UTC')" },
  { "timestamp without time zone", "(b.upper::pg_catalog.timestamp AT TIME ZONE 'UTC')" },
  { "timestamp with time zone", "b.upper::pg_catalog.timestamptz" },
};

static const char *
upper_at_of (const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (TYPES); i++)
    if (g_strcmp0 (type, TYPES[i].type) == 0)
      return TYPES[i].upper_at;
  return NULL;
}

static char *
refusal_of (const char *asked, const PgRows *rows)
{
  const char *name = rows_text (rows, 0, "name"), *strategy = rows_text (rows, 0, "strategy"),
             *type = rows_text (rows, 0, "type"), *referenced = rows_text (rows, 0, "referenced");
  if (name == NULL)
    return g_strdup_printf ("there is no table %s", asked);
  if (rows_bool (rows, 0, "ours"))
    return g_strdup_printf ("%s is a table of the database or of pruned itself", name);
  if (strategy == NULL)
    return g_strdup_printf ("%s is not partitioned: let `where` say which of its rows go", name);
  if (*strategy != 'r')
    return g_strdup_printf ("%s is partitioned by %s: only partitions by range of time grow old",
                            name, *strategy == 'l' ? "list" : "hash");
  if (rows_int (rows, 0, "columns") != 1)
    return g_strdup_printf ("%s is partitioned by several columns: one date or time is needed",
                            name);
  if (type == NULL)
    return g_strdup_printf ("%s is partitioned by an expression: a column is needed", name);
  if (upper_at_of (type) == NULL)
    return g_strdup_printf ("%s is partitioned by a column of type %s: date, timestamp or"
                            " timestamptz is needed",
                            name, type);
  if (referenced != NULL)
    return g_strdup_printf ("%s refers to %s by a foreign key: its rows would be left without"
                            " theirs",
                            referenced, name);
  return NULL;
}

static Words *
words_of (const Sentence *sentence, const PgRows *rows)
{
  Words *words = words_new ();
  words_set (words, "table", rows_text (rows, 0, "name"));
  words_set (words, "relation", rows_text (rows, 0, "literal"));
  words_set (words, "age", sentence->older_than);
  words_set (words, "upper_at", upper_at_of (rows_text (rows, 0, "type")));
  words_take (words, "due", words_fill (words, "partitions_due"));
  return words;
}

static void
add_effect (Written *written, Words *words, const char *path, const char *table, char action,
            const char *file)
{
  WrittenFile *one = g_new0 (WrittenFile, 1);
  *one = (WrittenFile){ .path = g_strdup (path),
                        .table = g_strdup (table),
                        .action = action,
                        .text = words_fill (words, file) };
  g_ptr_array_add (written->files, one);
}

static Written *
write_files (const Sentence *sentence, const PgRows *rows)
{
  g_autoptr (Words) words = words_of (sentence, rows);
  Written *written = written_new ();
  const char *name = rows_text (rows, 0, "name");
  g_autofree char *drop = g_strdup_printf ("apply/removed/020-%s", name);
  written->word = "removed";
  written_add (written, g_strdup ("page"), NULL, 0, words_fill (words, "partitions_page"));
  written_add (written, g_strdup ("decide"), NULL, 0, words_fill (words, "partitions_decide"));
  written_add (written, g_strdup ("values"), NULL, 0, words_fill (words, "partitions_values"));
  add_effect (written, words, "apply/removed/010-partitions.insert", "pruned.partitions", 'i',
              "partitions_begin");
  add_effect (written, words, drop, name, 'd', "partitions_drop");
  written_add (written, g_strdup (WRITTEN_SHOWN), NULL, 0, words_fill (words, "partitions_detach"));
  g_ptr_array_add (written->tables, g_strdup (name));
  written_add_cursor (written, "timestamptz", NULL, NULL);
  written_add_cursor (written, "int8", NULL, NULL);
  return written;
}

Written *
sentence_partitions_write (Pg *pg, const Sentence *sentence, char **refusal, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", sentence->table);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "sentence_partitions.sql", values, error);
  if (rows == NULL || (*refusal = refusal_of (sentence->table, rows)) != NULL)
    return NULL;
  return write_files (sentence, rows);
}
