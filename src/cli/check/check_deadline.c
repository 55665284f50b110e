/* The condition behind `unless` of a deadline: PostgreSQL must take it. */
#include "cli/check/check.h"

#include "engine/step/overdue.h"

void
check_deadline (Check *check)
{
  const Job *job = check->job;
  g_autoptr (GError) error = NULL;
  if (job->sentence->unless == NULL)
    return;
  /* a job that is only being loaded has no settings in force, and any deadline shows it */
  g_autoptr (json_t) settings = json_pack ("{s:s}", "deadline", "1 day"),
                     rule = overdue_rule (job, settings);
  if (overdue_unless_is_taken (check->pg, job, rule, &error))
    return;
  const ExitCode code = check_code (check, error);
  g_autofree char *hint = check_hint (check, job->sentence->unless, error);
  check_error (check, code, "statements", check_place_of_key (check, "deadline"),
               check_remedy (check, code, error), "deadline: %s%s", error->message, hint);
}
