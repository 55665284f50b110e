#include "cli/note.h"

#include "engine/ledger/journal.h"

gboolean
cli_note (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason,
          GError **error)
{
  const char *name = cli->command->name;
  g_autofree char *command = verb != NULL ? g_strdup_printf ("%s %s", name, verb) : g_strdup (name);
  JournalEntry entry = { command, object, reason };
  return journal_put (pg, cli->jobs, config_text (cli->config, "topics", "prefix"), &entry, error);
}

gboolean
cli_note_alone (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason,
                GError **error)
{
  if (pg_begin (pg, error) && cli_note (cli, pg, verb, object, reason, error)
      && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}

gboolean
cli_act_for_page (Cli *cli, GError **error)
{
  const char *act_id = g_getenv (CONFIG_PAGE_ACT);
  if (act_id == NULL)
    return TRUE;
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "act_id", act_id);
  g_autoptr (PgRows) rows = pg != NULL && pg_begin (pg, error)
                                ? pg_run_file (pg, "src/cli/sql/page_act.sql", values, error)
                                : NULL;
  if (rows == NULL || !pg_commit (pg, error))
    return FALSE;
  if (rows_count (rows) == 0)
    return error_fatal (error, CONFIG_PAGE_ACT ": the page has not asked for this command, or more "
                                               "than a minute ago");
  journal_act_for (rows_text (rows, 0, "person"));
  return TRUE;
}

void
cli_note_done (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Pg) own = pg == NULL ? cli_pg_bare (cli, &error) : NULL;
  if (own != NULL && !journal_is_there (own, &error) && error == NULL)
    return;
  if (error == NULL && cli_note_alone (cli, pg != NULL ? pg : own, verb, object, reason, &error))
    return;
  log_warning ("Command done, but the journal could not record it", "command", cli->command->name,
               "object", object, "error", error->message);
}
