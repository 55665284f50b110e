#include "cli/reapply/reapply.h"

#include "base/clock.h"
#include "base/plural.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/note.h"
#include "cli/whose.h"
#include "engine/job/sentence/sentence_again.h"
#include "engine/outbox/remember.h"

#include <string.h>

#define SQL "src/cli/reapply/sql/"
#define DAMAGED_MOST 10 /* that are named */

static char *since, *reason;
static gboolean dry_run, new_key;

const GOptionEntry reapply_options[] = {
  { "since", 0, 0, G_OPTION_ARG_STRING, &since,
    "rows that went at this time or later: that of the backup, or a little before it", "TIME" },
  { "dry-run", 0, 0, G_OPTION_ARG_NONE, &dry_run, "only show which rows are there again", NULL },
  { "new-key", 0, 0, G_OPTION_ARG_NONE, &new_key,
    "instead: from now on seal with the key in key_file; what other keys have sealed needs "
    "these",
    NULL },
  { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; the journal keeps it", "TEXT" },
  { NULL }
};

const char reapply_more[]
    = "TIME is RFC 3339 with zone, YYYY-MM-DD (00:00 UTC), or -10m, -2h, -1d before now. Each row of the ledger of erasures that is there "
      "again has a line: again (it goes), or stays, with the reason. The rows of a job are one run of it, which is held: `pruned approve "
      "RUN` lets it take exactly these, as the job takes rows, and none that was made after its erasure. It can be repeated. Exit code 2 "
      "if entries are of another database, sealed with another key, or damaged, 6 if their job is not here.";

static const Column COLUMNS[]
    = { { "job" },   { "key" }, { "erased_at", CELL_TIME }, { "verdict" }, { "reason" },
        { "table" }, { NULL } };

static void
erased_free (gpointer data)
{
  Erased *row = data;
  g_free (row->job);
  g_free (row->table);
  g_free (row->key);
  g_free (row->there);
  g_free (row->refusal);
  g_free (row);
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Erased *x = *(Erased *const *)a, *y = *(Erased *const *)b;
  return g_strcmp0 (x->key, y->key);
}

/* Rows that one run takes: those of a sentence, or of one table of another job. */
typedef struct {
  const char *job_name;
  const Job *job, *again; /* again: that of such runs; both NULL: it is not here */
  const char *table;      /* of what is no sentence; NULL: of one */
  GPtrArray *rows;        /* of Erased, borrowed */
  gint64 above;           /* how many tables of the job refer to it, at any distance */
} Part;

static void
part_free (gpointer data)
{
  Part *part = data;
  g_ptr_array_unref (part->rows);
  g_free (part);
}

static Part *
part_new (const Reapply *reapply, const Erased *row)
{
  Part *part = g_new0 (Part, 1);
  const Job *job = jobs_find (reapply->cli->jobs, row->job);
  part->job_name = row->job;
  part->rows = g_ptr_array_new ();
  if (job == NULL || job->remember_days == 0)
    return part;
  part->job = job;
  part->table = job->sentence == NULL ? row->table : NULL;
  part->again = job->sentence == NULL ? sentence_again_about (job, row->table) : job;
  return part;
}

static int
by_job_and_table (gconstpointer a, gconstpointer b)
{
  const Part *x = *(Part *const *)a, *y = *(Part *const *)b;
  const int order = strcmp (x->job_name, y->job_name);
  return order != 0             ? order
         : x->above != y->above ? (x->above > y->above) - (x->above < y->above)
                                : g_strcmp0 (x->table, y->table);
}

/* Of Part. */
static GPtrArray *
parts_of (const Reapply *reapply)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (part_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, reapply->rows);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Erased *row = value;
    const Job *job = jobs_find (reapply->cli->jobs, row->job);
    const char *table = job != NULL && job->sentence == NULL ? row->table : "";
    g_autofree char *name = g_strconcat (row->job, "/", table, NULL);
    Part *part = g_hash_table_lookup (known, name);
    if (row->back)
      continue;
    if (part == NULL) {
      g_ptr_array_add (parts, part = part_new (reapply, row));
      g_hash_table_insert (known, g_steal_pointer (&name), part);
    }
    g_ptr_array_add (part->rows, value);
  }
  return parts;
}

