/* Length: a reading is read from its run to its rows. */
#include "engine/reading/reading.h"

#include "base/clock.h"
#include "base/resource.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_again.h"
#include "engine/job/sentence/words.h"
#include "engine/step/held_below.h"
#include "engine/step/plan.h"
#include "store/probe.h"

#include <string.h>

#define SQL "src/engine/reading/sql/"
#define LOOKS 100           /* objects that are looked for behind a sample */
#define CLOCKS_DIFFER_S 900 /* more, and a service of objects refuses requests */
#define PAGE_ROWS 50        /* that are read of a record for a sample; it is opened as a whole */

const char *const reading_words[] = { "wrong", "unsure", "left", "lost" };

typedef struct {
  Pg *pg;
  Step *step;     /* what statements bind; its job has its SQL */
  gboolean soon;  /* the run has just ended */
  gint64 most;    /* rows a table */
  PgRows *tables; /* of records.sql */
  PgRows *due;    /* of due.sql; no row: what is left cannot be asked */
  ReadingVisit visit;
  gpointer data;
  ReadingTally *tally;
} Reading;

/* The object of a row that has gone. */
typedef struct {
  char *table, *key, *dir, *file;
  char *stays; /* a row that names it and stays; NULL: none */
  int file_store;
  gint64 gone_s; /* when its row went, by the database's clock */
  gboolean sure; /* it was deleted */
} Object;

static void
object_free (gpointer data)
{
  Object *object = data;
  g_free (object->table);
  g_free (object->key);
  g_free (object->dir);
  g_free (object->file);
  g_free (object->stays);
  g_free (object);
}

void
reading_tally_init (ReadingTally *tally)
{
  *tally = (ReadingTally){ .unread = json_array (),
                           .objects = g_ptr_array_new_with_free_func (object_free) };
}

void
reading_tally_clear (ReadingTally *tally)
{
  g_clear_pointer (&tally->unread, json_decref);
  g_clear_pointer (&tally->objects, g_ptr_array_unref);
}

gboolean
reading_disagrees (const ReadingTally *tally)
{
  return tally->wrong > 0 || tally->left > 0 || tally->lost > 0;
}

gint64
reading_unread (const ReadingTally *tally)
{
  gint64 rows = 0;
  size_t i;
  json_t *one;
  json_array_foreach (tally->unread, i, one)
    rows += json_integer_value (json_object_get (one, "rows"));
  return rows;
}

double
reading_bound (const ReadingTally *tally)
{
  return tally->read >= tally->rows ? 0 : tally->read == 0 ? 1 : MIN (1, 3.0 / (double)tally->read);
}

static void
note_unread (ReadingTally *tally, const char *table, gint64 rows, const char *why)
{
  json_array_append_new (tally->unread, json_pack ("{s:s, s:I, s:s}", "table", table, "rows",
                                                   (json_int_t)rows, "why", why));
}

static void
add_unread (Reading *reading, const char *table, gint64 rows, const char *why)
{
  note_unread (reading->tally, table, rows, why);
}

static void
say (Reading *reading, ReadingVerdict verdict, const char *table, const char *key, const char *says)
{
  if (reading->visit != NULL)
    reading->visit (verdict, table, key, says, reading->data);
}

/* --- the rule --------------------------------------------------------------------------------- */

/* What a built-in job's folder says of a table; g_free it. NULL: nothing. */
static char *
file_of (const Job *job, const char *table, const char *what)
{
  g_autofree char *path = g_strdup_printf ("%s/reading/%s%s.sql", job->folder, table, what);
  return job->built_in && resource_exists (path) ? resource_sql (path, NULL) : NULL;
}

/* The query for rows that the rule does not take; g_free it. NULL: no rule says anything of the
 * table. *BELOW: the rule is that the row refers to one that has gone. */
