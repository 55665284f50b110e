/* { "12": { "after": 4711, "changed": 98, "left": 2, "busy": 1, "kept": 1 } }: the pass of schedule
 * 12 has reached membership 4711 and removed 98; of those it has read two have failed, another
 * session has locked one, and one is held. */
#include "jobs/members.prune_deletions/prune.h"

static gint64
get (const json_t *pass, const char *name)
{
  return json_integer_value (json_object_get (pass, name));
}

gint64
pass_after (const json_t *passes, gint64 id)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  return get (json_object_get (passes, key), "after");
}

void
pass_end (json_t *passes, gint64 id)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  json_object_del (passes, key);
}

PassEnd
pass_add (json_t *passes, gint64 id, const PassPart *part, gint64 *left)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  const json_t *pass = json_object_get (passes, key);
  gint64 changed = get (pass, "changed") + part->removed;
  gint64 busy = get (pass, "busy") + part->busy, kept = get (pass, "kept") + part->kept;
  *left = get (pass, "left") + part->left;
  if (part->more) {
    json_object_set_new (passes, key,
                         json_pack ("{s:I, s:I, s:I, s:I, s:I}", "after", (json_int_t)part->after,
                                    "changed", (json_int_t)changed, "left", (json_int_t)*left,
                                    "busy", (json_int_t)busy, "kept", (json_int_t)kept));
    return PASS_CONTINUES;
  }
  pass_end (passes, id);
  if (busy > 0)
    return PASS_BUSY;
  if (*left == 0)
    return kept > 0 ? PASS_KEPT : PASS_DONE;
  return changed > 0 ? PASS_AGAIN : PASS_STUCK;
}
