#include "engine/no_effect.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/job/in_force.h"

typedef struct {
  GHashTable *before, *now; /* what was said, and what is said now; before NULL: nothing */
} Said;

/* Notes it. TRUE: it was not said before. */
static gboolean
is_new (Said *said, const Job *job, const char *value)
{
  char *line = g_strdup_printf ("%s %s", job->name, value);
  g_hash_table_add (said->now, line);
  return said->before == NULL || !g_hash_table_contains (said->before, line);
}

/* The jobs in the mode `apply` that start runs of JOB, with commas. NULL: none. g_free it. */
static char *
applying_parents (const Job *job)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *parent = jobs_at (in_force_jobs (), i);
    if (job_launches (parent, job->name) && in_force_mode (parent) == MODE_APPLY
        && in_force_of (parent)->enabled)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", parent->name);
  }
  return g_string_free (names, names->len == 0);
}

static void
say_planning (const Job *job, Said *said)
{
  g_autofree char *parents = in_force_mode (job) == MODE_PLAN ? applying_parents (job) : NULL;
  g_autofree char *remedy = g_strdup_printf ("[jobs.%s] mode = apply, or off", job->name);
  if (parents != NULL && is_new (said, job, parents))
    log_warning ("Job only plans, but jobs that start its runs apply: those runs end without"
                 " their work",
                 "job", job->name, "started_by", parents, "remedy", remedy);
}

static void
say_schedule (const Job *job, Said *said)
{
  const char *schedule = config_job_text (in_force_config (), job->name, "schedule");
  g_autofree char *remedy
      = g_strdup_printf ("[jobs.%s] schedule = a day that comes, or off", job->name);
  if (in_force_of (job)->cron != NULL && in_force_next (job, clock_now_us ()) < 0
      && is_new (said, job, schedule))
    log_warning ("Schedule never fires: no such day ever comes", "job", job->name, "schedule",
                 schedule, "remedy", remedy);
}

void
no_effect_say (void)
{
  static GHashTable *last;
  Said said = { last, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (!in_force_of (job)->enabled)
      continue;
    say_planning (job, &said);
    say_schedule (job, &said);
  }
  g_clear_pointer (&last, g_hash_table_unref);
  last = said.now;
}
