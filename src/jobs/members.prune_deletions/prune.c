#include "jobs/members.prune_deletions/prune.h"

#include "base/plural.h"
#include "jobs/jobs.h"
#include "jobs/shared/below_members.h"

#define BUSY_MOST 10000 /* schedules that a round puts off */

static void
turn_clear (gpointer turn)
{
  json_decref (((Turn *)turn)->denied);
}

static const char *
column (const Prune *prune, const Turn *turn, const char *name)
{
  return rows_text (prune->schedules, turn->row, name);
}

static json_int_t
number (const Prune *prune, const Turn *turn, const char *name)
{
  return rows_int (prune->schedules, turn->row, name);
}

static void
log_denied (Prune *prune, const Turn *turn, const PgRows *decided, int row, const PgRows *context)
{
  json_t *fields = json_pack (
      "{s:I, s:I, s:I, s:I, s:s*}", "user_id", number (prune, turn, "user_id"), "namespace_id",
      number (prune, turn, "namespace_id"), "scheduled_by_id",
      number (prune, turn, "scheduled_by_id"), "member_id",
      (json_int_t)rows_int (decided, row, "key"), "reason", rows_text (decided, row, "why"));
  static const char *const about[] = { "user", "project", "namespace", "root_namespace" };
  for (int i = 0; i < rows_count (context); i++)
    for (guint f = 0;
         f < G_N_ELEMENTS (about) && rows_int (context, i, "key") == rows_int (decided, row, "key");
         f++)
      if (rows_text (context, i, about[f]) != NULL)
        json_object_set_new (fields, about[f], json_string (rows_text (context, i, about[f])));
  step_log (prune->step, LOG_WARNING, "Denied scheduled member deletion", fields);
}

/* Counts the page's results. A membership without a result has failed, in this step or before. */
static gboolean
tally (Prune *prune, Turn *turn, const PgRows *decided, GError **error)
{
  g_autoptr (GArray) denied = g_array_new (FALSE, FALSE, sizeof (int));
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (decided); i++) {
    const char *what = step_what (prune->step, decided, i);
    if (rows_int (decided, i, "schedule_id") != turn->id || g_str_equal (what, "failed"))
      continue;
    turn->answered++;
    turn->removed += g_str_equal (what, "removed");
    if (!g_str_equal (what, "denied") && !g_str_equal (what, "last_owner"))
      continue;
    g_array_append_val (denied, i);
    array_add (keys, rows_text (decided, i, "key"));
    json_array_append_new (turn->denied, json_integer (rows_int (decided, i, "key")));
  }
  g_autofree char *key = array_take (keys);
  if (denied->len == 0)
    return TRUE;
  g_autoptr (PgRows) context = step_query (prune->step, error, "context", "key", key, NULL);
  for (guint i = 0; context != NULL && i < denied->len; i++)
    log_denied (prune, turn, decided, g_array_index (denied, int, i), context);
  return context != NULL;
}

static void
report (Prune *prune, const Turn *turn, double seconds)
{
  step_log (prune->step, LOG_INFO, "Processed scheduled member deletion",
            json_pack ("{s:I, s:I, s:i, s:f}", "user_id", number (prune, turn, "user_id"),
                       "namespace_id", number (prune, turn, "namespace_id"), "destroyed_count",
                       turn->removed, "destroy_duration_s", seconds));
  step_outcome (prune->step, "MemberDeletionProcessed", column (prune, turn, "id"),
                json_pack ("{s:s, s:s, s:s, s:i, s:O}", "schedule_id", column (prune, turn, "id"),
                           "user_id", column (prune, turn, "user_id"), "namespace_id",
                           column (prune, turn, "namespace_id"), "removed", turn->removed,
                           "denied_member_ids", turn->denied));
}

