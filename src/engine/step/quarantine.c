/* Length: a reader follows an entry from where a page asks for it to where it is forgotten.
 */
#include "engine/step/quarantine.h"

#include "base/clock.h"
#include "base/plural.h"
#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"
#include "engine/step/row_again.h"

#include <string.h>

#define SQL "src/engine/step/sql/"
#define LONGEST_US (10 * G_USEC_PER_SEC) /* of a page: no table is begun behind it */

/* Runs a statement that PostgreSQL composed from catalogue names. *ROWS is NULL if it composed
 * none. */
static gboolean
run_made (Pg *pg, const char *file, const char *table, PgValues *values, PgRows **rows,
          GError **error)
{
  g_autoptr (PgValues) about = pg_values_new ();
  pg_values_set (about, "tab", table);
  *rows = NULL;
  g_autoptr (PgRows) made = pg_run_file (pg, file, about, error);
  if (made == NULL || rows_count (made) == 0)
    return made != NULL;
  const char *sql = rows_text (made, 0, "sql");
  g_autofree char *name = g_strdup_printf ("%s of %s (%08x)", file, table,
                                           g_str_hash (sql)); /* statements are kept by name */
  const PgStatement *statement = pg_statement_text (name, sql, error);
  return statement != NULL && (*rows = pg_run (pg, statement, values, error)) != NULL;
}

/* Adds those of TABLE to STATES: item -> state. */
static gboolean
add_states (Pg *pg, const char *table, const GPtrArray *keys, GHashTable *states, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) rows = NULL;
  pg_values_take (values, "key", array_of_texts (keys));
  if (!run_made (pg, SQL "quarantine_states.sql", table, values, &rows, error))
    return FALSE;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_hash_table_insert (states, g_strdup_printf ("%s:%s", table, rows_text (rows, i, "key")),
                         g_strdup (rows_text (rows, i, "state")));
  return TRUE;
}

/* The same. A row that is too large for a value of JSON has no state: the others are found without
 * it, by halves. */
static gboolean
add_states_that_can_be (Pg *pg, const char *table, const GPtrArray *keys, GHashTable *states,
                        GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!pg_exec (pg, "SAVEPOINT states", error))
    return FALSE;
  if (add_states (pg, table, keys, states, &cause))
    return pg_exec (pg, "RELEASE SAVEPOINT states", error);
  if (!pg_is_too_large (pg)) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (!pg_exec (pg, "ROLLBACK TO SAVEPOINT states", error)
      || !pg_exec (pg, "RELEASE SAVEPOINT states", error))
    return FALSE;
  for (guint half = 0; half < 2 && keys->len > 1; half++) {
    const guint middle = keys->len / 2;
    g_autoptr (GPtrArray) some = g_ptr_array_new ();
    for (guint i = half * middle; i < (half == 0 ? middle : keys->len); i++)
      g_ptr_array_add (some, keys->pdata[i]);
    if (!add_states_that_can_be (pg, table, some, states, error))
      return FALSE;
  }
  return TRUE;
}

/* The keys of those of ITEMS that are rows of TABLE; borrowed. */
static GPtrArray *
keys_of (const char *table, const GPtrArray *items)
{
  const gsize n = strlen (table);
  GPtrArray *keys = g_ptr_array_new ();
  for (guint i = 0; i < items->len; i++) {
    char *item = items->pdata[i];
    if (g_str_has_prefix (item, table) && item[n] == ':')
      g_ptr_array_add (keys, item + n + 1);
  }
  return keys;
}

/* A name in SQL quotes can have colons. */
static char *
table_of (const char *item)
{
  const char *end = item;
  for (gboolean quoted = FALSE; *end != '\0' && (quoted || *end != ':'); end++)
    quoted ^= *end == '"';
  return g_strndup (item, (gsize)(end - item));
}

