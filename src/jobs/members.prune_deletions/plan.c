/* What the steps would do, schedule after schedule: a membership that one of them removes is none of the next one's any more. */
#include "jobs/jobs.h"

typedef struct {
  Step *step;
  const PgRows *schedules;
  int row;
  char *requests; /* array literal */
  GString *gone;  /* array literal, open: owners that went before; a group's last one stays */
  GHashTable *removed; /* memberships */
} Show;

static void
show_members (Show *show, const PgRows *decided)
{
  for (int i = 0; i < rows_count (decided); i++)
    {
      const char *what = rows_text (decided, i, "what");
      gboolean last = g_str_equal (what, "last_owner");
      step_plan_line (show->step, "members", rows_text (decided, i, "key"), last ? "denied" : what, rows_text (decided, i, "why"));
      if (g_str_equal (what, "removed"))
        g_hash_table_add (show->removed, g_strdup (rows_text (decided, i, "key")));
      if (g_str_equal (what, "removed") && rows_bool (decided, i, "matters"))
        array_add (show->gone, rows_text (decided, i, "key"));
    }
}

/* Memberships after AFTER; *LAST: how far this came, 0 at the end. */
static gboolean
show_page (Show *show, gint64 after, gint64 *last, GError **error)
{
  g_autofree char *from = g_strdup_printf ("%" G_GINT64_FORMAT, after);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, step_setting (show->step, "batch"));
  g_autoptr (PgRows) rows = step_query (show->step, error, "memberships", "user", rows_text (show->schedules, show->row, "user_id"),
                                        "root", rows_text (show->schedules, show->row, "root_id"), "requests", show->requests,
                                        "after", from, "limit", limit, NULL);
  if (rows == NULL)
    return FALSE;
  int n = rows_count (rows);
  *last = n > 0 ? rows_int (rows, n - 1, "id") : 0;
  if (n == 0)
    return TRUE;
  GString *left = array_new (), *schedules = array_new ();
  for (int i = 0; i < n; i++)
    if (!g_hash_table_contains (show->removed, rows_text (rows, i, "id")))
      {
        array_add (left, rows_text (rows, i, "id"));
        array_add (schedules, rows_text (show->schedules, show->row, "id"));
      }
  g_autofree char *members = array_take (left), *schedule = array_take (schedules), *gone = g_strconcat (show->gone->str, "}", NULL);
  g_autoptr (PgRows) decided = step_query (show->step, error, "decide", "key", members, "gone", gone, "member", members,
                                           "schedule", schedule, NULL);
  if (decided != NULL)
    show_members (show, decided);
  return decided != NULL;
}

static gboolean
show_schedule (Show *show, GError **error)
{
  const char *id = rows_text (show->schedules, show->row, "id"), *wrong = rows_text (show->schedules, show->row, "wrong");
  gint64 after = 0;
  do
    if (wrong == NULL && !show_page (show, after, &after, error))
      return FALSE;
  while (wrong == NULL && after > 0);
  step_plan_line (show->step, "members_deletion_schedules", id, wrong != NULL ? "failed" : "removed", wrong);
  return TRUE;
}

/* A hundred schedules from *FROM on, which is then where to go on, 0 at the end. */
static gboolean
show_schedules (Step *step, GString *gone, GHashTable *removed, gint64 *from, GError **error)
{
  g_autofree char *first = g_strdup_printf ("%" G_GINT64_FORMAT, *from);
  g_autoptr (PgRows) schedules = step_query (step, error, "schedules", "from", first, "limit", "100", NULL);
  if (schedules == NULL)
    return FALSE;
  int n = rows_count (schedules);
  *from = n > 0 ? rows_int (schedules, n - 1, "id") + 1 : 0;
  g_autofree char *users = rows_array (schedules, "user_id");
  g_autoptr (PgRows) requests = step_query (step, error, "requests", "users", users, NULL);
  if (requests == NULL)
    return FALSE;
  g_autofree char *ids = rows_array (requests, "id");
  Show show = { .step = step, .schedules = schedules, .requests = ids, .gone = gone, .removed = removed };
  for (show.row = 0; show.row < n; show.row++)
    if (!show_schedule (&show, error))
      return FALSE;
  return TRUE;
}

gboolean
prune_plan (Step *step, GError **error)
{
  GString *gone = array_new ();
  g_autoptr (GHashTable) removed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gint64 from = 0;
  gboolean ok;
  do
    ok = show_schedules (step, gone, removed, &from, error);
  while (ok && from > 0);
  g_string_free (gone, TRUE);
  return ok;
}
