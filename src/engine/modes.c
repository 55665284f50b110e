#include "engine/modes.h"

#include "base/log.h"
#include "engine/job/in_force.h"

/* The names of the jobs that only plan, with commas. g_free it. */
static char *
planning (void)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (in_force_mode (job) == MODE_PLAN && in_force_of (job)->enabled)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", job->name);
  }
  if (jobs_count (in_force_jobs ()) == 0 && in_force_general_mode () == MODE_PLAN)
    g_string_append (names, "every job that is added");
  return g_string_free (names, FALSE);
}

void
modes_say (void)
{
  static char *said;
  g_autofree char *names = planning ();
  if (*names != '\0' && g_strcmp0 (names, said) != 0)
    log_warning ("Mode is plan: runs of these jobs change nothing", "jobs", names, "reason",
                 in_force_mode_is_recorded () ? "a new installation begins with plan"
                                              : "the configuration says so",
                 "remedy",
                 in_force_general_mode () == MODE_PLAN ? "[run] mode = apply"
                                                       : "[jobs.NAME] mode = apply");
  g_free (said);
  said = g_steal_pointer (&names);
}
