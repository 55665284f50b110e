#include "jobs/ci.delete_objects/kept.h"

#define MANY 20   /* rows of a step, more than it has leased: no single ones are at fault */
#define MOST 1000 /* rows that a run passes over */

static const json_t *
ids_of (const Step *step)
{
  return json_object_get (step_cursor (step), "kept");
}

static void
add_ids (GString *ids, const Step *step)
{
  for (size_t i = 0; i < json_array_size (ids_of (step)); i++)
    array_add (ids, json_string_value (json_array_get (ids_of (step), i)));
}

char *
kept_before (Step *const *steps, guint n)
{
  GString *ids = array_new ();
  for (guint i = 0; i < n; i++)
    add_ids (ids, steps[i]);
  return array_take (ids);
}

char *
kept_after (Step *const *steps, const Leased *const *leased, guint n)
{
  GString *ids = array_new ();
  for (guint i = 0; i < n; i++) {
    add_ids (ids, steps[i]);
    for (guint k = 0; k < leased[i]->kept->len; k++)
      array_add (ids, leased[i]->kept->pdata[k]);
  }
  return array_take (ids);
}

json_t *
kept_cursor (const Step *step, const Leased *leased, const char *reached)
{
  if (reached == NULL && json_array_size (ids_of (step)) == 0 && leased->kept->len == 0)
    return NULL;
  g_autoptr (json_t) kept = json_array ();
  for (size_t i = 0; i < json_array_size (ids_of (step)); i++)
    json_array_append (kept, json_array_get (ids_of (step), i));
  for (guint i = 0; i < leased->kept->len; i++)
    json_array_append_new (kept, json_string (leased->kept->pdata[i]));
  json_t *cursor = json_pack ("{s:s*}", "reached", reached);
  if (json_array_size (kept) > 0)
    json_object_set (cursor, "kept", kept);
  return cursor;
}

gboolean
kept_check (Step *step, const Leased *leased, GError **error)
{
  const size_t before = json_array_size (ids_of (step));
  const guint n = leased->kept->len;
  const gboolean many = n >= MANY && n > leased->list.n;
  if (!many && before + n <= MOST)
    return TRUE;
  const char *example
      = n > 0 ? leased->kept->pdata[0] : json_string_value (json_array_get (ids_of (step), 0));
  return step_fail (step, error, PRUNED_DATA,
                    "ci_deleted_objects.pick_up_at: %zu rows were not leased, for example %s (a "
                    "trigger or a rule keeps them)",
                    before + n, example);
}
