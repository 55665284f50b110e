/* Length: each key of a sentence becomes words, and all words together its files. */
#include "engine/job/sentence/sentence_write.h"

#include "base/resource.h"
#include "engine/job/job_files.h"
#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/list.h"
#include "engine/job/sentence/words.h"
#include "engine/job/sentence/sentence_below.h"
#include "engine/job/sentence/sentence_by.h"
#include "engine/job/sentence/sentence_check.h"
#include "engine/job/sentence/sentence_key.h"
#include "engine/job/sentence/sentence_portion.h"
#include "engine/job/sentence/sentence_remember.h"
#include "engine/job/sentence/sentence_set.h"
#include "engine/job/sentence/sql_clock.h"
#include "engine/job/sentence/sql_text.h"

#include <string.h>

typedef struct {
  const Sentence *sentence;
  const Catalogue *catalogue;
  const CatTable *table;
  Words *words;
  Written *written;
} Writer;

/* --- pieces --- */

/* --- keep --- */

/* `seen_at desc` -> `seen_at desc NULLS LAST`: what has no place in the order is the oldest. */
static char *
order_of (const Sentence *sentence, const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (char **by = sentence->keep.by; by != NULL && *by != NULL; by++)
    list_add (out, ", ", "%s NULLS LAST", *by);
  for (guint i = 0; i < table->key->len; i++)
    list_add (out, ", ", "%s.%s", table->own, ((CatColumn *)table->key->pdata[i])->quoted);
  return g_string_free (out, FALSE);
}

/* A condition on a row of TABLE for which WHERE holds: it is not among those of its group that
 * stay. FROM: the rows of the group are among these. The outer row is passed in under other names,
 * because WHERE knows the table by its own. */
static char *
sentence_keep_beyond (const Sentence *sentence, const CatTable *table, const char *from,
                      const char *where)
{
  g_autoptr (GString) known = g_string_new (NULL), group = g_string_new (NULL),
                      outer = g_string_new (NULL), same = g_string_new (NULL);
  g_autofree char *keys = list_named (table->own, table->key), *order = order_of (sentence, table);
  g_string_append (outer, keys);
  for (char **per = sentence->keep.per; per != NULL && *per != NULL; per++) {
    const CatColumn *column = catalogue_column (table, *per);
    const char *quoted = column->quoted;
    g_string_append_printf (known, "%s.%s IS NOT NULL AND ", table->own, quoted);
    g_string_append_printf (group, " AND %s.%s %s pruned_g.pruned_per_%u", table->own, quoted,
                            catalogue_sign (column, CAT_EQUAL), (guint)(per - sentence->keep.per));
    list_add (outer, ", ", "%s.%s AS pruned_per_%u", table->own, quoted,
              (guint)(per - sentence->keep.per));
  }
  for (guint i = 1; i <= table->key->len; i++)
    list_add (same, " AND ", "pruned_s.pruned_%u %s pruned_g.pruned_%u", i,
              catalogue_sign (table->key->pdata[i - 1], CAT_EQUAL), i);
  return g_strdup_printf (
      "%s(SELECT NOT EXISTS (SELECT FROM (SELECT %s FROM %s WHERE (%s)%s ORDER BY %s LIMIT %" G_GINT64_FORMAT
      ") AS pruned_s WHERE %s) FROM (SELECT %s) AS pruned_g)",
      known->str, keys, from, where, group->str, order, sentence->keep.rows, same->str, outer->str);
}

static void
set_due (Writer *writer)
{
  g_autofree char *where = writer->sentence->where != NULL
                               ? sql_text_at (writer->sentence->where, SENTENCE_TIME)
                               : g_strdup ("true");
  words_set (writer->words, "where", where);
  if (writer->sentence->keep.rows > 0) {
    g_autofree char *beyond
        = sentence_keep_beyond (writer->sentence, writer->table, writer->table->name, where);
    words_take (writer->words, "due", g_strdup_printf ("(%s) AND %s", where, beyond));
  } else
    words_set (writer->words, "due", where);
  if (writer->sentence->again) {
    g_autofree char *again = sentence_again_due (writer->sentence, writer->table);
    words_take (writer->words, "due", g_strdup_printf ("(%s) AND %s", where, again));
    words_set (writer->words, "where", "false"); /* no row stays because of `keep` */
  }
}