static gboolean
find_states (Pg *pg, const GPtrArray *items, GHashTable *states, GError **error)
{
  g_autoptr (GHashTable) tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < items->len; i++) {
    g_autofree char *table = table_of (items->pdata[i]);
    g_autoptr (GPtrArray) keys = keys_of (table, items);
    if (!g_hash_table_contains (tables, table)
        && !add_states_that_can_be (pg, table, keys, states, error))
      return FALSE;
    g_hash_table_add (tables, g_steal_pointer (&table));
  }
  return TRUE;
}

char *
quarantine_states (Pg *pg, const GPtrArray *items, GError **error)
{
  g_autoptr (GHashTable) states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!find_states (pg, items, states, error))
    return NULL;
  GString *array = array_new ();
  for (guint i = 0; i < items->len; i++) {
    const char *state = g_hash_table_lookup (states, items->pdata[i]);
    array_add (array, state != NULL ? state : "");
  }
  return array_take (array);
}

char *
quarantine_holders (Pg *pg, const char *table, const char *keys, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) rows = NULL;
  pg_values_set (values, "key", keys);
  if (!run_made (pg, SQL "quarantine_states.sql", table, values, &rows, error))
    return NULL;
  GString *array = array_new ();
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (!g_str_equal (rows_text (rows, i, "xid"), "0"))
      array_add (array, rows_text (rows, i, "xid"));
  return array_take (array);
}

/* An entry whose row has changed since is not passed over. */
static gboolean
forget_changed (Pg *pg, const GPtrArray *items, const PgRows *rows, GArray *over, GError **error)
{
  g_autoptr (GPtrArray) asked = g_ptr_array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    if (g_array_index (over, gboolean, i) && rows_text (rows, i, "state") != NULL)
      g_ptr_array_add (asked, items->pdata[rows_int (rows, i, "row")]);
  g_autoptr (GHashTable) states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (asked->len > 0 && !find_states (pg, asked, states, error))
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *was = rows_text (rows, i, "state"),
               *is = g_hash_table_lookup (states, items->pdata[rows_int (rows, i, "row")]);
    if (was != NULL && is != NULL && !g_str_equal (was, is))
      g_array_index (over, gboolean, i) = FALSE;
  }
  return TRUE;
}

PgRows *
quarantine_known (Step *step, const GPtrArray *items, GArray **over, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  if (step->run->holds)
    pg_values_set (values, "of_rows", step->job->item_column == NULL ? "t" : "f");
  pg_values_int (values, "park_retry_days", step_setting (step, "park_retry_days"));
  pg_values_take (values, "item", array_of_texts (items));
  g_autoptr (PgRows) rows = pg_run_file (
      step->pg, step->run->holds ? SQL "quarantine_known.sql" : SQL "quarantine_entries.sql",
      values, error);
  if (rows == NULL)
    return NULL;
  g_autoptr (GArray) passed = g_array_new (FALSE, FALSE, sizeof (gboolean));
  for (int i = 0; i < rows_count (rows); i++) {
    gboolean one = rows_bool (rows, i, "passed_over");
    g_array_append_val (passed, one);
  }
  if (!forget_changed (step->pg, items, rows, passed, error))
    return NULL;
  *over = g_steal_pointer (&passed);
  return g_steal_pointer (&rows);
}

/* --- which rows of a page stay for now --- */

static gboolean
is_asked (const Step *step)
{
  return job_is_asked (step->job, step->run->args);
}

void
quarantine_kept (Step *step, const char *reason)
{
  if (!job_is_asked (step->job, step->run->args))
    return;
  g_autoptr (json_t) more = json_pack ("{s:{s:i}}", STEP_KEPT, reason, 1);
  step_add_counts (step->counts, more);
}

void
quarantine_announce (Step *step, const char *key, const char *what, const char *reason)
{
  const Job *job = step->job;
  if (in_force_outcomes (job->name) == OUTCOMES_NONE)
    return;
  json_t *fields = json_copy (job->failed_constants);
  json_object_set_new (fields, "what", json_string (what));
  json_object_set_new (fields, "key", json_string (key));
  json_object_set_new (fields, "reason", json_string (reason));
  step_outcome (step, job->failed_outcome, key, fields);
}