static char *
rule_of (const Reading *reading, int table, gboolean *below)
{
  const Job *job = reading->step->job;
  const gboolean deleted = g_str_equal (rows_text (reading->tables, table, "action"), "deleted"),
                 own = rows_bool (reading->tables, table, "own");
  *below = FALSE;
  if (job->sentence != NULL && own && deleted == (job->sentence->kind != SENTENCE_SET))
    return g_strdup (job->reading);
  const char *what = deleted ? "" : ".update";
  char *file = file_of (job, rows_text (reading->tables, table, "table_name"), what);
  if (file == NULL)
    file = file_of (job, "other", what);
  if (file != NULL)
    return file;
  /* Other jobs have reasons of their own to change rows that refer to such a one. */
  *below = job->sentence != NULL && rows_text (reading->tables, table, "below") != NULL;
  return *below ? resource_sql (SQL "below.sql", NULL) : NULL;
}

/* A column that the rule names and that the records do not have as it was: the first; NULL: none.
 * g_free it. */
static char *
lacking (const Reading *reading, int table, const char *rule)
{
  const Job *job = reading->step->job;
  const char *text = job->sentence == NULL          ? rule
                     : job->sentence->where != NULL ? job->sentence->where
                                                    : "";
  g_auto (GStrv) names = g_strsplit (rows_text (reading->tables, table, "lacking"), "\n", -1);
  for (char **name = names; *name != NULL; name++)
    if (**name != '\0' && strstr (text, *name) != NULL)
      return g_strdup (*name);
  return NULL;
}

/* --- statements ------------------------------------------------------------------------------- */

/* The statement of gone.sql with BODY, for the rows of a table. */
static const PgStatement *
statement_of (const Reading *reading, int table, const char *body, GError **error)
{
  g_autoptr (Words) words = words_new ();
  words_set (words, "whole", rows_text (reading->tables, table, "whole"));
  words_set (words, "body", body);
  g_autofree char *text = words_fill_path (words, SQL "gone.sql"),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1),
                  *name = g_strdup_printf ("[reading %s] %s#%.20s", reading->step->job->name,
                                           rows_text (reading->tables, table, "table_name"), sum);
  return pg_statement_anew (name, text, error);
}

/* How many records are opened, and every how many of their rows is read. */
static void
set_sample (const Reading *reading, int table, PgValues *values)
{
  const gint64 records = rows_int (reading->tables, table, "records"),
               rows = rows_int (reading->tables, table, "n"),
               wanted = reading->most == READING_ALL
                            ? records
                            : MIN (records, MAX (reading->most / PAGE_ROWS, 1));
  const gint64 there = rows * wanted / MAX (records, 1);
  pg_values_int (values, "records", wanted);
  pg_values_int (values, "every",
                 reading->most == READING_ALL ? 1 : MAX (1, there / MAX (reading->most, 1)));
}

/* The columns as an array literal. */
static char *
lacking_list (const Reading *reading, int table)
{
  GString *list = array_new ();
  g_auto (GStrv) names = g_strsplit (rows_text (reading->tables, table, "lacking"), "\n", -1);
  for (char **name = names; *name != NULL; name++)
    array_add (list, *name);
  return array_take (list);
}

/* Transactions below this one had ended when the run was asked for; NULL: not known. */
static const char *
seen_by (const Reading *reading)
{
  return rows_count (reading->due) > 0 ? rows_text (reading->due, 0, "seen") : NULL;
}

static PgRows *
run_of_table (Reading *reading, int table, const char *body, GError **error)
{
  const PgStatement *statement = statement_of (reading, table, body, error);
  g_autoptr (PgValues) values = pg_values_new ();
  if (statement == NULL)
    return NULL;
  step_bind (reading->step, statement, values);
  pg_values_set (values, "table", rows_text (reading->tables, table, "table_name"));
  pg_values_set (values, "action", rows_text (reading->tables, table, "action"));
  pg_values_set (values, "whole", rows_text (reading->tables, table, "whole"));
  pg_values_set (values, "soon", reading->soon ? "t" : "f");
  pg_values_set (values, "seen", seen_by (reading));
  pg_values_take (values, "lacking", lacking_list (reading, table));
  set_sample (reading, table, values);
  return pg_run (reading->pg, statement, values, error);
}