/* The word NAME: how the key of a row lies to the VALUES (SIGN). */
static void
set_compared (Writer *writer, const char *name, CatSign sign, const GPtrArray *values)
{
  const CatTable *table = writer->table;
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func (g_free);
  g_autofree ListValue *pairs = g_new0 (ListValue, table->key->len);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_ptr_array_add (own, g_strdup_printf ("%s.%s", table->own, column->quoted));
    pairs[i] = (ListValue){ own->pdata[i], values->pdata[i] };
  }
  words_take (writer->words, name, list_compare (table->key, sign, pairs));
}

/* Rows that an event names by columns: a page has all of them, and each decision asks again whether
 * the row is one. */
static void
set_by (Writer *writer)
{
  g_autofree char *by = sentence_by_condition (writer->sentence, writer->table);
  const char *due = g_hash_table_lookup (writer->words, "due");
  words_set (writer->words, "found", by != NULL ? by : due);
  words_take (writer->words, "by", by != NULL ? g_strdup_printf (" AND %s", by) : g_strdup (""));
  if (by != NULL)
    words_take (writer->words, "due", g_strdup_printf ("(%s) AND (%s)", by, due));
  if (writer->sentence->again) {
    g_autofree char *again = sentence_again_found (writer->table);
    words_take (writer->words, "found", g_strdup_printf ("%s AND (%s)", again, due));
  }
}

/* Pages: the first begins at the first row, since no value comes before every other of any type. */
static void
set_page (Writer *writer)
{
  const CatTable *table = writer->table;
  g_autoptr (GString) cursor = g_string_new (NULL), order = g_string_new (NULL);
  g_autoptr (GPtrArray) from = g_ptr_array_new_with_free_func (g_free),
                        after = g_ptr_array_new_with_free_func (g_free),
                        until = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < table->key->len; i++)
    list_add (order, ", ", "%s.%s", table->own, ((CatColumn *)table->key->pdata[i])->quoted);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    list_add (cursor, ", ", "%s.%s AS k%u", table->own, column->quoted, i + 1);
    g_ptr_array_add (after, g_strdup_printf (":cursor.k%u::%s", i + 1, column->type));
    g_ptr_array_add (until, g_strdup_printf (":until.k%u::%s", i + 1, column->type));
    g_ptr_array_add (
        from,
        g_strdup_printf ("coalesce(:cursor.k%u::%s, (SELECT %s.%s FROM %s ORDER BY %s LIMIT 1))",
                         i + 1, column->type, table->own, column->quoted, table->name, order->str));
  }
  set_compared (writer, "from", CAT_AT_LEAST, from);
  set_compared (writer, "after", CAT_GREATER, after);
  set_compared (writer, "until", CAT_AT_MOST, until);
  words_set (writer->words, "cursor", cursor->str);
  words_set (writer->words, "order", order->str);
  const char *type = ((CatColumn *)table->key->pdata[0])->type;
  words_take (writer->words, "begins", g_strdup_printf (":cursor.k1::%s IS NULL", type));
  words_take (writer->words, "endless", g_strdup_printf (":until.k1::%s IS NULL", type));
}