/* The run of an event waits for KEY, which is in quarantine, by its row I of ROWS. */
static void
wait_for_row (Step *step, const PgRows *rows, int i, const char *key, const char *item)
{
  g_autofree char *why = g_strconcat (ROW_AGAIN_WHY, rows_text (rows, i, "reason"), NULL);
  row_again_note (step, item, why, rows_int (rows, i, "wait_ms"));
  if (!row_again_is (step) && step->job->failed_named)
    quarantine_announce (step, key, "failed", why);
}

/* KEY stays, because it is held, or a row that would go with it. KIND: hold, restored. */
static void
keep_held (Step *step, const char *key, const char *kind, gint64 wait_ms)
{
  g_autofree char *counter = g_strconcat ("kept_", kind, NULL),
                  *why = g_strconcat (ROW_AGAIN_KEPT, kind, NULL),
                  *item = job_item (step->job, key);
  step_count (step, counter, 1);
  g_hash_table_add (step->kept_keys, g_strdup (key));
  if (!is_asked (step))
    return;
  row_again_note (step, item, why, wait_ms);
  quarantine_kept (step, kind);
  if (!row_again_is (step) && step->job->failed_named)
    quarantine_announce (step, key, "kept", kind);
}

/* An event's sender waits for an answer, so a row that an event names is tried although it is in
 * quarantine, unless it is held. From then on the quarantine says when. */
static gboolean
is_passed_over (const Step *step, const PgRows *rows, int i, const GArray *waits)
{
  return g_array_index (waits, gboolean, i)
         && (!is_asked (step) || row_again_is (step) || rows_bool (rows, i, "held"));
}

/* Puts those of KEYS into OVER that stay for now. What is held stands behind what is in quarantine.
 */
static void
find_passed_over (Step *step, const GPtrArray *keys, const PgRows *rows, const GArray *waits,
                  GHashTable *over, GHashTable *known)
{
  guint parked = 0;
  g_autoptr (GHashTable) held = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++) {
    char *key = keys->pdata[rows_int (rows, i, "row")];
    if (!rows_bool (rows, i, "held"))
      continue;
    g_hash_table_add (over, key);
    g_hash_table_add (held, key);
    keep_held (step, key, rows_text (rows, i, "reason"), rows_int (rows, i, "wait_ms"));
  }
  for (int i = 0; i < rows_count (rows); i++) {
    char *key = keys->pdata[rows_int (rows, i, "row")];
    if (g_hash_table_contains (held, key))
      continue;
    if (!is_passed_over (step, rows, i, waits)) {
      g_hash_table_add (known, g_strdup (key));
      continue;
    }
    g_hash_table_add (over, key);
    parked++;
    g_autofree char *item = job_item (step->job, key);
    if (is_asked (step))
      wait_for_row (step, rows, i, key, item);
  }
  if (parked > 0)
    step_count (step, "passed_over", parked);
}

gboolean
quarantine_pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
{
  if (step->job->table == NULL)
    return TRUE;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) waits = NULL;
  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add (items, job_item (step->job, keys->pdata[i]));
  g_autoptr (PgRows) rows = quarantine_known (step, items, &waits, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) over = g_hash_table_new (g_str_hash, g_str_equal);
  find_passed_over (step, keys, rows, waits, over, known);
  for (guint i = keys->len; i-- > 0;)
    if (g_hash_table_contains (over, keys->pdata[i])) {
      g_hash_table_remove (over, keys->pdata[i]);
      g_ptr_array_remove_index (keys, i);
    }
  return TRUE;
}

void
quarantine_held (Step *step, const char *key, const BisectBad *bad, GHashTable *known)
{
  step_log (
      step, LOG_INFO, "A row stays because of one that is held",
      json_pack ("{s:s, s:s, s:s}", "table", step->job->table, "key", key, "reason", bad->reason));
  keep_held (step, key, bad->sqlstate, ROW_AGAIN_HELD_MS);
  if (!g_hash_table_contains (known, key))
    return;
  g_autofree char *item = job_item (step->job, key);
  step_unquarantine (step, item);
}

gboolean
step_is_kept (const Step *step, const char *key)
{
  return g_hash_table_contains (step->kept_keys, key);
}