/* The memberships of TURN that IS says yes to. */
static int
count_those (const Prune *prune, const Turn *turn,
             gboolean (*is) (const Step *step, const char *key))
{
  int n = 0;
  for (int i = 0; i < turn->asked; i++) {
    g_autofree char *key = g_strdup_printf (
        "%" G_GINT64_FORMAT, g_array_index (prune->keys, gint64, turn->first + (guint)i));
    n += is (prune->step, key);
  }
  return n;
}

PassEnd
prune_conclude (Prune *prune, const Turn *turn)
{
  const int busy = count_those (prune, turn, step_is_busy),
            left = turn->asked - turn->answered - busy - turn->kept;
  PassPart part = { turn->more, turn->after, turn->removed, left, busy, turn->kept };
  gint64 stuck;
  PassEnd end = pass_add (prune->passes, turn->id, &part, &stuck);
  if (end == PASS_CONTINUES)
    prune->from = MIN (prune->from, turn->id);
  else if (end == PASS_DONE)
    g_array_append_val (prune->done, turn->id);
  else if (end == PASS_BUSY)
    prune_pass_over (prune, turn->id, FALSE);
  else if (end == PASS_KEPT)
    prune_keep (prune, turn->id);
  else if (end == PASS_STUCK) {
    g_autofree char *reason = g_strdup_printf (
        "%" G_GINT64_FORMAT " %s of user %s in the hierarchy of namespace %s"
        " cannot be removed: %s in quarantine",
        stuck, plural (stuck, "membership", "memberships"), column (prune, turn, "user_id"),
        column (prune, turn, "namespace_id"), plural (stuck, "it is", "they are"));
    prune_quarantine (prune, turn->id, reason, FALSE);
  }
  return end;
}

/* Most of the page is held, or all of it, and nothing has changed: its schedules are tried one by
 * one. If it has only one, that is passed over as a whole. */
static void
put_off (Prune *prune)
{
  const gint64 first = g_array_index (prune->turns, Turn, 0).id;
  if (prune->turns->len == 1)
    prune_pass_over (prune, first, TRUE);
  else {
    prune->from = MIN (prune->from, first);
    prune->at_once = 1;
  }
}

/* Schedules go one by one until a step has met no lock. */
static void
go_together (Prune *prune)
{
  if (prune->busy->len == prune->was_busy)
    prune->at_once = step_setting (prune->step, "schedules");
}

static gboolean
work_page (Prune *prune, GError **error)
{
  gint64 began_us = step_elapsed_us (prune->step);
  const char *members = prune->read = array_take (g_steal_pointer (&prune->members));
  g_autofree char *owners = array_take (g_steal_pointer (&prune->owners));
  g_autoptr (PgRows) decided
      = step_page (prune->step, error, members, "member", members, "schedule", owners, NULL);
  if (decided == NULL && step_is_held (prune->step)) {
    put_off (prune);
    return TRUE;
  }
  if (decided == NULL)
    return FALSE;
  double seconds = (double)(step_elapsed_us (prune->step) - began_us) / G_USEC_PER_SEC;
  int all = 0;
  for (guint i = 0; i < prune->turns->len; i++)
    all += g_array_index (prune->turns, Turn, i).asked;
  for (guint i = 0; i < prune->turns->len; i++) {
    Turn *turn = &g_array_index (prune->turns, Turn, i);
    if (!tally (prune, turn, decided, error))
      return FALSE;
    report (prune, turn, all > 0 ? seconds * turn->asked / all : 0);
    turn->kept = count_those (prune, turn, step_is_kept);
    prune_conclude (prune, turn);
  }
  go_together (prune);
  return TRUE;
}

/* New reference. IDS (of gint64): NULL: none. */
static json_t *
list_of (const GArray *ids)
{
  json_t *list = json_array ();
  for (guint i = 0; ids != NULL && i < ids->len; i++)
    json_array_append_new (list, json_integer (g_array_index (ids, gint64, i)));
  return list;
}

