/* Which rows of the ledger are there again, and the run that takes them. */
#include "avro/identity.h"
#include "base/clock.h"
#include "cli/reapply/reapply.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_again.h"

#define SQL "src/cli/reapply/sql/"
#define AT_ONCE 500
#define YOUNGER "younger than the erasure: the key is used anew"
#define UNKNOWN                                                                                    \
  "no column says when it was made (born, created_at): it may be younger than the erasure"
#define NO_KEY "the key is no key of the table any more"

static PgRows *
ask (Reapply *reapply, const Job *job, Erased *const *rows, guint n, GError **error)
{
  GString *keys = array_new (), *times = array_new ();
  for (guint i = 0; i < n; i++) {
    g_autofree char *time = clock_format (rows[i]->erased_us);
    array_add (keys, rows[i]->key);
    array_add (times, time);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "key", array_take (keys));
  pg_values_take (values, "erased_at", array_take (times));
  g_autoptr (PgRows) found = pg_begin_read_only (reapply->pg, error)
                                 ? pg_run (reapply->pg, job->again, values, error)
                                 : NULL;
  pg_rollback (reapply->pg);
  return g_steal_pointer (&found);
}

static void
take (Erased *const *rows, const PgRows *found)
{
  for (int i = 0; i < rows_count (found); i++) {
    Erased *row = rows[rows_int (found, i, "pos") - 1];
    row->there = g_strdup (rows_text (found, i, "key"));
    if (rows_text (found, i, "older") == NULL)
      row->stays = UNKNOWN;
    else if (!rows_bool (found, i, "older"))
      row->stays = YOUNGER;
  }
}

/* A text that is no key any more fails the statement: halves of it are asked, until it is alone. */
static gboolean
look (Reapply *reapply, const Job *job, Erased *const *rows, guint n, GError **error)
{
  GError *cause = NULL;
  g_autoptr (PgRows) found = ask (reapply, job, rows, n, &cause);
  if (found != NULL) {
    take (rows, found);
    return TRUE;
  }
  if (cause->code != PRUNED_DATA && !pg_is_no_value (reapply->pg)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  if (n > 1)
    return look (reapply, job, rows, n / 2, error)
           && look (reapply, job, rows + n / 2, n - n / 2, error);
  rows[0]->stays = NO_KEY;
  return TRUE;
}

/* Of a table that is another one now nothing is known: none of ROWS goes. */
static gboolean
stay (const GPtrArray *rows, const char *refusal)
{
  for (guint i = 0; i < rows->len; i++) {
    Erased *row = rows->pdata[i];
    g_clear_pointer (&row->refusal, g_free);
    row->stays = row->refusal = g_strdup_printf ("its table is %s", refusal);
  }
  return TRUE;
}

gboolean
reapply_look (Reapply *reapply, const Job *job, const char *table, const GPtrArray *rows,
              GError **error)
{
  g_autofree char *refusal = NULL;
  const Job *complete = pg_begin_read_only (reapply->pg, error)
                            ? job_complete (reapply->pg, job, &refusal, error)
                            : NULL;
  pg_rollback (reapply->pg);
  if (refusal != NULL && table != NULL)
    return stay (rows, refusal);
  if (refusal != NULL)
    return error_fatal (error, "job %s is %s", job->name, refusal);
  if (complete == NULL)
    return FALSE;
  Erased *const *all = (Erased *const *)rows->pdata;
  for (guint from = 0; from < rows->len; from += AT_ONCE)
    if (!look (reapply, complete, all + from, MIN (AT_ONCE, rows->len - from), error))
      return FALSE;
  return TRUE;
}

/* --- the run --- */

static gboolean
put_keys (Reapply *reapply, const char *run_id, const GPtrArray *rows, GError **error)
{
  GString *keys = array_new (), *times = array_new ();
  for (guint i = 0; i < rows->len; i++) {
    const Erased *row = rows->pdata[i];
    if (row->there == NULL || row->stays != NULL)
      continue;
    g_autofree char *time = clock_format (row->erased_us);
    array_add (keys, row->there);
    array_add (times, time);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run_id);
  pg_values_take (values, "key", array_take (keys));
  pg_values_take (values, "erased_at", array_take (times));
  g_autoptr (PgRows) put = pg_run_file (reapply->pg, SQL "keys_put.sql", values, error);
  return put != NULL;
}

gboolean
reapply_place (Reapply *reapply, const Job *job, const char *table, const GPtrArray *rows,
               char **run_id, char **before, GError **error)
{
  g_autofree char *since = clock_format (reapply->since_us), *at = clock_format (reapply->now_us);
  g_autoptr (json_t) args = json_pack ("{s:s, s:s*}", AGAIN_SINCE, since, AGAIN_TABLE, table);
  g_autofree char *text = json_text (args), *id = identity_tick (job->name, reapply->now_us, text);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", id);
  pg_values_set (values, "job", job->name);
  pg_values_set (values, "scheduled_at", at);
  pg_values_int (values, "slot", job_slot (job, id, args));
  pg_values_set (values, "args", text);
  pg_values_take (
      values, "unique_key",
      g_strconcat (job->name, "/" AGAIN_SINCE, table != NULL ? "/" : NULL, table, NULL));
  g_autoptr (PgRows) put = pg_run_file (reapply->pg, SQL "run_put.sql", values, error);
  if (put == NULL)
    return FALSE;
  *run_id = g_strdup (rows_text (put, 0, "run_id"));
  *before = g_strdup (rows_text (put, 0, "before"));
  return *before != NULL || put_keys (reapply, id, rows, error);
}
