/* What happens beside the job's own statements: triggers, rules, and foreign keys that it leaves
 * alone. */
#include "cli/check/check_wanted.h"

#include "base/plural.h"
#include "engine/job/job_writes.h"
#include "pg/quoted.h"

#define SQL "src/cli/check/sql/"
#define NOWHERE ((CheckPlace){ 0 })
#define TIED_MOST 100000 /* as in sql/ties.sql */

/* `follows ar ["order_id"]`, as is_followed (sentence_below.c) has it. */
static void
want_listed (const Job *job, const SentenceChild *child, CheckWanted *wanted)
{
  g_autoptr (json_t) columns = json_array ();
  for (char **column = child->columns; column != NULL && *column != NULL; column++) {
    g_autofree char *bare = quoted_bare (*column);
    json_array_append_new (columns, json_string (bare));
  }
  g_autofree char *text = child->columns != NULL ? json_text (columns) : g_strdup ("");
  g_autofree char *follows = g_strdup_printf ("follows ar %s", text);
  check_want (job, child->table, follows, wanted);
}

/* What a sentence changes it finds by the foreign keys that it follows. */
static void
want_followed (const Job *job, CheckWanted *wanted)
{
  const Sentence *sentence = job->sentence;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++)
      check_want (job, g_array_index (what->apply, JobApply, j).table,
                  sentence->children_auto ? "follows acdnr" : "follows cdn", wanted);
  }
  for (guint i = 0; i < sentence->children->len; i++)
    want_listed (job, sentence->children->pdata[i], wanted);
}

/* Rows that leave a table to which a job only adds rows are in no audit. Where its files remove
 * them too, there is a second statement. The jobs of the program know what they write. */
static void
follow_written (const Job *job, const char *table, const char *privilege, gpointer data)
{
  GHashTable *changes = data;
  gint n = GPOINTER_TO_INT (g_hash_table_lookup (changes, table));
  if (job->built_in || !g_str_equal (privilege, "INSERT"))
    g_hash_table_insert (changes, g_strdup (table), GINT_TO_POINTER (n + (job->built_in ? 2 : 1)));
}

static void
want_ties (const Job *job, CheckWanted *wanted)
{
  check_want_written (job, wanted);
  if (job->table != NULL)
    check_want (job, job->table, "own", wanted);
  if (job->sentence != NULL) {
    want_followed (job, wanted);
    return;
  }
  g_autoptr (GHashTable) changes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job_writes_each (job, follow_written, changes);
  GHashTableIter iter;
  gpointer table, n;
  g_hash_table_iter_init (&iter, changes);
  while (g_hash_table_iter_next (&iter, &table, &n))
    check_want (job, table, GPOINTER_TO_INT (n) > 1 ? "follows acdnr" : "follows acdnr others",
                wanted);
}

/* How many rows a finding of ties.sql is about: QUERY counts those that refer to the first page. */
static char *
count_tied (Check *check, const char *query)
{
  if (query == NULL || check->keys == NULL || check->n_keys == 0)
    return g_strdup ("");
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key", check->keys);
  const PgStatement *statement = pg_statement_anew (query, query, NULL);
  g_autoptr (PgRows) rows = statement != NULL && pg_begin_read_only (check->pg, NULL)
                                ? pg_run (check->pg, statement, values, NULL)
                                : NULL;
  pg_rollback (check->pg);
  if (rows == NULL) /* the key is another one than the table's, or it takes too long */
    return g_strdup ("");
  const gint64 n = rows_int (rows, 0, "n");
  return g_strdup_printf ("; the first page (%u %s) has %" G_GINT64_FORMAT "%s such %s",
                          check->n_keys, plural (check->n_keys, "key", "keys"), n,
                          n >= TIED_MOST ? " or more" : "", plural (n, "row", "rows"));
}

/* What PostgreSQL or the application does beside the job's statements. */
void
check_ties (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "ties", SQL "ties.sql", want_ties);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *counted = count_tied (check, rows_text (rows, i, "count"));
    check_warn (check, rows_text (rows, i, "kind"), NOWHERE, rows_text (rows, i, "remedy"), "%s%s",
                rows_text (rows, i, "detail"), counted);
  }
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "ties", "no trigger, and no foreign key that the job leaves alone");
}

/* --- what stays outside --- */

/* The jobs of the program say on their pages what they leave. */
static void
want_outside (const Job *job, CheckWanted *wanted)
{
  if (job->built_in)
    return;
  check_want_written (job, wanted);
  if (job->sentence == NULL || job->sentence->object_column == NULL)
    return;
  g_autofree char *bare = quoted_bare (job->sentence->object_column),
                  *object = g_strconcat ("object ", bare, NULL);
  check_want (job, job->table, object, wanted);
}

void
check_outside (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, CHECK_OUTSIDE, CHECK_OUTSIDE_SQL, want_outside);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, CHECK_OUTSIDE, NOWHERE, rows_text (rows, i, "remedy"), "%s",
                rows_text (rows, i, "detail"));
}