/* The end of what was asked below a savepoint: what PostgreSQL refuses of one table, for CAUSE
 * (owned; NULL: nothing), keeps none of the others from being read. N of its rows are unread. */
static gboolean
end_try (Reading *reading, const char *table, gint64 n, GError *cause, GError **error)
{
  if (cause == NULL)
    return pg_exec (reading->pg, "RELEASE SAVEPOINT reading", error);
  if (cause->code == PRUNED_OUTAGE) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_autofree char *why = g_strdup_printf ("PostgreSQL says: %s", cause->message);
  g_error_free (cause);
  add_unread (reading, table, n, why);
  return pg_exec (reading->pg, "ROLLBACK TO SAVEPOINT reading", error);
}

/* *ROWS NULL: PostgreSQL refuses it, and it is noted as unread. */
static gboolean
try_table (Reading *reading, int table, const char *body, PgRows **rows, GError **error)
{
  GError *cause = NULL;
  if (!pg_exec (reading->pg, "SAVEPOINT reading", error))
    return FALSE;
  *rows = run_of_table (reading, table, body, &cause);
  return end_try (reading, rows_text (reading->tables, table, "table_name"),
                  rows_int (reading->tables, table, "n"), cause, error);
}

/* --- nothing extra ---------------------------------------------------------------------------- */

static void
take_extra (Reading *reading, int table, const char *lacks, PgRows *rows)
{
  const char *name = rows_text (reading->tables, table, "table_name");
  const gint64 wrong = rows_int (rows, 0, "wrong"), unsure = rows_int (rows, 0, "unsure");
  g_autofree char *altered = lacks != NULL ? g_strdup_printf ("; %s was added or altered since, or "
                                                              "is left out of the audit",
                                                              lacks)
                                           : g_strdup ("");
  reading->tally->rows
      += rows_int (reading->tables, table, "n") - rows_int (reading->tables, table, "bare");
  reading->tally->read += rows_int (rows, 0, "read");
  reading->tally->lost += rows_int (rows, 0, "lost");
  reading->tally->wrong += lacks == NULL ? wrong : 0;
  reading->tally->unsure += unsure + (lacks == NULL ? 0 : wrong);
  for (int i = 0; i < rows_count (rows); i++) {
    if (rows_text (rows, i, "says") == NULL)
      continue;
    if (rows_bool (rows, i, "is_lost")) {
      say (reading, READING_LOST, name, rows_text (rows, i, "key"), rows_text (rows, i, "says"));
      continue;
    }
    const gboolean sure = rows_bool (rows, i, "sure") && lacks == NULL;
    g_autofree char *says
        = g_strdup_printf ("%s%s%s", rows_text (rows, i, "says"), altered,
                           sure || lacks != NULL ? "" : " (other rows are read as they are now)");
    say (reading, sure ? READING_WRONG : READING_UNSURE, name, rows_text (rows, i, "key"), says);
  }
}

static gboolean
read_extra (Reading *reading, int table, GError **error)
{
  gboolean below;
  g_autofree char *rule = rule_of (reading, table, &below);
  if (rule == NULL) {
    add_unread (reading, rows_text (reading->tables, table, "table_name"),
                rows_int (reading->tables, table, "n"),
                "no rule that can be asked of a row says which rows of it go");
    return TRUE;
  }
  /* A row of the table of a built-in job goes by its rule alone. */
  const gboolean by_rule
      = !below && reading->step->job->built_in && rows_bool (reading->tables, table, "own");
  const char *refers = by_rule ? NULL : rows_text (reading->tables, table, "below");
  g_autofree char *lacks = below ? NULL : lacking (reading, table, rule);
  g_autoptr (Words) words = words_new ();
  words_set (words, "reading", rule);
  words_set (words, "back", job_is_own_folder (reading->step->job) ? "false" : "true");
  words_set (words, "below", refers != NULL ? refers : "false");
  g_autofree char *body = words_fill_path (words, SQL "extra.sql");
  g_autoptr (PgRows) rows = NULL;
  const gboolean ok = try_table (reading, table, body, &rows, error);
  if (rows != NULL)
    take_extra (reading, table, lacks, rows);
  return ok;
}