/* --- entries whose rows have gone --- */

/* Rows of any table that `pruned restore` has put back can be in quarantine for a job; of other
 * entries the job knows what they are about. */
static gboolean
may_be_gone (const PgRows *page, int i)
{
  return rows_bool (page, i, "held")
         || jobs_find (in_force_jobs (), rows_text (page, i, "job")) != NULL;
}

/* Of the entries in row I of PAGE. Entries whose keys are no values of the key's type any more
 * stay, or whose rows are too large to be compared, and those of their page too. *FAILED: the first
 * other reason why some stay. */
static gboolean
forget_gone (Pg *pg, const PgRows *page, int i, GError **failed, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", rows_text (page, i, "job"));
  pg_values_set (values, "held", rows_text (page, i, "tab"));
  pg_values_set (values, "key", rows_text (page, i, "keys"));
  pg_values_set (values, "version", rows_text (page, i, "versions"));
  g_autoptr (PgRows) gone = NULL;
  g_autoptr (GError) cause = NULL;
  if (!pg_exec (pg, "SAVEPOINT page", error))
    return FALSE;
  if (run_made (pg, SQL "quarantine_gone.sql", rows_text (page, i, "tab"), values, &gone, &cause))
    return pg_exec (pg, "RELEASE SAVEPOINT page", error);
  if (*failed == NULL && !pg_is_no_value (pg) && !pg_is_too_large (pg)) {
    g_propagate_error (failed, g_steal_pointer (&cause));
    g_prefix_error (failed, "%s, %s: ", rows_text (page, i, "job"), rows_text (page, i, "tab"));
  }
  return pg_exec (pg, "ROLLBACK TO SAVEPOINT page", error)
         && pg_exec (pg, "RELEASE SAVEPOINT page", error);
}

/* Where tables are locked or slow, the others of the page are looked at in a later round. */
static gboolean
forget_page (Pg *pg, const PgRows *page, GError **failed, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + LONGEST_US;
  for (int i = 0; i < rows_count (page) && clock_monotonic_us () < until_us; i++) {
    if (may_be_gone (page, i) && !forget_gone (pg, page, i, failed, error))
      return FALSE;
  }
  return TRUE;
}

/* Holds whose time has passed for a while, each with a line in the journal. */
static gboolean
forget_ended (Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "holds_ended.sql", NULL, error);
  gboolean ok = rows != NULL;
  for (int i = 0; ok && i < rows_count (rows); i++) {
    const gint64 n = rows_int (rows, i, "n");
    g_autofree char *object
        = g_strdup_printf ("%s (%" G_GINT64_FORMAT " %s)", rows_text (rows, i, "hold_id"), n,
                           plural (n, "row", "rows"));
    JournalEntry entry = { "hold ended", object, rows_text (rows, i, "reason") };
    ok = journal_put (pg, in_force_jobs (), config_text (in_force_config (), "topics", "prefix"),
                      &entry, error);
  }
  return ok;
}

gboolean
quarantine_sweep (Service *service, Pg *pg, GError **error)
{
  static char *job, *item; /* where the next round begins; only housekeeping uses it */
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "after_job", job != NULL ? job : "");
  pg_values_set (values, "after_item", item != NULL ? item : "");
  g_clear_pointer (&job, g_free);
  g_clear_pointer (&item, g_free);
  g_autoptr (GError) failed = NULL;
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) woken = pg_run_file (pg, SQL "quarantine_woken.sql", NULL, error);
  g_autoptr (PgRows) page
      = woken != NULL ? pg_run_file (pg, SQL "quarantine_page.sql", values, error) : NULL;
  if (page == NULL || !forget_page (pg, page, &failed, error) || !forget_ended (pg, error)
      || !pg_commit (pg, error))
    return FALSE;
  if (rows_count (page) > 0) {
    job = g_strdup (rows_text (page, 0, "last_job"));
    item = g_strdup (rows_text (page, 0, "last_item"));
  }
  if (failed == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failed));
  return FALSE;
}
