#include "engine/brakes/approved_version.h"

#include "engine/job/in_force.h"

typedef struct {
  GChecksum *more;
  gboolean any;
} Known;

static void
add (Known *known, const char *name, const char *value)
{
  g_checksum_update (known->more, (const guchar *)name, -1);
  g_checksum_update (known->more, (const guchar *)"=", 1);
  g_checksum_update (known->more, (const guchar *)value, -1);
  g_checksum_update (known->more, (const guchar *)"\n", 1);
  known->any = TRUE;
}

/* Not where it has its default. */
static void
add_setting (Known *known, const Job *job, const char *key, const char *normal)
{
  const char *value
      = job_reads (job, key) ? config_job_text (in_force_config (), job->name, key) : normal;
  g_autofree char *name = g_strconcat (job->name, ".", key, NULL);
  if (!g_str_equal (value, normal))
    add (known, name, value);
}

/* The lists of columns of the built-in jobs hold for each other. */
static void
add_references (Known *known, const Job *job)
{
  const Jobs *jobs = in_force_jobs ();
  if (!job->built_in)
    add_setting (known, job, "references", "");
  for (guint i = 0; job->built_in && job_reads (job, "references") && i < jobs_count (jobs); i++)
    if (jobs_at (jobs, i)->built_in)
      add_setting (known, jobs_at (jobs, i), "references", "");
}

static void
add_events (Known *known, const Job *job)
{
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->own != NULL)
      add (known, event->own->name, event->own->version);
    if (event->own != NULL && event->cancel != NULL)
      add (known, event->cancel->name, event->cancel->version);
  }
}

char *
approved_version (const Job *job)
{
  g_autoptr (GChecksum) more = g_checksum_new (G_CHECKSUM_SHA256);
  Known known = { .more = more };
  add_references (&known, job);
  add_setting (&known, job, "finish", "on");
  add_events (&known, job);
  return known.any ? g_strdup_printf ("%s+%.16s", job->version, g_checksum_get_string (more))
                   : g_strdup (job->version);
}
