/* `pruned forget`: takes a row's records out of the audit, and records that. Only the owner of
 * schema pruned may change the audit, so this command runs as the owner. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/view/row/item.h"
#include "cli/note.h"
#include "engine/ledger/schema.h"

#include <string.h>

#define SQL "src/cli/sql/"
#define LONGEST_MS (24 * 60 * 60 * 1000) /* it can read the whole audit */

static char *reason;

const GOptionEntry forget_options[]
    = { { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "why; the journal keeps it", "TEXT" },
        { NULL } };

const char forget_more[]
    = "KEY is the whole primary key: a number, a text, or a JSON object of all its columns. The records of that row are taken out, and those of rows "
      "that refer to it: by a foreign key, and for users by the columns that users.destroy knows. The audit records how many were taken out.\n"
      "Rows recorded by keys only ([audit] rows) have no personal data and stay. Files of an archive that have the row are named, and not changed. A row on hold is refused. Run it as the owner of schema pruned, as `pruned migrate`.";

static const Column COLUMNS[] = { { "table" }, { "forgotten", CELL_NUMBER }, { NULL } };

/* As cli_pg, with a longer time-out. */
static Pg *
connected (Cli *cli, GError **error)
{
  PgSettings settings
      = { .url = config_text (cli->config, "postgres", "url"),
          .app_schema = config_text (cli->config, "postgres", "app_schema"),
          .extension_schemas = config_text (cli->config, "postgres", "extension_schemas"),
          .name = "pruned forget",
          .answer_ms = LONGEST_MS,
          .asks_commits = TRUE,
          .may_commit = cli->may_commit };
  g_autoptr (Pg) pg = pg_new (&settings);
  if (pg_ensure (pg, error) && schema_check (pg, error))
    return g_steal_pointer (&pg);
  cli_pg_failed_owner (cli, pg, error);
  return NULL;
}

/* As in the audit, only a key that is a number is recorded: a text can be personal data. */
static gboolean
note (Cli *cli, Pg *pg, GError **error)
{
  const char *key = cli->arguments[1];
  gboolean number = *key != '\0' && strspn (key, "0123456789") == strlen (key);
  g_autofree char *object = g_strjoin (" ", cli->arguments[0], number ? key : NULL, NULL);
  return cli_note (cli, pg, NULL, object, reason, error);
}

typedef struct {
  Cli *cli;
  Pg *pg;
  const Item *item;
  GPtrArray *tables; /* of char: those that had records */
  GArray *counts;    /* of gint64, beside tables */
  GPtrArray *files;  /* of char: of an archive; they keep the row */
} Forgetting;

static void
add (Forgetting *forgetting, const char *table, gint64 n)
{
  guint at;
  if (g_ptr_array_find_with_equal_func (forgetting->tables, table, g_str_equal, &at))
    g_array_index (forgetting->counts, gint64, at) += n;
  else {
    g_ptr_array_add (forgetting->tables, g_strdup (table));
    g_array_append_val (forgetting->counts, n);
  }
}

static gboolean
find_files (const char *key, Forgetting *forgetting, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", forgetting->item->table);
  pg_values_set (values, "key", key);
  g_autoptr (PgRows) rows = pg_run_file (forgetting->pg, SQL "forget_files.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_ptr_array_add (forgetting->files, g_strdup (rows_text (rows, i, "path")));
  return rows != NULL;
}

static gboolean
refuse_held (const char *key, const Forgetting *forgetting, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", forgetting->item->table);
  pg_values_set (values, "key", key);
  g_autoptr (PgRows) rows = pg_run_file (forgetting->pg, SQL "forget_held.sql", values, error);
  return rows != NULL
         && (rows_count (rows) == 0
             || error_reject (error,
                              "the row is on hold, so its records stay: %s, by %s (hold %s); once"
                              " that has ended: pruned release %s",
                              rows_text (rows, 0, "reason"), rows_text (rows, 0, "who"),
                              rows_text (rows, 0, "hold_id"), rows_text (rows, 0, "hold_id")));
}

static gboolean
forget_key (const char *key, const char *in_json, gpointer data, GError **error)
{
  Forgetting *forgetting = data;
  const Config *config = forgetting->cli->config;
  if (!refuse_held (key, forgetting, error) || !find_files (key, forgetting, error))
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", forgetting->item->table);
  pg_values_set (values, "known", forgetting->item->known);
  pg_values_set (values, "key", key);
  pg_values_set (values, "in_json", in_json);
  pg_values_set (values, "references", config_job_text (config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (config, "users.delete_placeholder", "references"));
  g_autoptr (PgRows) rows = pg_run_file (forgetting->pg, SQL "forget.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    add (forgetting, rows_text (rows, i, "name"), rows_int (rows, i, "n"));
  return rows != NULL;
}

static gboolean
forget (Forgetting *forgetting, GError **error)
{
  Pg *pg = forgetting->pg;
  return pg_begin (pg, error) && pg_exec (pg, "SET LOCAL statement_timeout = 0", error)
         && pg_exec (pg, "SET LOCAL enable_seqscan = off", error)
         && item_each_key (forgetting->item, forget_key, forgetting, error)
         && (forgetting->tables->len == 0 || note (forgetting->cli, pg, error))
         && pg_commit (pg, error);
}

/* The audit can have records of a table that is gone or that had another key: then the key is as
 * they have it, and *DOUBT says what is wrong with it. */
static ExitCode
look (const Cli *cli, Pg *pg, Item *item, GError **doubt, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const ItemEnd end = item_check (item, cli->jobs, pg, TRUE, &cause);
  if (end == ITEM_READ)
    return CODE_OK;
  if (end == ITEM_FAILED) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return cli_pg_failed (pg, error);
  }
  if (end == ITEM_WRONG)
    *doubt = g_steal_pointer (&cause);
  return cli_row_end (item_take_recorded (item, pg, error), pg, error);
}

static ExitCode
none_found (Cli *cli, GError *doubt, GError **error)
{
  if (doubt == NULL)
    return cli_fail (CODE_NOT_FOUND, error, "the audit holds no row of %s %s", cli->arguments[0],
                     cli->arguments[1]);
  g_propagate_error (error, doubt);
  return CODE_USAGE;
}

ExitCode
command_forget (Cli *cli, GError **error)
{
  g_auto (Item) item = { 0 };
  if (!item_make (cli->arguments[0], cli->arguments[1], &item, error))
    return CODE_USAGE;
  g_autoptr (Pg) pg = connected (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (GError) doubt = NULL;
  ExitCode code = look (cli, pg, &item, &doubt, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  Forgetting forgetting = { cli, pg, &item, tables, counts, files };
  if (!forget (&forgetting, error)) {
    code
        = (*error)->code == PRUNED_REJECT ? CODE_ENDED_BADLY : cli_pg_failed_owner (cli, pg, error);
    pg_rollback (pg);
    return code;
  }
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < tables->len; i++)
    output_row (cli->out, json_string (tables->pdata[i]),
                json_integer (g_array_index (counts, gint64, i)));
  output_end (cli->out);
  for (guint i = 0; i < files->len; i++)
    log_warning ("A file of an archive still has the row", "file", files->pdata[i]);
  if (tables->len == 0 && files->len == 0)
    return none_found (cli, g_steal_pointer (&doubt), error);
  return CODE_OK;
}
