/* What is said of memberships that went, and the end of bots that had no other. */
#include "jobs/groups.destroy/destroy.h"

void
bot_destroy (Step *step, const char *user, gboolean of_project)
{
  const char *actor = step_arg (step, "user_id");
  g_autofree char *key = g_strconcat ("users.destroy:", user, NULL);
  json_t *args
      = json_pack ("{s:I, s:s, s:o*}", "user_id", (json_int_t)g_ascii_strtoll (user, NULL, 10),
                   "reason", of_project ? "Project deleted" : "Group deleted", "initiator_id",
                   actor != NULL ? json_integer (g_ascii_strtoll (actor, NULL, 10)) : NULL);
  step_child (step, "users.destroy", args, user, key, 0);
}

/* A bot exists for its memberships only: it goes with its project, and with a group that it is a
 * member of. The one that asked for all this is needed to the end: it goes then (walk.c). */
static void
destroy_bots (Step *step, Batch *batch, const PgRows *members)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (members); i++) {
    const char *user = rows_text (members, i, "user_id");
    if (user == NULL || rows_int (members, i, "user_type") != 6
        || !g_hash_table_add (seen, (gpointer)user))
      continue;
    if (g_strcmp0 (user, batch->actor) == 0)
      batch->actor_goes = TRUE;
    else
      bot_destroy (step, user, !batch_is_groups (batch));
  }
}

void
batch_note_members (Step *step, Batch *batch, const PgRows *members)
{
  g_autoptr (json_t) constants
      = json_pack ("{s:s, s:s}", "reason", "group_destroyed", "root_namespace_id", batch->root);
  step_outcomes (step, "MemberRemoved", members, "member_id", constants);
  step_count (step, "members", rows_count (members));
  destroy_bots (step, batch, members);
}
