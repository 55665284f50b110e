#include "jobs/groups.destroy/drain.h"

#define MEMBER "member_id, user_id, source_type, source_id, access_level, expires_at"

/* Members last: those who could see more through them are looked up by them. */
static const Effect PROJECT_EFFECTS[] = { { "drain/projects/20-notification_settings", NULL },
                                          { "drain/projects/30-redirect_routes", NULL },
                                          { "drain/projects/40-ci_job_artifacts", NULL },
                                          { "drain/projects/10-members", MEMBER ", user_type" },
                                          { NULL, NULL } };
static const Effect GROUP_EFFECTS[] = { { "drain/groups/20-notification_settings", NULL },
                                        { "drain/groups/30-redirect_routes", NULL },
                                        { "drain/groups/10-members", MEMBER ", user_type" },
                                        { NULL, NULL } };

/* OTHERS refer to what is held. Rows that a key only changes are met by the next step, further away
 * than what they refer to. */
static gboolean
let_loose (Step *step, Batch *batch, const PgRows *others, GError **error)
{
  for (int i = 0; i < rows_count (others); i++)
    if (rows_text (others, i, "condition") == NULL)
      return batch->removed > 0 || !batch->again
             || step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps rows of %s",
                           rows_text (others, i, "relation"));
  return drain_sweep_others (step, batch, others, error);
}

gboolean
drain_hold_own (Step *step, Batch *batch, const Referring *found, gboolean *clear, GError **error)
{
  static const char *const columns[] = { "hold", "look" };
  const PgRows *references = found->references;
  for (guint c = 0; c < G_N_ELEMENTS (columns); c++)
    for (int i = 0; i < rows_count (references); i++)
      if (rows_text (references, i, "sql") == NULL && rows_text (references, i, "look") != NULL
          && !step_queue_text (step, error, rows_text (references, i, columns[c]), BATCH (batch)))
        return FALSE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  const PgRows *others = drain_first_found (answers, answers->len / 2);
  *clear = others == NULL;
  return *clear || let_loose (step, batch, others, error);
}

/* The effects from FROM to TO have been answered for by the first of ANSWERS. */
static void
note_own (Step *step, Batch *batch, const GPtrArray *answers, guint from, guint to)
{
  drain_note_gone (batch, answers, to - from);
  batch->own_gone = drain_all_empty (batch, answers, to - from);
  for (guint i = from; i < to; i++) {
    const Effect *effect = &(batch_is_groups (batch) ? GROUP_EFFECTS : PROJECT_EFFECTS)[i];
    if (effect->columns != NULL)
      batch_note_members (step, batch, answers->pdata[i - from]);
    else if (g_str_has_suffix (effect->file, "ci_job_artifacts"))
      step_count (step, "artifacts", drain_changed (answers->pdata[i - from]));
  }
}

/* One table after the other, until something goes. */
static gboolean
drain_own_slowly (Step *step, Batch *batch, const Effect *effects, GError **error)
{
  batch->own_gone = TRUE;
  for (guint i = 0; effects[i].file != NULL && batch->own_gone; i++) {
    const Effect one[] = { effects[i], { NULL, NULL } };
    g_autoptr (GPtrArray) answers
        = batch_queue (step, batch, one, error) ? step_send (step, error) : NULL;
    if (answers == NULL)
      return FALSE;
    note_own (step, batch, answers, i, i + 1);
  }
  return TRUE;
}

gboolean
drain_own (Step *step, Batch *batch, const Referring *found, int next, gboolean *clear,
           GError **error)
{
  const Effect *effects = batch_is_groups (batch) ? GROUP_EFFECTS : PROJECT_EFFECTS;
  guint all
      = (batch_is_groups (batch) ? G_N_ELEMENTS (GROUP_EFFECTS) : G_N_ELEMENTS (PROJECT_EFFECTS))
        - 1,
      n;
  guint own = batch->cut ? 0 : all; /* in this round trip */
  *clear = FALSE;
  if (batch->cut && (!drain_own_slowly (step, batch, effects, error) || !batch->own_gone))
    return !batch->own_gone;
  if ((own > 0 && !batch_queue (step, batch, effects, error))
      || !drain_queue_holds (step, batch, found, next, found->n, &n, error))
    return FALSE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  if (own > 0)
    note_own (step, batch, answers, 0, own);
  const PgRows *others = drain_first_found (answers, own + n / 2);
  *clear = others == NULL;
  /* What belongs to it may refer to that too: it goes by its own files. */
  return *clear || !batch->own_gone || drain_sweep_others (step, batch, others, error);
}