static void
read_list (const json_t *list, GArray *ids)
{
  for (size_t i = 0; i < json_array_size (list); i++) {
    const gint64 id = json_integer_value (json_array_get (list, i));
    g_array_append_val (ids, id);
  }
}

/* FROM, and the schedules BUSY. New reference. */
static json_t *
cursor_of (const Prune *prune, gint64 from, const GArray *busy)
{
  return json_pack ("{s:I, s:O, s:o, s:o, s:I}", "from", (json_int_t)from, "passes", prune->passes,
                    "busy", list_of (busy), "kept", list_of (prune->kept), "schedules",
                    (json_int_t)prune->at_once);
}

/* A round ends when nothing is left but what was put off, or is held, or when the former is too
 * much for a cursor. */
static gboolean
continue_run (Prune *prune, GError **error)
{
  g_autofree char *aside = prune_aside (prune, 0);
  g_autoptr (PgRows) left = step_query (prune->step, error, "left", "aside", aside, NULL);
  if (left == NULL)
    return FALSE;
  if (rows_bool (left, 0, "left") && prune->busy->len < BUSY_MOST)
    step_continue (prune->step, cursor_of (prune, prune->from, prune->busy), 0);
  else if (prune->busy->len > 0)
    step_look_again (prune->step, cursor_of (prune, 0, NULL));
  return TRUE;
}

/* What the cursor says. */
static void
resume (Prune *prune, const json_t *cursor)
{
  const json_t *passes = json_object_get (cursor, "passes");
  const gint64 most = step_setting (prune->step, "schedules"),
               at_once = json_integer_value (json_object_get (cursor, "schedules"));
  prune->passes = json_is_object (passes) ? json_deep_copy (passes) : json_object ();
  prune->at_once = at_once == 1 ? 1 : most;
  read_list (json_object_get (cursor, "busy"), prune->busy);
  read_list (json_object_get (cursor, "kept"), prune->kept);
  prune->was_busy = prune->busy->len;
}

void
prune_init (Prune *prune, Step *step)
{
  *prune = (Prune){ .step = step,
                    .turns = g_array_new (FALSE, FALSE, sizeof (Turn)),
                    .done = g_array_new (FALSE, FALSE, sizeof (gint64)),
                    .failed = g_array_new (FALSE, FALSE, sizeof (gint64)),
                    .busy = g_array_new (FALSE, FALSE, sizeof (gint64)),
                    .kept = g_array_new (FALSE, FALSE, sizeof (gint64)),
                    .keys = g_array_new (FALSE, FALSE, sizeof (gint64)),
                    .members = array_new (),
                    .owners = array_new () };
  g_array_set_clear_func (prune->turns, turn_clear);
  resume (prune, step_cursor (step));
}

void
prune_clear (Prune *prune)
{
  GString *open[] = { prune->members, prune->owners };
  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    if (open[i] != NULL)
      g_string_free (open[i], TRUE);
  g_clear_pointer (&prune->schedules, rows_free);
  g_clear_pointer (&prune->removed, g_hash_table_unref);
  g_free (prune->requests);
  g_free (prune->turn);
  g_free (prune->began_after);
  g_free (prune->read);
  g_array_unref (prune->turns);
  g_array_unref (prune->done);
  g_array_unref (prune->failed);
  g_array_unref (prune->busy);
  g_array_unref (prune->kept);
  g_array_unref (prune->keys);
  json_decref (prune->passes);
}

gboolean
prune_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  Step *step = steps[0];
  Prune prune;
  prune_init (&prune, step);
  step_passes_busy (step);
  step_count (step, "updated_rows", 0);
  gint64 from = json_integer_value (json_object_get (step_cursor (step), "from"));
  gboolean ok = below_members_refuse_hidden (step, error) && prune_take_turns (&prune, from, error)
                && work_page (&prune, error) && prune_drop_done (&prune, error)
                && continue_run (&prune, error);
  prune_clear (&prune);
  return ok;
}
