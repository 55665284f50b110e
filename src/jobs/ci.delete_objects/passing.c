#include "jobs/ci.delete_objects/passing.h"

#include "jobs/ci.delete_objects/kept.h"

#include <string.h>

void
passing_look (Passing *passing, const StoreList *list)
{
  GString *stores = array_new ();
  *passing = (Passing){ .all = TRUE };
  for (int i = 1; i < STORES; i++) {
    const StoreDown *listed = list != NULL ? &list->down[i] : NULL;
    StoreDown *down = &passing->down[i];
    if (listed != NULL && listed->words != NULL)
      *down = (StoreDown){ g_strdup (listed->words), listed->retry_ms };
    else if (!store_is_down (i, down)) {
      passing->all = passing->all && !store_is_set (i);
      continue;
    }
    passing->any = TRUE;
    array_add_int (stores, i);
  }
  passing->all = passing->all && passing->any;
  passing->stores = array_take (stores);
}

void
passing_clear (Passing *passing)
{
  for (int i = 0; i < STORES; i++)
    g_free (passing->down[i].words);
  g_free (passing->stores);
  g_free (passing->edge);
  g_free (passing->beyond);
}

gboolean
passing_measure (Step *step, Passing *passing, const char *reached, GError **error)
{
  if (!passing->any || passing->all)
    return TRUE;
  g_autoptr (PgRows) window = step_query (step, error, "window", "reached", reached, NULL);
  if (window == NULL)
    return FALSE;
  passing->edge = g_strdup (rows_text (window, 0, "edge"));
  passing->beyond = g_strdup (rows_text (window, 0, "beyond"));
  return TRUE;
}

/* The slot waits for the shortest back-off of the stores. */
static void
wait (Step *step, const Passing *passing, const Leased *leased, const char *reached)
{
  g_autoptr (GString) words = g_string_new (NULL);
  gint64 retry_ms = G_MAXINT64;
  for (int i = 0; i < STORES; i++)
    if (passing->down[i].words != NULL) {
      g_string_append_printf (words, "%s%s", words->len > 0 ? "; " : "", passing->down[i].words);
      retry_ms = MIN (retry_ms, passing->down[i].retry_ms);
    }
  step_log (step, LOG_WARNING, "The store cannot be used; the slot waits",
            json_pack ("{s:s, s:f}", "error", words->str, "retry_s", (double)retry_ms / 1000));
  json_t *cursor = kept_cursor (step, leased, reached);
  step_wait (step, words->str, cursor != NULL ? cursor : json_object (), retry_ms);
}

gboolean
passing_continue (Step *step, const Passing *passing, const Leased *leased, const char *reached,
                  GError **error)
{
  const char *before = json_string_value (json_object_get (step_cursor (step), "reached"));
  const char *place = reached != NULL ? reached : before;
  gboolean first_slot = g_strcmp0 (step_arg (step, "slot"), "0") == 0;
  g_autofree char *kept = kept_after (&step, &leased, 1);
  g_autoptr (PgRows) more
      = step_query (step, error, "more", "reached", reached, "kept", kept, NULL);
  if (more == NULL)
    return FALSE;
  if (reached != NULL && !passing->all && rows_bool (more, 0, "ahead"))
    step_continue (step, kept_cursor (step, leased, reached), 0);
  else if (rows_bool (more, 0, "more"))
    wait (step, passing, leased, first_slot || passing->all ? NULL : place);
  return TRUE;
}