/* Tables to which others refer go after these. */
static gboolean
sort (Reapply *reapply, GPtrArray *parts, GError **error)
{
  GString *tables = array_new ();
  for (guint i = 0; i < parts->len; i++)
    array_add (tables, ((const Part *)parts->pdata[i])->table);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "table", array_take (tables));
  g_autoptr (PgRows) rows = pg_run_file (reapply->pg, SQL "above.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    ((Part *)parts->pdata[rows_int (rows, i, "pos") - 1])->above = rows_int (rows, i, "n");
  g_ptr_array_sort (parts, by_job_and_table);
  return rows != NULL;
}

/* --- what is said --- */

static void
show (const Reapply *reapply, const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const Erased *row = rows->pdata[i];
    if (row->there == NULL && row->stays == NULL)
      continue;
    g_autofree char *at = clock_format (row->erased_us);
    output_row (reapply->cli->out, json_string (row->job),
                json_string (row->there != NULL ? row->there : row->key),
                cell_from_text (CELL_TIME, at),
                json_string (row->stays == NULL ? "again" : "stays"),
                row->stays != NULL ? json_string (row->stays) : NULL, json_string (row->table));
  }
}

static ExitCode
say_rest (const Reapply *reapply, const GString *absent, GError **error)
{
  Output *out = reapply->cli->out;
  const guint rows = g_hash_table_size (reapply->rows);
  output_say (out, "%u %s of the ledger since then, %u %s.", reapply->n,
              plural (reapply->n, "entry", "entries"), rows, plural (rows, "row", "rows"));
  if (reapply->expired > 0)
    output_say (out, "%u %s: their time is over (remember).", reapply->expired,
                plural (reapply->expired, "is forgotten", "are forgotten"));
  for (guint i = 0; i < MIN (reapply->damaged->len, DAMAGED_MOST); i++)
    output_say (out, "Damaged: %s", (char *)reapply->damaged->pdata[i]);
  if (reapply->sealed > 0)
    return cli_fail (CODE_CONFIG, error,
                     "%u %s sealed with another key (%s): add its file to [erasures] key_file, "
                     "behind a comma",
                     reapply->sealed, plural (reapply->sealed, "entry is", "entries are"),
                     reapply->other_key);
  if (reapply->strange > 0)
    return cli_fail (CODE_CONFIG, error, "%u %s of another database: its rows are none of this one",
                     reapply->strange, plural (reapply->strange, "entry is", "entries are"));
  if (reapply->n_damaged > 0)
    return cli_fail (
        CODE_CONFIG, error,
        "%" G_GINT64_FORMAT " %s cannot be read: what they say went was not looked for",
        reapply->n_damaged, plural (reapply->n_damaged, "damaged entry", "damaged entries"));
  if (absent->len > 0)
    return cli_fail (CODE_NOT_FOUND, error,
                     "there is no job any more, or it does not remember: %s; its rows were not"
                     " looked for",
                     absent->str);
  return CODE_OK;
}

/* --- the runs --- */

static ExitCode
place (Reapply *reapply, const Part *part, guint n, GError **error)
{
  g_autofree char *run_id = NULL, *before = NULL;
  const char *of = part->table != NULL ? " of " : "",
             *table = part->table != NULL ? part->table : "";
  gboolean ok
      = pg_begin (reapply->pg, error)
        && reapply_place (reapply, part->again, part->table, part->rows, &run_id, &before, error)
        && (before != NULL || cli_note (reapply->cli, reapply->pg, NULL, run_id, reason, error))
        && pg_commit (reapply->pg, error);
  if (!ok) {
    const ExitCode code = cli_pg_failed (reapply->pg, error);
    pg_rollback (reapply->pg);
    return code;
  }
  if (before != NULL)
    output_say (reapply->cli->out,
                "%s%s%s: run %s of an earlier `pruned reapply` is %s: approve or discard it first.",
                part->job_name, of, table, run_id, before);
  else
    output_say (reapply->cli->out,
                "%s: %u %s%s%s again with run %s. It is held until: pruned approve %s",
                part->job_name, n, plural (n, "row", "rows"), of, table, run_id, run_id);
  return CODE_OK;
}