/* --- nothing left ----------------------------------------------------------------------------- */

static gboolean
read_left (Reading *reading, int table, GError **error)
{
  const gboolean deleted = g_str_equal (rows_text (reading->tables, table, "action"), "deleted");
  const char *name = rows_text (reading->tables, table, "table_name"),
             *left = rows_text (reading->tables, table, "left_over"),
             *unindexed = rows_text (reading->tables, table, "unindexed");
  if (unindexed != NULL) {
    g_autofree char *why = g_strdup_printf (
        "rows that refer to it are not looked for in %s: no index, or no right", unindexed);
    add_unread (reading, name, 0, why);
  }
  g_autofree char *file
      = seen_by (reading) != NULL && deleted ? file_of (reading->step->job, name, ".left") : NULL;
  if (left == NULL && file == NULL)
    return TRUE;
  g_autoptr (Words) words = words_new ();
  g_autofree char *whole = file != NULL ? g_strdup_printf ("(%s)", file) : g_strdup ("");
  words_take (words, "left_over",
              g_strjoin (left != NULL && file != NULL ? " UNION ALL " : "",
                         left != NULL ? left : "", whole, NULL));
  g_autofree char *body = words_fill_path (words, SQL "left.sql");
  g_autoptr (PgRows) rows = NULL;
  const gboolean ok = try_table (reading, table, body, &rows, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    say (reading, READING_LEFT, rows_text (rows, i, "tab"), rows_text (rows, i, "key"),
         rows_text (rows, i, "wrong"));
  reading->tally->left += rows != NULL ? rows_count (rows) : 0;
  return ok;
}

/* --- due rows that are left --- */

/* The query for rows that are due and still there; g_free it. NULL: what is left cannot be asked.
 */
static char *
due_of (const Reading *reading)
{
  const Job *job = reading->step->job;
  const GPtrArray *children = job->sentence != NULL ? job->sentence->children : NULL;
  gboolean by_columns = FALSE; /* then held rows below are not known */
  for (guint i = 0; children != NULL && i < children->len; i++)
    by_columns |= ((const SentenceChild *)children->pdata[i])->columns != NULL;
  if (seen_by (reading) == NULL || (by_columns && rows_bool (reading->due, 0, "holds")))
    return NULL;
  return job->sentence != NULL ? g_strdup (job->left) : file_of (job, "due", "");
}

gboolean
reading_asks_due (const Job *job)
{
  const Sentence *sentence = job->sentence;
  g_autofree char *file = file_of (job, "due", "");
  return file != NULL
         || (sentence != NULL && sentence->on[0] == NULL
             && (sentence->kind == SENTENCE_DELETE || sentence->kind == SENTENCE_ARCHIVE));
}

static PgRows *
run_due (Reading *reading, const char *due, GError **error)
{
  const Job *job = reading->step->job;
  g_autoptr (Words) words = words_new ();
  words_set (words, "due", due);
  g_autofree char *text = words_fill_path (words, SQL "due_rows.sql"),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1),
                  *name = g_strdup_printf ("[reading %s] due#%.20s", job->name, sum);
  const PgStatement *statement = pg_statement_anew (name, text, error);
  g_autoptr (PgValues) values = pg_values_new ();
  if (statement == NULL)
    return NULL;
  step_bind (reading->step, statement, values);
  pg_values_set (values, "seen", seen_by (reading));
  return pg_run (reading->pg, statement, values, error);
}

/* The keys of ROWS that stay because a row below them is held; NULL with an error. *KNOWN: FALSE if
 * rows below them cannot be seen. g_hash_table_unref it. */
