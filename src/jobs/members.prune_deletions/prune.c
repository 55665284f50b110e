/* A step takes up to ten schedules and up to a hundred memberships of each, and hands all of them to one page (step_page), so that
 * locks are taken in order and bad rows are found once. The cursor keeps, of every schedule that is not through, how far its
 * pass has come and what the pass did:
 *   { "from": 12, "passes": { "12": { "after": 4711, "changed": 98, "left": 2 } } }
 * A pass that ends with nothing left drops its schedule; one that changed something is followed by another; one that changed
 * nothing sends the schedule to quarantine, to try again later. */
#include "jobs/jobs.h"

#include <string.h>

#define NOT_PROCESSED "Scheduled member deletion cannot be processed"

/* One schedule in this step. */
typedef struct {
  gint64 id;
  int row;                     /* of the schedules */
  gboolean more;               /* memberships after these */
  gint64 after;                /* the last of them */
  int asked, removed, answered; /* memberships: handed to the page, gone, decided in any way */
  json_t *denied;
} Turn;

typedef struct {
  Step *step;
  PgRows *schedules;
  json_t *passes;              /* of the cursor: by schedule */
  GArray *turns;               /* of Turn */
  GString *members, *owners;   /* array literals, open: membership and its schedule */
  GString *done, *failed;      /* array literals, open: schedules */
  char *requests;              /* array literal: access requests of the schedules' users */
  gint64 from;                 /* where the next step begins */
} Prune;

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

/* --- the pass of a schedule, in the cursor ------------------------------------------------------------- */

static json_t *
pass_of (const Prune *prune, gint64 id)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  json_t *pass = json_object_get (prune->passes, key);
  if (pass == NULL)
    {
      pass = json_pack ("{s:i, s:i, s:i}", "after", 0, "changed", 0, "left", 0);
      json_object_set_new (prune->passes, key, pass);
    }
  return pass;
}

static gint64
pass_get (const json_t *pass, const char *name)
{
  return json_integer_value (json_object_get (pass, name));
}

static void
pass_add (json_t *pass, const char *name, gint64 n)
{
  json_object_set_new (pass, name, json_integer (pass_get (pass, name) + n));
}

static void
pass_end (Prune *prune, gint64 id)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  json_object_del (prune->passes, key);
}

/* --- what this step is about ------------------------------------------------------------------------------ */

static char *
item_of (gint64 id)
{
  return g_strdup_printf ("members_deletion_schedules:%" G_GINT64_FORMAT, id);
}

static void
put_aside (Prune *prune, gint64 id, const char *reason, gboolean for_good)
{
  g_autofree char *item = item_of (id);
  step_quarantine (prune->step, item, reason, for_good ? 0 : (int)step_setting (prune->step, "item_attempts"));
  array_add_int (prune->failed, id);
  pass_end (prune, id);
}

static void
refuse (Prune *prune, int row)
{
  const char *reason = rows_text (prune->schedules, row, "wrong");
  step_count (prune->step, "failed", 1);
  step_log (prune->step, LOG_ERROR, NOT_PROCESSED,
            json_pack ("{s:I, s:I, s:I, s:s}", "user_id", (json_int_t)rows_int (prune->schedules, row, "user_id"), "namespace_id",
                       (json_int_t)rows_int (prune->schedules, row, "namespace_id"), "scheduled_by_id",
                       (json_int_t)rows_int (prune->schedules, row, "scheduled_by_id"), "error", reason));
  put_aside (prune, rows_int (prune->schedules, row, "id"), reason, rows_bool (prune->schedules, row, "for_good"));
}

/* A step that timed out comes back with a smaller page. */
static gint64
page_size (Step *step)
{
  gint64 limit = json_integer_value (json_object_get (step_cursor (step), "limit"));
  gint64 batch = step_setting (step, "batch");
  return limit > 0 && limit < batch ? limit : batch;
}

/* The schedule's next memberships; one more than wanted says that there are more. */
static gboolean
take_turn (Prune *prune, int row, GError **error)
{
  gint64 size = page_size (prune->step), id = rows_int (prune->schedules, row, "id");
  json_t *pass = pass_of (prune, id);
  g_autofree char *after = g_strdup_printf ("%" G_GINT64_FORMAT, pass_get (pass, "after"));
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, size + 1);
  g_autoptr (PgRows) rows
      = step_query (prune->step, error, "memberships", "user", rows_text (prune->schedules, row, "user_id"), "root",
                    rows_text (prune->schedules, row, "root_id"), "requests", prune->requests, "after", after, "limit", limit,
                    NULL);
  if (rows == NULL)
    return FALSE;
  Turn turn = { .id = id, .row = row, .more = rows_count (rows) > size, .denied = json_array () };
  turn.asked = (int)MIN (rows_count (rows), size);
  for (int i = 0; i < turn.asked; i++)
    {
      turn.after = rows_int (rows, i, "id");
      array_add_int (prune->members, turn.after);
      array_add_int (prune->owners, id);
    }
  g_array_append_val (prune->turns, turn);
  return TRUE;
}