static guint
count (const GPtrArray *rows)
{
  guint n = 0;
  for (guint i = 0; i < rows->len; i++) {
    const Erased *row = rows->pdata[i];
    n += row->there != NULL && row->stays == NULL;
  }
  return n;
}

/* Looks for the rows of each part and shows them. */
static ExitCode
look (Reapply *reapply, const GPtrArray *parts, GString *absent, GError **error)
{
  const char *last = NULL;
  for (guint i = 0; i < parts->len; i++) {
    const Part *part = parts->pdata[i];
    if (part->job == NULL) {
      if (g_strcmp0 (last, part->job_name) != 0)
        g_string_append_printf (absent, "%s%s", absent->len > 0 ? ", " : "", part->job_name);
      last = part->job_name;
      continue;
    }
    g_ptr_array_sort (part->rows, by_key);
    if (!reapply_look (reapply, part->again, part->table, part->rows, error))
      return (*error)->code == PRUNED_FATAL ? CODE_CONFIG : cli_pg_failed (reapply->pg, error);
    show (reapply, part->rows);
  }
  return CODE_OK;
}

static ExitCode
do_jobs (Reapply *reapply, GError **error)
{
  g_autoptr (GPtrArray) parts = parts_of (reapply);
  g_autoptr (GString) absent = g_string_new (NULL);
  if (!sort (reapply, parts, error))
    return cli_pg_failed (reapply->pg, error);
  output_table (reapply->cli->out, COLUMNS);
  ExitCode code = look (reapply, parts, absent, error);
  if (code != CODE_OK)
    return code;
  output_end_list (reapply->cli->out, "No row of the ledger is there.");
  for (guint i = 0; !dry_run && i < parts->len; i++) {
    const Part *part = parts->pdata[i];
    const guint n = count (part->rows);
    if (n > 0 && (code = place (reapply, part, n, error)) != CODE_OK)
      return code;
  }
  return say_rest (reapply, absent, error);
}

static ExitCode
take_key (Reapply *reapply, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key_id", seal_key_id (reapply->keys->pdata[0]));
  g_autoptr (PgRows) put = pg_begin (reapply->pg, error)
                               ? pg_run_file (reapply->pg, SQL "key_new.sql", values, error)
                               : NULL;
  if (put != NULL
      && cli_note (reapply->cli, reapply->pg, "--new-key", seal_key_id (reapply->keys->pdata[0]),
                   reason, error)
      && pg_commit (reapply->pg, error)) {
    output_say (reapply->cli->out, "Entries are sealed with the key %s from now on.",
                seal_key_id (reapply->keys->pdata[0]));
    return CODE_OK;
  }
  const ExitCode code = cli_pg_failed (reapply->pg, error);
  pg_rollback (reapply->pg);
  return code;
}

static ExitCode
do_all (Reapply *reapply, GError **error)
{
  if ((reapply->pg = cli_pg (reapply->cli, error)) == NULL)
    return CODE_POSTGRES;
  if (new_key)
    return take_key (reapply, error);
  ExitCode code = cli_whose (reapply->cli, reapply->pg, error);
  if (code == CODE_OK)
    code = reapply_read (reapply, error);
  return code == CODE_OK ? do_jobs (reapply, error) : code;
}

ExitCode
command_reapply (Cli *cli, GError **error)
{
  Reapply reapply = { .cli = cli, .now_us = clock_now_us () };
  reapply.now_us -= reapply.now_us % 1000;
  if (since == NULL && !new_key)
    return cli_usage (error, "--since TIME is missing: when was the backup made?");
  if (since != NULL && !cli_time (since, &reapply.since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  if (!remember_is_on (cli->config))
    return cli_fail (CODE_CONFIG, error, "there is no ledger: [erasures] ledger is off");
  if ((reapply.keys = remember_keys (cli->config, error)) == NULL)
    return CODE_CONFIG;
  reapply.damaged = g_ptr_array_new_with_free_func (g_free);
  reapply.rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, erased_free);
  const ExitCode code = do_all (&reapply, error);
  g_hash_table_unref (reapply.rows);
  g_clear_pointer (&reapply.pg, pg_free);
  g_ptr_array_unref (reapply.keys);
  g_ptr_array_unref (reapply.damaged);
  g_free (reapply.other_key);
  return code;
}
