#include "pruned/job.h"

#include "jobs/jobs.h"
#include "jobs/shared/placeholder.h"
#include "jobs/shared/stamp.h"

#define STILL_REFERENCED                                                                           \
  "Unable to delete placeholder user because it is still referenced in other tables"

static json_t *
about (Step *step, const char *username)
{
  return json_pack ("{s:O, s:s*}", "placeholder_user_id",
                    json_object_get (step_args (step), "placeholder_user_id"), "user", username);
}

static gboolean
keep (Step *step, const char *user, const char *username, const PgRows *reference, GError **error)
{
  const char *table = rows_text (reference, 0, "table"),
             *column = rows_text (reference, 0, "column");
  g_autofree char *reason = g_strdup_printf ("still referenced in %s.%s", table, column);
  if (!placeholder_abandon (step, user, reason, error))
    return FALSE;
  step_count (step, "kept", 1);
  step_reason (step, reason);
  json_t *where = json_pack ("{s:s, s:s}", "table", table, "column", column);
  json_t *outcome = about (step, NULL), *line = about (step, username);
  json_object_update (outcome, where);
  json_object_update_new (line, where);
  step_outcome (step, "PlaceholderKept", user, outcome);
  step_log (step, LOG_WARNING, STILL_REFERENCED, line);
  return TRUE;
}

static void
hand_over (Step *step, const char *user)
{
  g_autofree char *key = g_strconcat ("users.destroy:", user, NULL);
  json_t *args = json_pack ("{s:O, s:s}", "user_id",
                            json_object_get (step_args (step), "placeholder_user_id"), "reason",
                            PLACEHOLDER_REASON);
  step_child (step, "users.destroy", args, user, key, 0);
}

gboolean
delete_placeholder_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  Step *step = steps[0];
  const char *user = step_arg (step, "placeholder_user_id");
  if (user == NULL)
    return step_fail (step, error, PRUNED_REJECT, "missing argument placeholder_user_id");
  g_autofree char *stamp = stamp_begin (step, "../shared/reference_names",
                                        step_setting_text (step, "references"), NULL, error);
  g_autoptr (PgRows) found = stamp != NULL ? placeholder_find (step, user, error) : NULL;
  if (found == NULL)
    return FALSE;
  const char *username = rows_count (found) > 0 ? rows_text (found, 0, "username") : NULL;
  const char *reason = placeholder_why_not (found);
  if (reason != NULL) {
    step_reason (step, reason);
    step_log (step, LOG_INFO, "Placeholder user is left alone", about (step, username));
    return TRUE;
  }
  g_autoptr (PgRows) reference = placeholder_reference (step, stamp, user, error);
  if (reference == NULL)
    return FALSE;
  if (rows_count (reference) > 0)
    return keep (step, user, username, reference, error);
  hand_over (step, user);
  return TRUE;
}
