/* `pruned forget`: takes a row's records out of the audit, and records that. Only the owner of
 * schema pruned may change the audit, so this command runs as the owner. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/item.h"
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
      "Rows recorded by keys only ([audit] rows) have no personal data and stay. Run it as the owner of schema pruned, as `pruned migrate`.";

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
          .asks_commits = TRUE };
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

static PgRows *
forget (Cli *cli, Pg *pg, const Item *item, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", item->table);
  pg_values_set (values, "key", item->key);
  pg_values_set (values, "in_json", item->in_json);
  pg_values_set (values, "references",
                 config_job_text (cli->config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (cli->config, "users.delete_placeholder", "references"));
  if (!pg_begin (pg, error) || !pg_exec (pg, "SET LOCAL statement_timeout = 0", error)
      || !pg_exec (pg, "SET LOCAL enable_seqscan = off", error))
    return NULL;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "forget.sql", values, error);
  if (rows == NULL || (rows_count (rows) > 0 && !note (cli, pg, error)) || !pg_commit (pg, error))
    return NULL;
  return g_steal_pointer (&rows);
}

/* The audit can have records of a table that is gone or that had another key: then the key is as
 * they have it, and *DOUBT says what is wrong with it. */
static ExitCode
look (Pg *pg, Item *item, GError **doubt, GError **error)
{
  g_autoptr (GError) cause = NULL;
  ExitCode code = item_check (item, pg, TRUE, &cause);
  if (code == CODE_OK)
    return CODE_OK;
  if (code != CODE_USAGE && code != CODE_NOT_FOUND) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return code;
  }
  if (code == CODE_USAGE)
    *doubt = g_steal_pointer (&cause);
  return item_take_recorded (item, pg, error);
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
  ExitCode code = look (pg, &item, &doubt, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgRows) rows = forget (cli, pg, &item, error);
  if (rows == NULL) {
    code = cli_pg_failed_owner (cli, pg, error);
    pg_rollback (pg);
    return code;
  }
  output_table (cli->out, COLUMNS);
  for (int i = 0; i < rows_count (rows); i++)
    output_row (cli->out, json_string (rows_text (rows, i, "name")),
                json_integer (rows_int (rows, i, "n")));
  output_end (cli->out);
  if (rows_count (rows) == 0)
    return none_found (cli, g_steal_pointer (&doubt), error);
  return CODE_OK;
}