/* The rows of a statement go into the archive by the statement itself. */
static void
set_archive (Writer *writer)
{
  words_set (writer->words, "archive_then", "");
  if (writer->sentence->kind != SENTENCE_ARCHIVE)
    return;
  const CatTable *archive = catalogue_asked (writer->catalogue, writer->sentence->archive);
  g_autoptr (GString) columns = g_string_new (NULL), values = g_string_new (NULL),
                      same = g_string_new (NULL);
  for (guint i = 0; i < writer->table->columns->len; i++) {
    const CatColumn *column = writer->table->columns->pdata[i];
    const CatColumn *there = catalogue_column (archive, column->quoted);
    if (there->made)
      continue;
    list_add (columns, ", ", "%s", column->quoted);
    list_add (values, ", ", "(pruned_a.pruned_record).%s", column->quoted);
    list_add (same, " AND ", "pruned_a.%s::text IS NOT DISTINCT FROM pruned_t.%s::%s::text",
              column->quoted, column->quoted, there->declared);
  }
  words_set (writer->words, "archive", archive->name);
  words_set (writer->words, "archive_columns", columns->str);
  words_set (writer->words, "archive_values", values->str);
  words_set (writer->words, "archive_same", same->str);
  words_take (writer->words, "archive_match",
              list_equal_there ("pruned_a", archive, writer->table->key, "pruned_k"));
  words_take (writer->words, "archive_back",
              list_equal ("pruned_t", writer->table->key, "pruned_k"));
  words_take (
      writer->words, "record",
      g_strdup_printf (", (%s.*)::%s AS pruned_record", writer->table->own, writer->table->whole));
  words_take (writer->words, "archive_then", words_fill (writer->words, "archive"));
}

/* A row goes only if its object is surely gone (`:objects`), or another row that stays names the
 * same (`:shared`). `:going`: the rows that were chosen when the objects were. A plan and a trial
 * before any object has gone have no `:objects`. */
static void
set_object (Writer *writer)
{
  if (writer->sentence->object_column == NULL)
    return;
  const CatTable *table = writer->table;
  const CatColumn *named = catalogue_column (table, writer->sentence->object_column);
  const char *own = table->own, *object = named->quoted;
  g_autofree char *going = sentence_key_rows (table, "going"),
                  *same = list_equal ("pruned_t", table->key, "pruned_k");
  g_autoptr (GString) itself = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    list_add (itself, " AND ", "pruned_t.%s %s %s.%s", column->quoted,
              catalogue_sign (column, CAT_EQUAL), own, column->quoted);
  }
  char *shared = g_strdup_printf (
      "EXISTS (SELECT FROM %s AS pruned_t WHERE pruned_t.%s %s %s.%s AND NOT (%s)"
      " AND NOT EXISTS (SELECT FROM %s WHERE %s))",
      table->name, object, catalogue_sign (named, CAT_EQUAL), own, object, itself->str, going,
      same);
  words_take (
      writer->words, "free",
      g_strdup_printf (
          ":objects::text[] IS NULL OR pruned_k.pruned_key = ANY (:going::text[]) AND (%s.%s IS NULL"
          " OR (%s.%s)::text COLLATE \"C\" = ANY (:objects::text[])"
          " OR (%s.%s)::text COLLATE \"C\" = ANY (:shared::text[]) AND %s)",
          own, object, own, object, own, object, shared));
  words_set (writer->words, "object", object);
  words_take (writer->words, "object_text", list_literal (named->name));
  words_take (writer->words, "going", g_steal_pointer (&going));
  words_take (writer->words, "shared", shared);
}

/* A row goes only as a file of the archive has it (`:archived`: digests by key). A plan, and a
 * trial before there is a file, have no `:archived`. */
static void
set_files (Writer *writer)
{
  if (writer->sentence->archive_place == NULL)
    return;
  g_autofree char *whole = list_whole (writer->table);
  words_take (writer->words, "digest",
              g_strdup_printf ("pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to((%s)::"
                               "pg_catalog.text, 'UTF8')), 'hex')",
                               whole));
  words_take (writer->words, "free",
              g_strdup_printf (":archived::jsonb IS NULL OR :archived::jsonb ->> "
                               "pruned_k.pruned_key OPERATOR(pg_catalog.=) %s",
                               (char *)g_hash_table_lookup (writer->words, "digest")));
  words_take (writer->words, "going", sentence_key_rows (writer->table, "going"));
  words_take (writer->words, "whole", g_steal_pointer (&whole));
}

/* A trigger of the own table can set a column back, or put a row in again: what it leaves is asked
 * once all files have run. */