static GHashTable *
held_of (const Reading *reading, const PgRows *rows, gboolean *known, GError **error)
{
  g_autoptr (GHashTable) held = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  *known = TRUE;
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (keys, (gpointer)rows_text (rows, i, "key"));
  if (keys->len == 0 || !rows_bool (reading->due, 0, "holds"))
    return g_steal_pointer (&held);
  g_autoptr (PgRows) below = held_below_ask (reading->pg, reading->step->job, keys, error);
  for (int i = 0; below != NULL && i < rows_count (below); i++)
    if (rows_text (below, i, "owner") != NULL)
      g_hash_table_add (held, g_strdup (rows_text (below, i, "owner")));
    else
      *known = FALSE;
  return below != NULL ? g_steal_pointer (&held) : NULL;
}

/* How many of ROWS are left without being in HELD, if it is no more than the run has kept besides
 * those of which that can be asked; else 0. A held row keeps also those whose trigger or job would
 * change it beside them, and which these are cannot be asked afterwards. */
static guint
kept_beside (const Reading *reading, const PgRows *rows, GHashTable *held)
{
  guint n = 0;
  for (int i = 0; i < rows_count (rows); i++)
    n += !g_hash_table_contains (held, rows_text (rows, i, "key"));
  const gint64 below = rows_count (rows) - n, own = n > 0 ? rows_int (rows, 0, "own") : 0;
  return n <= rows_int (reading->due, 0, "kept") - own - below ? n : 0;
}

static gboolean
take_due (Reading *reading, const PgRows *rows, GError **error)
{
  gboolean known;
  g_autoptr (GHashTable) held = held_of (reading, rows, &known, error);
  const guint kept = held != NULL && known ? kept_beside (reading, rows, held) : 0;
  if (kept > 0) {
    add_unread (reading, reading->step->job->table, kept,
                "they are due and left, and the run has kept as many because of holds");
    return TRUE;
  }
  for (int i = 0; held != NULL && known && i < rows_count (rows); i++) {
    if (g_hash_table_contains (held, rows_text (rows, i, "key")))
      continue;
    reading->tally->left++;
    say (reading, READING_LEFT, rows_text (rows, i, "tab"), rows_text (rows, i, "key"),
         rows_text (rows, i, "wrong"));
  }
  return held != NULL;
}

/* Why rows that are due and left are not looked for; NULL: there is nothing to say. */
static const char *
due_unread (const Reading *reading)
{
  const Job *job = reading->step->job;
  const Sentence *sentence = job->sentence;
  if (job_is_own_folder (job))
    return "its rule stands in its own files";
  if (!reading_asks_due (job) && sentence == NULL)
    return NULL;
  if (seen_by (reading) == NULL)
    return "what the run could see is not known (any more)";
  if (sentence->on[0] != NULL)
    return "events name its rows";
  if (sentence->keep.rows > 0)
    return "`keep` spares some, and which is not asked again";
  if (sentence->kind != SENTENCE_DELETE && sentence->kind != SENTENCE_ARCHIVE)
    return "rows stay, or go otherwise than by a delete";
  if (job->left == NULL)
    return "its condition reads other rows, or the clock";
  return "rows are held, and those below its rows are not known";
}

/* Nobody has to have taken a row for it to be left. */
static gboolean
read_due (Reading *reading, GError **error)
{
  GError *cause = NULL;
  g_autofree char *due = due_of (reading);
  if (due == NULL) {
    const char *why = due_unread (reading);
    g_autofree char *words
        = g_strconcat ("rows that are due and left are not looked for: ", why, NULL);
    if (why != NULL)
      add_unread (reading, reading->step->job->table, 0, words);
    return TRUE;
  }
  if (!pg_exec (reading->pg, "SAVEPOINT reading", error))
    return FALSE;
  g_autoptr (PgRows) rows = run_due (reading, due, &cause);
  reading->tally->due = rows != NULL && take_due (reading, rows, &cause);
  return end_try (reading, reading->step->job->table, 0, cause, error);
}

/* --- objects ---------------------------------------------------------------------------------- */

/* The query for the objects of rows that have gone; g_free it. NULL: they have none. */
static char *
objects_of (const Reading *reading, int table)
{
  const Job *job = reading->step->job;
  if (!rows_bool (reading->tables, table, "own")
      || !g_str_equal (rows_text (reading->tables, table, "action"), "deleted"))
    return NULL;
  return job->sentence != NULL ? g_strdup (job->reading_objects) : file_of (job, "objects", "");
}

