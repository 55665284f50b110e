/* Announces removed memberships, and removes bots that had no other. */
#include "jobs/groups.destroy/portion.h"

void
portion_destroy_bot (Step *step, const char *user, gboolean of_project)
{
  const char *actor = step_arg (step, "user_id");
  g_autofree char *key = g_strconcat ("users.destroy:", user, NULL);
  json_t *args
      = json_pack ("{s:I, s:s, s:o*}", "user_id", (json_int_t)g_ascii_strtoll (user, NULL, 10),
                   "reason", of_project ? "Project deleted" : "Group deleted", "initiator_id",
                   actor != NULL ? json_integer (g_ascii_strtoll (actor, NULL, 10)) : NULL);
  step_child (step, "users.destroy", args, user, key, 0);
}

/* A bot exists only for its memberships: it is removed with its project, and with a group of which
 * it is a member. The bot that asked for the deletion is needed until the end: walk.c removes it
 * then. */
static void
destroy_bots (Step *step, Portion *portion, const PgRows *members)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (members); i++) {
    const char *user = rows_text (members, i, "user_id");
    if (user == NULL || rows_int (members, i, "user_type") != 6
        || !g_hash_table_add (seen, (gpointer)user))
      continue;
    if (g_strcmp0 (user, portion->actor) == 0)
      portion->actor_goes = TRUE;
    else
      portion_destroy_bot (step, user, !portion_is_groups (portion));
  }
}

void
portion_note_members (Step *step, Portion *portion, const PgRows *members)
{
  g_autoptr (json_t) constants
      = json_pack ("{s:s, s:s}", "reason", "group_destroyed", "root_namespace_id", portion->root);
  step_outcomes (step, "MemberRemoved", members, "member_id", constants);
  step_count (step, "members", rows_count (members));
  destroy_bots (step, portion, members);
}