static void
set_remains (Writer *writer)
{
  words_set (writer->words, "before", "");
  words_set (writer->words, "before_there", "");
  words_set (writer->words, "again_due", g_hash_table_lookup (writer->words, "due"));
  if (writer->sentence->kind != SENTENCE_SET || !writer->table->answers)
    return;
  g_autofree char *before = sentence_set_before (writer->sentence, writer->catalogue);
  words_set (writer->words, "before", ",\n       pruned_r.pruned_before AS before");
  words_take (writer->words, "before_there",
              g_strdup_printf (",\n         %s AS pruned_before", before));
  words_take (writer->words, "stays",
              sentence_set_stays (writer->sentence, writer->catalogue,
                                  "(:before::text[])[pruned_k.pruned_pos]::jsonb"));
}

static void
set_words (Writer *writer)
{
  const CatTable *table = writer->table;
  words_set (writer->words, "table", table->name);
  words_set (writer->words, "own", table->own);
  words_set (writer->words, "word", writer->written->word);
  words_set (writer->words, "record", "");
  words_take (writer->words, "keys", sentence_key_rows (table, "key"));
  words_take (writer->words, "held", sentence_key_rows (table, "held"));
  words_take (writer->words, "match", list_equal (table->own, table->key, "pruned_k"));
  words_take (writer->words, "key", list_key (table));
  /* What a file gets of a page is weighed, however little the audit has of it. */
  words_take (writer->words, "row",
              writer->sentence->archive_place != NULL ? list_whole (table)
                                                      : list_row (table, writer->sentence));
  words_take (writer->words, "table_text", list_literal (table->name));
  set_due (writer);
  set_by (writer);
  set_page (writer);
  set_archive (writer);
  set_object (writer);
  set_files (writer);
  words_take (writer->words, "spared", sentence_set_spared (writer->sentence, writer->catalogue));
  set_remains (writer);
}

/* --- files --- */

static void
add (Writer *writer, const char *path, const char *file)
{
  written_add (writer->written, g_strdup (path), NULL, 0, words_fill (writer->words, file));
}

/* A row goes after something that is done without a transaction: its object, or a file of it. */
static gboolean
waits (const Sentence *sentence)
{
  return sentence->object_column != NULL || sentence->archive_place != NULL;
}

/* The rows of the own table, last. They are locked if a file before has emptied something of them;
 * then the condition is not asked again. */
static void
add_removal (Writer *writer, const Below *below)
{
  if (below_empties_own (below))
    words_set (writer->words, "due", "true");
  words_take (writer->words, "due",
              below_without_rest (below, g_hash_table_lookup (writer->words, "due")));
  /* What goes or is emptied below a row can change it. What the file has was compared under its
   * lock. */
  if (writer->sentence->object_column != NULL
      || (writer->sentence->archive_place != NULL && below_is_empty (below)))
    words_take (writer->words, "due",
                g_strdup_printf ("((%s) IS TRUE) AND (%s)",
                                 (char *)g_hash_table_lookup (writer->words, "due"),
                                 (char *)g_hash_table_lookup (writer->words, "free")));
  if (writer->sentence->first != NULL)
    written_add_insert (writer->written, "apply/removed/001-first.insert",
                        resource_sql (writer->sentence->first, NULL));
  g_autofree char *first = words_fill (writer->words, "delete");
  const char *then = writer->sentence->archive_place != NULL
                         ? JOB_FILES_IN_FILE
                         : g_hash_table_lookup (writer->words, "archive_then");
  char *path = g_strdup_printf ("apply/removed/%03u-%s", (writer->written->files->len + 1) * 10,
                                writer->table->name);
  written_add (writer->written, path, writer->table, 'd', g_strconcat (first, then, NULL));
  if (writer->sentence->kind == SENTENCE_ARCHIVE) {
    g_autofree char *restored = g_strdup_printf ("restored/%s", writer->table->name);
    add (writer, restored, "restored");
  }
}

/* Rows of children go first: a row whose children are left, perhaps because a trigger keeps them,
 * is not changed. */
