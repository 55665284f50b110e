/* What the steps would do, one after the other: a membership that one step removes is gone for the
 * next. */
#include "jobs/members.prune_deletions/prune.h"

#include "jobs/jobs.h"

typedef struct {
  Prune prune;
  GString *gone; /* array literal, open: removed memberships on which a later decision can depend */
  GHashTable *shown; /* lines: a schedule that begins again meets some memberships twice */
} Show;

static void
show_member (Show *show, gint64 schedule, const char *member, const char *action, const char *why)
{
  if (g_hash_table_add (show->shown,
                        g_strdup_printf ("%" G_GINT64_FORMAT " %s %s", schedule, member, action)))
    step_plan_line (show->prune.step, "members", member, action, why);
}

static Turn *
turn_of (Show *show, gint64 schedule)
{
  for (guint i = 0; i < show->prune.turns->len; i++)
    if (g_array_index (show->prune.turns, Turn, i).id == schedule)
      return &g_array_index (show->prune.turns, Turn, i);
  g_assert_not_reached ();
}

static void
note_removed (Show *show, const char *user, const char *member, gboolean matters)
{
  GString *theirs = g_hash_table_lookup (show->prune.removed, user);
  if (theirs == NULL)
    g_hash_table_insert (show->prune.removed, g_strdup (user), theirs = array_new ());
  array_add (theirs, member);
  if (matters)
    array_add (show->gone, member);
}

static void
show_decided (Show *show, const PgRows *decided)
{
  for (int i = 0; i < rows_count (decided); i++) {
    const char *what = rows_text (decided, i, "what"), *member = rows_text (decided, i, "key");
    Turn *turn = turn_of (show, rows_int (decided, i, "schedule_id"));
    gboolean removed = g_str_equal (what, "removed"), last = g_str_equal (what, "last_owner");
    turn->answered++;
    turn->removed += removed;
    show_member (show, turn->id, member, last ? "denied" : what, rows_text (decided, i, "why"));
    if (removed)
      note_removed (show, rows_text (decided, i, "user_id"), member,
                    rows_bool (decided, i, "matters"));
  }
}

/* Shows those of MEMBERS (of the schedules OWNERS) that a step would skip; returns the others, NULL
 * with an error. */
static char *
show_parked (Show *show, const char *members, const char *owners, GError **error)
{
  g_autoptr (PgRows) rows
      = step_query (show->prune.step, error, "parked", "member", members, "schedule", owners, NULL);
  if (rows == NULL)
    return NULL;
  GString *others = array_new ();
  for (int i = 0; i < rows_count (rows); i++) {
    const gint64 schedule = rows_int (rows, i, "schedule_id");
    const char *id = rows_text (rows, i, "id"), *held = rows_text (rows, i, "held");
    if (held != NULL) {
      turn_of (show, schedule)->kept++;
      show_member (show, schedule, id, "kept", held);
    } else if (rows_bool (rows, i, "parked"))
      show_member (show, schedule, id, "parked", "in quarantine");
    else
      array_add (others, id);
  }
  return array_take (others);
}

/* Shows what a step decides about all its memberships. */
static gboolean
show_page (Show *show, GError **error)
{
  Prune *prune = &show->prune;
  g_autofree char *members = array_take (g_steal_pointer (&prune->members)),
                  *owners = array_take (g_steal_pointer (&prune->owners));
  prune->members = array_new ();
  prune->owners = array_new ();
  g_autofree char *keys = show_parked (show, members, owners, error);
  if (keys == NULL)
    return FALSE;
  g_autofree char *gone = g_strconcat (show->gone->str, "}", NULL);
  g_autoptr (PgRows) decided = step_query (prune->step, error, "decide", "key", keys, "gone", gone,
                                           "member", members, "schedule", owners, NULL);
  if (decided != NULL)
    show_decided (show, decided);
  return decided != NULL;
}

static void
show_schedules (Show *show)
{
  Prune *prune = &show->prune;
  for (guint i = 0; i < prune->turns->len; i++) {
    const Turn *turn = &g_array_index (prune->turns, Turn, i);
    PassEnd end = prune_conclude (prune, turn);
    const char *id = rows_text (prune->schedules, turn->row, "id");
    if (end == PASS_DONE)
      step_plan_line (prune->step, "members_deletion_schedules", id, "removed", NULL);
    else if (end == PASS_STUCK)
      step_plan_line (prune->step, "members_deletion_schedules", id, "kept",
                      "memberships are in quarantine");
    else if (end == PASS_KEPT)
      step_plan_line (prune->step, "members_deletion_schedules", id, "kept",
                      "memberships are held");
  }
  for (int i = 0; i < rows_count (prune->schedules); i++)
    if (rows_text (prune->schedules, i, "wrong") != NULL)
      step_plan_line (prune->step, "members_deletion_schedules",
                      rows_text (prune->schedules, i, "id"), "failed",
                      rows_text (prune->schedules, i, "wrong"));
}

/* Shows one step; *MORE: it had schedules. */
static gboolean
show_step (Show *show, gboolean *more, GError **error)
{
  Prune *prune = &show->prune;
  if (!prune_take_turns (prune, prune->from, error))
    return FALSE;
  *more = rows_count (prune->schedules) > 0;
  if (!show_page (show, error))
    return FALSE;
  show_schedules (show);
  g_array_append_vals (prune->failed, prune->done->data, prune->done->len);
  g_array_set_size (prune->done, 0);
  g_array_set_size (prune->turns, 0);
  return TRUE;
}

static void
string_free (gpointer string)
{
  g_string_free (string, TRUE);
}

gboolean
prune_plan (Step *step, GError **error)
{
  Show show = { .gone = array_new (),
                .shown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  prune_init (&show.prune, step);
  show.prune.removed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, string_free);
  gboolean more = TRUE, ok = TRUE;
  while (ok && more)
    ok = show_step (&show, &more, error);
  prune_clear (&show.prune);
  g_string_free (show.gone, TRUE);
  g_hash_table_unref (show.shown);
  return ok;
}