/* Two schedules for one user in one hierarchy are about the same memberships: one of them a step. */
static gboolean
is_twin (const Prune *prune, GHashTable *seen, int row)
{
  char *key = g_strdup_printf ("%s/%s", rows_text (prune->schedules, row, "user_id"), rows_text (prune->schedules, row, "root_id"));
  return !g_hash_table_add (seen, key);
}

static gboolean
find_requests (Prune *prune, GError **error)
{
  g_autofree char *users = rows_array (prune->schedules, "user_id");
  g_autoptr (PgRows) rows = step_query (prune->step, error, "requests", "users", users, NULL);
  if (rows != NULL)
    prune->requests = rows_array (rows, "id");
  return rows != NULL;
}

static gboolean
take_turns (Prune *prune, GError **error)
{
  if (!find_requests (prune, error))
    return FALSE;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gint64 budget_us = step_setting (prune->step, "budget_ms") * 1000;
  gint64 left_over = 0;
  int n = rows_count (prune->schedules);
  for (int row = 0; row < n; row++)
    {
      gint64 id = rows_int (prune->schedules, row, "id");
      gboolean over = row > 0 && step_elapsed_us (prune->step) >= budget_us;
      if (!over && rows_text (prune->schedules, row, "wrong") != NULL)
        refuse (prune, row);
      else if (over || is_twin (prune, seen, row))
        left_over = left_over > 0 ? left_over : id;
      else if (!take_turn (prune, row, error))
        return FALSE;
      if (over)
        break;
    }
  prune->from = left_over > 0 ? left_over : n > 0 ? rows_int (prune->schedules, n - 1, "id") + 1 : 0;
  return TRUE;
}

static gboolean
find_schedules (Prune *prune, gint64 from, GError **error)
{
  g_autofree char *first = g_strdup_printf ("%" G_GINT64_FORMAT, from);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, step_setting (prune->step, "schedules"));
  g_clear_pointer (&prune->schedules, rows_free);
  prune->schedules = step_query (prune->step, error, "schedules", "from", first, "limit", limit, NULL);
  if (prune->schedules != NULL && rows_count (prune->schedules) == 0 && from > 0)
    return find_schedules (prune, 0, error); /* round again: something may have come back */
  return prune->schedules != NULL;
}

/* --- what became of it --------------------------------------------------------------------------------------- */

static void
log_denied (Prune *prune, const Turn *turn, const PgRows *decided, int row, const PgRows *context)
{
  json_t *fields = json_pack ("{s:I, s:I, s:I, s:I, s:s}", "user_id", number (prune, turn, "user_id"), "namespace_id",
                              number (prune, turn, "namespace_id"), "scheduled_by_id", number (prune, turn, "scheduled_by_id"),
                              "member_id", (json_int_t)rows_int (decided, row, "key"), "reason", rows_text (decided, row, "why"));
  static const char *const about[] = { "user", "project", "namespace", "root_namespace" };
  for (int i = 0; i < rows_count (context); i++)
    for (guint f = 0; f < G_N_ELEMENTS (about) && rows_int (context, i, "key") == rows_int (decided, row, "key"); f++)
      if (rows_text (context, i, about[f]) != NULL)
        json_object_set_new (fields, about[f], json_string (rows_text (context, i, about[f])));
  step_log (prune->step, LOG_WARNING, "Denied scheduled member deletion", fields);
}

/* Memberships that the page does not answer for have failed, now or before. */
static gboolean
tally (Prune *prune, Turn *turn, const PgRows *decided, GError **error)
{
  g_autoptr (GArray) denied = g_array_new (FALSE, FALSE, sizeof (int));
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (decided); i++)
    {
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
            json_pack ("{s:I, s:I, s:i, s:f}", "user_id", number (prune, turn, "user_id"), "namespace_id",
                       number (prune, turn, "namespace_id"), "destroyed_count", turn->removed, "destroy_duration_s", seconds));
  step_outcome (prune->step, "MemberDeletionProcessed", column (prune, turn, "id"),
                json_pack ("{s:s, s:s, s:s, s:i, s:O}", "schedule_id", column (prune, turn, "id"), "user_id",
                           column (prune, turn, "user_id"), "namespace_id", column (prune, turn, "namespace_id"), "removed",
                           turn->removed, "denied_member_ids", turn->denied));
}