static gboolean
read_objects (Reading *reading, int table, GError **error)
{
  g_autofree char *query = objects_of (reading, table);
  if (query == NULL)
    return TRUE;
  g_autoptr (PgRows) rows = NULL;
  const gboolean ok = try_table (reading, table, query, &rows, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    Object *object = g_new0 (Object, 1);
    *object = (Object){ g_strdup (rows_text (reading->tables, table, "table_name")),
                        g_strdup (rows_text (rows, i, "key")),
                        g_strdup (rows_text (rows, i, "dir")),
                        g_strdup (rows_text (rows, i, "file")),
                        g_strdup (rows_text (rows, i, "stays")),
                        (int)rows_int (rows, i, "file_store"),
                        rows_int (rows, i, "at"),
                        rows_bool (rows, i, "sure") };
    g_ptr_array_add (reading->tally->objects, object);
  }
  return ok;
}

/* One that is there although its row has gone, and was not written again since: the clocks of store
 * and database can differ. One that a row names that stays has to be there. */
static void
judge_object (const Object *object, const ProbeObject *found, ReadingVisit visit, gpointer data,
              ReadingTally *tally)
{
  const gboolean there = found->object.result == STORE_DELETED;
  if (there == (object->stays != NULL)
      || (there && found->changed_us / G_USEC_PER_SEC > object->gone_s - CLOCKS_DIFFER_S))
    return;
  const gboolean sure = there && object->sure && found->changed_us > 0;
  g_autofree char *says
      = there ? g_strdup_printf ("has gone, and its object %s%s%s is still there%s", object->dir,
                                 *object->dir != '\0' ? "/" : "", object->file,
                                 sure ? "" : " (another row may have named it then)")
              : g_strdup_printf ("its object %s is not there, and row %s names it, which stays",
                                 object->file, object->stays);
  *(sure ? &tally->left : &tally->unsure) += 1;
  if (visit != NULL)
    visit (sure ? READING_LEFT : READING_UNSURE, object->table, object->key, says, data);
}

void
reading_look (const Job *job, gint64 most, gint64 most_ms, ReadingVisit visit, gpointer data,
              ReadingTally *tally)
{
  const guint n = most == READING_ALL ? tally->objects->len : MIN (tally->objects->len, LOOKS);
  if (n == 0)
    return;
  g_autofree ProbeObject *found = g_new0 (ProbeObject, n);
  guint open = 0;
  for (guint i = 0; i < n; i++) {
    const Object *object = tally->objects->pdata[i];
    found[i].object = (StoreObject){ .file_store = object->file_store,
                                     .dir = object->dir,
                                     .file = object->file };
  }
  g_autofree char *why
      = probe_objects (in_force_config (), job->sentence != NULL ? job->sentence->bucket : NULL,
                       found, n, clock_monotonic_us () + most_ms * 1000);
  for (guint i = 0; i < n; i++)
    if (found[i].object.result == STORE_OPEN)
      open++;
    else
      judge_object (tally->objects->pdata[i], &found[i], visit, data, tally);
  tally->looked += n - open;
  if (open > 0) {
    g_autofree char *words = g_strdup_printf ("whether objects are left is not known: %s",
                                              why != NULL ? why : "their paths are unsafe");
    note_unread (tally, job->table, open, words);
  }
}

/* --- a run ------------------------------------------------------------------------------------ */

static gboolean
read_table (Reading *reading, int table, GError **error)
{
  const char *name = rows_text (reading->tables, table, "table_name");
  const gint64 n = rows_int (reading->tables, table, "n"),
               bare = rows_int (reading->tables, table, "bare");
  if (rows_text (reading->tables, table, "whole") == NULL) {
    add_unread (reading, name, n, "the table is gone, or this role does not see it");
    return TRUE;
  }
  if (bare > 0)
    add_unread (reading, name, bare,
                "the audit has only their keys ([audit] rows, or `audit` of the job)");
  return bare == n
         || (read_extra (reading, table, error) && read_left (reading, table, error)
             && read_objects (reading, table, error));
}