static void
set_children (Writer *writer, const Below *below)
{
  g_autofree char *referred = below_is_referred (below);
  const char *spared = g_hash_table_lookup (writer->words, "spared"),
             *due = g_hash_table_lookup (writer->words, "due");
  if (writer->sentence->kind != SENTENCE_SET || g_str_equal (referred, "false"))
    return;
  words_take (writer->words, "spared",
              g_strdup_printf ("CASE WHEN NOT (%s) THEN %s END", referred, spared));
  words_take (writer->words, "rest", g_strdup_printf ("(%s) AND NOT (%s)", due, referred));
}

static void
add_change (Writer *writer)
{
  const char *rest = g_hash_table_lookup (writer->words, "rest");
  if (rest != NULL)
    words_set (writer->words, "due", rest);
  words_take (writer->words, "set", sentence_set_list (writer->sentence, writer->table));
  words_take (writer->words, "old", list_named (writer->table->own, writer->table->key));
  words_take (writer->words, "same",
              list_equal (writer->table->own, writer->table->key, "pruned_o"));
  char *path = g_strdup_printf ("apply/changed/%03u-%s.update",
                                (writer->written->files->len + 1) * 10, writer->table->name);
  written_add (writer->written, path, writer->table, 'u', words_fill (writer->words, "set"));
}

static void
add_event_key (Writer *writer)
{
  if (writer->sentence->by != NULL) {
    sentence_by_set_words (writer->sentence, writer->table, writer->words);
    add (writer, "event_key", "event_rows");
    return;
  }
  words_take (writer->words, "event_parts", sentence_key_parts (writer->table));
  words_take (writer->words, "event_key", sentence_key_written (writer->table));
  words_take (writer->words, "event_exact", sentence_key_is_exact (writer->table));
  words_take (writer->words, "event_matches", sentence_key_matches (writer->table));
  add (writer, "event_key",
       sentence_key_has_several_texts (writer->table) ? "event_row" : "event_key");
  add (writer, "named", "named");
}

static void
add_again (Writer *writer)
{
  g_autofree char *born = sentence_born (writer->sentence, writer->table);
  words_take (writer->words, "older",
              born != NULL
                  ? g_strdup_printf ("%s < (:erased_at::timestamptz[])[pruned_k.pruned_pos]", born)
                  : g_strdup ("true"));
  add (writer, "again", "again");
}

/* A statement that has waited for a row asks the condition again for that row, but sees the other
 * rows as they were when it began. So the rows are locked by a statement before. (As they are where
 * a trigger of a row can set what the condition of the next one depends on.) */
static gboolean
reads_other_rows (const Sentence *sentence)
{
  return sentence->keep.rows > 0
         || (sentence->where != NULL && sql_text_reads_rows (sentence->where));
}

/* --- what makes rows due --- */

/* Whether the expression TEXT has the name QUOTED as a word of its own. */
static gboolean
names (const char *text, const char *quoted)
{
  g_autofree char *escaped = g_regex_escape_string (quoted, -1),
                  *pattern = g_strdup_printf ("(?<![\\w\"'$])%s(?![\\w\"'$(])", escaped);
  return g_regex_match_simple (pattern, text, G_REGEX_CASELESS, 0);
}

/* What `due` says, else the only column with a time or a date that the condition names, else the
 * only one that it names. NULL: there are none, or several. */
static const CatColumn *
sentence_due_column (const Sentence *sentence, const CatTable *table)
{
  const CatColumn *time = NULL, *any = NULL;
  guint times = 0, all = 0;
  if (sentence->due != NULL)
    return catalogue_column (table, sentence->due);
  for (guint i = 0; sentence->where != NULL && i < table->columns->len; i++) {
    const CatColumn *column = table->columns->pdata[i];
    if (!names (sentence->where, column->quoted))
      continue;
    all++;
    any = column;
    if (g_str_has_prefix (column->type, "timestamp") || g_str_equal (column->type, "date")) {
      times++;
      time = column;
    }
  }
  return times == 1 ? time : times == 0 && all == 1 ? any : NULL;
}

static void
add_values (Writer *writer)
{
  const CatColumn *column = sentence_due_column (writer->sentence, writer->table);
  if (column == NULL)
    return;
  words_set (writer->words, "due_column", column->quoted);
  writer->written->due = g_strdup (column->name);
  add (writer, "values", "values");
}