/* What follows for the schedule: it goes on, is dropped, begins anew, or waits. */
static void
conclude (Prune *prune, const Turn *turn)
{
  json_t *pass = pass_of (prune, turn->id);
  pass_add (pass, "changed", turn->removed);
  pass_add (pass, "left", turn->asked - turn->answered);
  if (turn->more)
    json_object_set_new (pass, "after", json_integer (turn->after));
  else if (pass_get (pass, "left") == 0)
    array_add_int (prune->done, turn->id);
  else if (pass_get (pass, "changed") == 0)
    {
      g_autofree char *reason = g_strdup_printf ("%" G_GINT64_FORMAT " memberships of user %s in the hierarchy of namespace %s"
                                                 " cannot be removed: they are in quarantine", pass_get (pass, "left"),
                                                 column (prune, turn, "user_id"), column (prune, turn, "namespace_id"));
      put_aside (prune, turn->id, reason, FALSE);
      return;
    }
  if (turn->more)
    prune->from = MIN (prune->from, turn->id);
  else
    pass_end (prune, turn->id);
}

static gboolean
work_page (Prune *prune, GError **error)
{
  gint64 began_us = step_elapsed_us (prune->step);
  g_autofree char *members = array_take (g_steal_pointer (&prune->members));
  g_autofree char *owners = array_take (g_steal_pointer (&prune->owners));
  g_autoptr (PgRows) decided = step_page (prune->step, error, members, "member", members, "schedule", owners, NULL);
  if (decided == NULL)
    return FALSE;
  double seconds = (double)(step_elapsed_us (prune->step) - began_us) / G_USEC_PER_SEC;
  int all = 0;
  for (guint i = 0; i < prune->turns->len; i++)
    all += g_array_index (prune->turns, Turn, i).asked;
  for (guint i = 0; i < prune->turns->len; i++)
    {
      Turn *turn = &g_array_index (prune->turns, Turn, i);
      if (!tally (prune, turn, decided, error))
        return FALSE;
      report (prune, turn, all > 0 ? seconds * turn->asked / all : 0);
      conclude (prune, turn);
    }
  return TRUE;
}

static gboolean
drop_done (Prune *prune, GError **error)
{
  g_autofree char *done = array_take (g_steal_pointer (&prune->done));
  if (g_str_equal (done, "{}"))
    return TRUE;
  g_autoptr (PgRows) dropped = step_apply (prune->step, error, "drop/60-members_deletion_schedules", "schedule", done, NULL);
  if (dropped == NULL)
    return FALSE;
  step_count (prune->step, "updated_rows", rows_count (dropped));
  for (int i = 0; i < rows_count (dropped); i++)
    {
      g_autofree char *item = item_of (rows_int (dropped, i, "key"));
      step_unquarantine (prune->step, item);
    }
  return TRUE;
}

static gboolean
go_on (Prune *prune, GError **error)
{
  g_autofree char *failed = array_take (g_steal_pointer (&prune->failed));
  g_autoptr (PgRows) left = step_query (prune->step, error, "left", "failed", failed, NULL);
  if (left == NULL)
    return FALSE;
  if (rows_bool (left, 0, "left"))
    step_continue (prune->step, json_pack ("{s:I, s:O}", "from", (json_int_t)prune->from, "passes", prune->passes), 0);
  return TRUE;
}

static void
prune_clear (Prune *prune)
{
  GString *open[] = { prune->members, prune->owners, prune->done, prune->failed };
  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    if (open[i] != NULL)
      g_string_free (open[i], TRUE);
  g_clear_pointer (&prune->schedules, rows_free);
  g_free (prune->requests);
  g_array_unref (prune->turns);
  json_decref (prune->passes);
}

gboolean
prune_step (Step *step, GError **error)
{
  const json_t *cursor = step_cursor (step);
  const json_t *passes = json_object_get (cursor, "passes");
  Prune prune = { .step = step, .passes = passes != NULL ? json_deep_copy (passes) : json_object (),
                  .turns = g_array_new (FALSE, FALSE, sizeof (Turn)), .members = array_new (), .owners = array_new (),
                  .done = array_new (), .failed = array_new () };
  g_array_set_clear_func (prune.turns, turn_clear);
  step_count (step, "updated_rows", 0);
  gboolean ok = find_schedules (&prune, pass_get (cursor, "from"), error) && take_turns (&prune, error)
                && work_page (&prune, error) && drop_done (&prune, error) && go_on (&prune, error);
  prune_clear (&prune);
  return ok;
}
