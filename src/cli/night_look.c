#include "cli/night_look.h"

#include "cli/running_settings.h"
#include "engine/ledger/mode.h"

PgRows *
night_look (Cli *cli, Pg *pg, const char *since, GError **error)
{
  if (!mode_read (pg, error))
    return NULL;
  g_autoptr (PgRows) running = running_settings_look (pg, error);
  if (running == NULL)
    return NULL;
  g_autoptr (json_t) settings = json_object ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    json_object_set_new (settings, job->name, running_settings_of (running, job));
  }
  g_autoptr (Night) night = night_new (settings);
  PgRows *rows = pg_begin_read_only (pg, error) ? night_ask (pg, night, since, error) : NULL;
  pg_rollback (pg);
  return rows;
}