/* The pages of a sentence whose condition fails for a row: a search for rows by it fails as a
 * whole, while decide.sql asks about each row by itself. Rows in quarantine are known to be such.
 * As long as there are no others, only they are asked by themselves. */

/* With `keep` a decision asks the other rows of the group, too. Pages of rows that an event names
 * do not ask the condition. */
static gboolean
stands_alone (const Sentence *sentence)
{
  return sentence->where != NULL && sentence->keep.rows == 0 && sentence->by == NULL;
}

/* The page with CONDITION instead of the sentence's. */
static char *
page_with (Words *words, const char *condition)
{
  g_autofree char *found = g_strdup (g_hash_table_lookup (words, "found"));
  words_set (words, "found", condition);
  char *page = words_fill (words, "page");
  words_set (words, "found", found);
  return page;
}

/* The page of SENTENCE with its rows in quarantine, and with those of the others that its condition
 * names. NULL: as below. */
static char *
all_rows_known (const Sentence *sentence, Words *words)
{
  if (!stands_alone (sentence))
    return NULL;
  g_autofree char *known = words_fill (words, "known");
  return page_with (words, known);
}

/* The page of SENTENCE with all rows of its table, from the WORDS of its other files. NULL: a row
 * cannot be decided about by itself. */
static char *
all_rows_page (const Sentence *sentence, Words *words)
{
  return stands_alone (sentence) ? page_with (words, "true") : NULL;
}

/* The condition says of a row as it is the same at any time. */
static gboolean
lasts (const Sentence *sentence)
{
  g_auto (GStrv) clock = sentence->where != NULL ? sql_clock_words (sentence->where) : NULL;
  return sentence->where == NULL || (!sql_text_reads_rows (sentence->where) && clock[0] == NULL);
}

/* That the event of a run names the row. A run of a tick has none, and a key that can be written in
 * several ways may be as it was sent. */
static char *
asked_of (const Writer *writer)
{
  g_autofree char *by = sentence_by_condition (writer->sentence, writer->table);
  gboolean several = FALSE;
  for (guint i = 0; i < writer->table->key->len; i++)
    several |= ((const CatColumn *)writer->table->key->pdata[i])->several;
  if (by != NULL)
    return g_strdup_printf ("NOT :args::jsonb ? 'rows' OR %s", by);
  if (writer->sentence->on[0] == NULL || several)
    return g_strdup ("true");
  return g_strdup_printf ("NOT :args::jsonb ? 'key' OR :args::jsonb ? 'parts' OR (%s)::text = "
                          ":args::jsonb ->> 'key'",
                          (const char *)g_hash_table_lookup (writer->words, "key"));
}

/* That `keep` did not spare a row that has gone: were it there again, it would not be among those
 * of its group that stay. */
static char *
beyond_again (const Writer *writer)
{
  const CatTable *table = writer->table;
  if (writer->sentence->keep.rows == 0)
    return g_strdup ("true");
  g_autofree char *from = g_strdup_printf (
      "(SELECT * FROM %s UNION ALL SELECT (pruned_r.pruned_row).*) AS %s", table->name, table->own);
  return sentence_keep_beyond (writer->sentence, table, from,
                               g_hash_table_lookup (writer->words, "where"));
}

/* Asks the condition again of rows that have gone. What it reads of other rows, it reads as they
 * are then. */
static char *
reading_of (Writer *writer)
{
  words_take (writer->words, "beyond", beyond_again (writer));
  words_take (writer->words, "asked", asked_of (writer));
  words_set (writer->words, "sure", lasts (writer->sentence) ? "true" : "false");
  return words_fill (writer->words, "reading");
}

/* Rows that the condition names and that are still there. NULL: what it said of a row while the run
 * went on may differ from what it says now, or a row may stay for other reasons. */
static char *
left_of (Writer *writer)
{
  const Sentence *sentence = writer->sentence;
  return stands_alone (sentence) && lasts (sentence) && sentence->on[0] == NULL && !sentence->again
                 && (sentence->kind == SENTENCE_DELETE || sentence->kind == SENTENCE_ARCHIVE)
             ? words_fill (writer->words, "left")
             : NULL;
}

