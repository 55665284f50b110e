/* Checks the standby on which pages are searched. */
#include "cli/doctor/doctor.h"
#include "cli/replica.h"
#include "config/settings.h"

#define LAG_BYTES (64 * 1024 * 1024)

static gboolean
has_sticky_jobs (const Jobs *jobs)
{
  gboolean any = FALSE;
  for (guint i = 0; i < jobs_count (jobs); i++)
    any |= job_is_sticky (jobs_at (jobs, i));
  return any;
}

void
doctor_replica (Doctor *doctor)
{
  const char *url = config_text (doctor->cli->config, "postgres", "replica_url");
  if (doctor->pg == NULL || !doctor->migrated || *url == '\0')
    return;
  g_autofree char *detail = NULL;
  ReplicaLook look = cli_replica_look (doctor->cli, doctor->pg, &detail);
  const char *unused = has_sticky_jobs (doctor->cli->jobs)
                           ? ""
                           : "; no job in force has data_consistency = sticky or delayed";
  if (look.state == REPLICA_USED
      || (look.state == REPLICA_BEHIND && look.behind_bytes < LAG_BYTES)) {
    doctor_ok (doctor, "standby", "it answers, behind the primary: %s%s", detail, unused);
    return;
  }
  g_autofree char *shown = setting_shown_url (url), *quoted = g_shell_quote (shown);
  g_autofree char *resume = g_strdup_printf ("psql %s -c 'SELECT pg_wal_replay_resume()'", quoted);
  g_autofree char *ask = g_strdup_printf ("psql %s -c 'SELECT pg_is_in_recovery()'", quoted);
  doctor_warn (doctor, "standby", look.state == REPLICA_PAUSED ? resume : ask,
               "[postgres] replica_url is not used (%s), pages are searched on the primary: %s",
               replica_words[look.state], detail);
}
