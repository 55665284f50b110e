#include "jobs/groups.destroy/drain.h"

#define MEMBER "member_id, user_id, source_type, source_id, access_level, expires_at"
#define ARTIFACTS                                                                                  \
  "pg_catalog.count(*) AS n, pg_catalog.count(file) AS files,"                                     \
  " (SELECT pg_catalog.count(*) FROM recorded) AS recorded"

/* Members last: the users who could see more through them are found by their memberships. */
static const Effect PROJECT_EFFECTS[] = { { "drain/projects/20-notification_settings", NULL },
                                          { "drain/projects/30-redirect_routes", NULL },
                                          { "drain/projects/40-ci_job_artifacts", ARTIFACTS },
                                          { "drain/projects/10-members", MEMBER ", user_type" },
                                          { NULL, NULL } };
static const Effect GROUP_EFFECTS[] = { { "drain/groups/20-notification_settings", NULL },
                                        { "drain/groups/30-redirect_routes", NULL },
                                        { "drain/groups/10-members", MEMBER ", user_type" },
                                        { NULL, NULL } };

/* OTHERS refer to the locked rows. The next step handles rows that a key only changes, further away
 * than what they refer to. */
static gboolean
sweep_own_others (Step *step, Portion *portion, const PgRows *others, GError **error)
{
  for (int i = 0; i < rows_count (others); i++)
    if (rows_text (others, i, "condition") == NULL)
      return !portion_is_kept (portion)
             || step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps rows of %s",
                           rows_text (others, i, "relation"));
  return drain_sweep_others (step, portion, others, error);
}

gboolean
drain_hold_own (Step *step, Portion *portion, const Referring *found, gboolean *clear,
                GError **error)
{
  static const char *const columns[] = { "hold", "look" };
  const PgRows *references = found->references;
  for (guint c = 0; c < G_N_ELEMENTS (columns); c++)
    for (int i = 0; i < rows_count (references); i++)
      if (rows_text (references, i, "sql") == NULL && rows_text (references, i, "look") != NULL
          && !step_queue_text (step, error, rows_text (references, i, columns[c]),
                               PORTION (portion)))
        return FALSE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  const PgRows *others = drain_first_found (answers, answers->len / 2);
  *clear = others == NULL;
  return *clear || sweep_own_others (step, portion, others, error);
}

/* A file that no row names any more must be recorded: who stores it would keep it for ever. */
static gboolean
note_artifacts (Step *step, const PgRows *answer, GError **error)
{
  gint64 files = rows_int (answer, 0, "files"), recorded = rows_int (answer, 0, "recorded");
  step_count (step, "artifacts", drain_changed (answer));
  return recorded == files
         || step_fail (
             step, error, PRUNED_DATA,
             "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
             " files of artifacts were not recorded in ci_deleted_objects (a trigger or a rule keeps them out)",
             files - recorded, files);
}

/* ANSWERS begins with those of the effects from FROM to TO. */
static gboolean
note_own (Step *step, Portion *portion, const GPtrArray *answers, guint from, guint to,
          GError **error)
{
  drain_note_gone (portion, answers, to - from);
  portion->own_gone = drain_all_empty (portion, answers, to - from);
  for (guint i = from; i < to; i++) {
    const Effect *effect = &(portion_is_groups (portion) ? GROUP_EFFECTS : PROJECT_EFFECTS)[i];
    if (g_strcmp0 (effect->columns, ARTIFACTS) == 0) {
      if (!note_artifacts (step, answers->pdata[i - from], error))
        return FALSE;
    } else if (effect->columns != NULL)
      portion_note_members (step, portion, answers->pdata[i - from]);
  }
  return TRUE;
}

/* One table after the other, until rows of one were deleted. */
static gboolean
drain_own_slowly (Step *step, Portion *portion, const Effect *effects, GError **error)
{
  portion->own_gone = TRUE;
  for (guint i = 0; effects[i].file != NULL && portion->own_gone; i++) {
    const Effect one[] = { effects[i], { NULL, NULL } };
    g_autoptr (GPtrArray) answers
        = portion_queue (step, portion, one, error) ? step_send (step, error) : NULL;
    if (answers == NULL || !note_own (step, portion, answers, i, i + 1, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
drain_own (Step *step, Portion *portion, const Referring *found, int next, gboolean *clear,
           GError **error)
{
  const Effect *effects = portion_is_groups (portion) ? GROUP_EFFECTS : PROJECT_EFFECTS;
  guint all = (portion_is_groups (portion) ? G_N_ELEMENTS (GROUP_EFFECTS)
                                           : G_N_ELEMENTS (PROJECT_EFFECTS))
              - 1,
        n;
  guint own = portion->cut ? 0 : all; /* in this round trip */
  *clear = FALSE;
  if (portion->cut && !drain_own_slowly (step, portion, effects, error))
    return FALSE;
  if (portion->cut && !portion->own_gone)
    return TRUE;
  if ((own > 0 && !portion_queue (step, portion, effects, error))
      || !drain_queue_holds (step, portion, found, next, found->n, &n, error))
    return FALSE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL || (own > 0 && !note_own (step, portion, answers, 0, own, error)))
    return FALSE;
  const PgRows *others = drain_first_found (answers, own + n / 2);
  *clear = others == NULL;
  /* OTHERS can be rows of the portion that have files of their own: these files delete them. */
  return *clear || !portion->own_gone || drain_sweep_others (step, portion, others, error);
}