static void
add_files (Writer *writer, const Below *below)
{
  g_autofree char *lock = g_strdup_printf ("lock/005-%s", writer->table->name);
  gboolean later = waits (writer->sentence),
           all = writer->sentence->kind == SENTENCE_SET || later || !below_is_empty (below)
                 || writer->table->stirs || reads_other_rows (writer->sentence);
  below_set_plan (below);
  set_children (writer, below);
  sentence_portion_set_reason (below);
  add (writer, "page", "page");
  writer->written->known_rows = all_rows_known (writer->sentence, writer->words);
  writer->written->all_rows = all_rows_page (writer->sentence, writer->words);
  add (writer, "decide", later ? "decide_later" : "decide");
  add_values (writer);
  if (later)
    add (writer, "objects", writer->sentence->archive_place != NULL ? "lines" : "objects");
  if (writer->sentence->object_column != NULL)
    add (writer, "lock/000-objects", "lock_objects");
  if (writer->sentence->on[0] != NULL)
    add_event_key (writer);
  if (writer->sentence->remember_days > 0)
    add_again (writer);
  add (writer, lock, all ? "lock" : "held");
  below_write_locks (below, writer->written);
  sentence_portion_write (below, writer->written);
  below_write_effects (below, writer->written);
  if (writer->sentence->kind == SENTENCE_SET)
    add_change (writer);
  else
    add_removal (writer, below);
  if (writer->table->answers)
    add (writer, "remains", writer->sentence->kind == SENTENCE_SET ? "remains_set" : "remains");
}

static void
note_tables (Writer *writer)
{
  for (guint i = 0; i < writer->catalogue->tables->len; i++) {
    const CatTable *table = writer->catalogue->tables->pdata[i];
    g_ptr_array_add (writer->written->tables,
                     g_strdup (table->name != NULL ? table->name : table->asked));
  }
}

static void
note_cursor (Writer *writer)
{
  g_autoptr (GString) columns = g_string_new (NULL);
  for (guint i = 0; i < writer->table->key->len; i++) {
    const CatColumn *column = writer->table->key->pdata[i];
    written_add_cursor (writer->written, column->type, column->signs[CAT_GREATER],
                        column->signs[CAT_EQUAL]);
    g_string_append_printf (columns, "%s%s %s", i > 0 ? ", " : "", column->quoted, column->type);
    if (column->collation != NULL)
      g_string_append_printf (columns, " COLLATE %s", column->collation);
  }
  writer->written->cursor_of = g_string_free (g_steal_pointer (&columns), FALSE);
}

Written *
sentence_write (const Sentence *sentence, const Catalogue *catalogue, char **refusal)
{
  g_autoptr (Words) words = words_new ();
  g_autoptr (Written) written = written_new ();
  written->word = sentence->kind == SENTENCE_SET ? "changed" : "removed";
  Writer writer = { sentence, catalogue, catalogue->tables->pdata[0], words, written };
  if ((*refusal = sentence_refusal (sentence, catalogue)) != NULL)
    return NULL;
  set_words (&writer);
  g_autoptr (Below) below = below_new (sentence, catalogue, words, refusal);
  if (below == NULL)
    return NULL;
  if (sentence->kind == SENTENCE_ARCHIVE && below_changes_own (below)) {
    *refusal
        = g_strdup_printf ("rows of %s refer to each other: what one refers to would be emptied "
                           "before it reaches the archive",
                           writer.table->name);
    return NULL;
  }
  if (sentence->portion > 0 && (*refusal = sentence_portion_refusal (below)) != NULL)
    return NULL;
  add_files (&writer, below);
  written->portions = sentence_portion_can_be (below);
  written->below = below_write_count (below);
  written->reading = reading_of (&writer);
  written->left = left_of (&writer);
  if (sentence->object_column != NULL)
    written->reading_objects = words_fill (words, "reading_objects");
  written->takes_own = below_takes_own (below);
  note_tables (&writer);
  note_cursor (&writer);
  return g_steal_pointer (&written);
}