/* The tables below that the sentence names with columns, for which there is no foreign key. */
static void
set_children (const Job *job, PgValues *values)
{
  GString *tables = array_new ();
  g_autoptr (json_t) columns = json_array ();
  const GPtrArray *children = job->sentence != NULL ? job->sentence->children : NULL;
  for (guint i = 0; children != NULL && i < children->len; i++) {
    const SentenceChild *child = children->pdata[i];
    if (child->columns == NULL)
      continue;
    json_t *names = json_array ();
    for (char **column = child->columns; *column != NULL; column++)
      json_array_append_new (names, json_string (*column));
    json_array_append_new (columns, names);
    array_add (tables, child->table);
  }
  pg_values_take (values, "child", array_take (tables));
  pg_values_take (values, "columns", json_text (columns));
}

static gboolean
read_tables (Reading *reading, GError **error)
{
  const Job *job = reading->step->job;
  g_autoptr (PgValues) values = pg_values_new ();
  set_children (job, values);
  pg_values_set (values, "run_id", reading->step->run->run_id);
  pg_values_set (values, "own", job->table);
  g_autoptr (PgRows) tables = pg_run_file (reading->pg, SQL "records.sql", values, error);
  reading->tables = tables;
  for (int i = 0; tables != NULL && i < rows_count (tables); i++)
    if (!read_table (reading, i, error))
      return FALSE;
  return tables != NULL;
}

PgRows *
reading_find (Pg *pg, const char *run_id, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  return pg_run_file (pg, SQL "run.sql", values, error);
}

/* Its rows were those of the ledger of erasures, whatever its rule says of them. */
static gboolean
is_again (const PgRows *run, int row)
{
  const char *text = rows_text (run, row, "args");
  g_autoptr (json_t) args = text != NULL ? json_parse (text, strlen (text), NULL) : NULL;
  return json_object_get (args, AGAIN_SINCE) != NULL;
}

char *
reading_refusal (const Job *job, const PgRows *run, int row, gboolean by_hand)
{
  const char *version = rows_text (run, row, "job_version");
  if (job == NULL)
    return g_strdup ("its job is not in force");
  if (is_again (run, row))
    return g_strdup ("the ledger of erasures has named its rows, and not the job's rule");
  if (job->built_in && by_hand)
    return NULL;
  if (rows_bool (run, row, "earlier"))
    return g_strdup ("several versions of its job have done it");
  if (version != NULL && g_strcmp0 (version, job->version) != 0)
    return g_strdup_printf ("version %s of its job has done it, and %s is in force", version,
                            job->version);
  return NULL;
}

gboolean
reading_run (Pg *pg, const Job *job, const PgRows *run, int row, gint64 most, ReadingVisit visit,
             gpointer data, ReadingTally *tally, GError **error)
{
  const char *args = rows_text (run, row, "args");
  g_autoptr (json_t) parsed = args != NULL ? json_parse (args, strlen (args), NULL) : NULL;
  g_autoptr (json_t) none = json_object ();
  g_autoptr (Run) its
      = plan_run_of (job, rows_int (run, row, "scheduled_at"), parsed != NULL ? parsed : none);
  g_free (its->run_id);
  its->run_id = g_strdup (rows_text (run, row, "run_id"));
  g_autoptr (Step) step = step_new_plan (pg, its);
  Reading reading = { .pg = pg,
                      .step = step,
                      .soon = rows_bool (run, row, "soon"),
                      .most = most,
                      .visit = visit,
                      .data = data,
                      .tally = tally };
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", its->run_id);
  g_autoptr (PgRows) seen
      = step_complete (step, error) ? pg_run_file (pg, SQL "due.sql", values, error) : NULL;
  reading.due = seen;
  return seen != NULL && read_tables (&reading, error) && read_due (&reading, error);
}
