#include "jobs/ci.delete_objects/parts.h"

#include "base/clock.h"

/* After this number of steps a slot reads from the table's beginning, for leases that were
 * returned. */
#define LOOK_BACK_EVERY 16

/* Where the step before ended; NULL: the beginning. A slot that skips objects never looks back, or
 * it would lose its place. */
const char *
parts_reached_before (const Step *step, const Passing *passing)
{
  gboolean look_back = step_number (step) % LOOK_BACK_EVERY == 0 && !passing->any;
  return look_back ? NULL : json_string_value (json_object_get (step_cursor (step), "reached"));
}

/* As many as a page has, and no more than the limits leave: objects can become ready after they
 * were counted. */
gint64
parts_lease_limit (Step *step)
{
  return MIN (step_limit (step, step_setting (step, "batch")), step_room (step));
}

void
parts_begin (Step *step, Leased *leased)
{
  step_tries (step, leased->list.n);
  leased->none = leased->list.n + leased->unleased == 0 && parts_lease_limit (step) > 0;
  leased->is_full = leased->list.n > 0 && leased->list.n == parts_lease_limit (step);
  /* Half of the lease: even a late answer is settled long before another step can lease the row. */
  leased->list.deadline_us = clock_monotonic_us () + step_setting (step, "lease_ms") * 1000 / 2;
}

char *
parts_column (const Leased *leased, const char *name, const GArray *which)
{
  return leased_column (leased, name, which, 0, which->len);
}

gboolean
parts_queue_gone (Step *step, const Leased *leased, const GArray *gone, GError **error)
{
  for (guint i = 0; i < gone->len; i++) {
    const int row = leased->from + g_array_index (gone, int, i);
    if (rows_text (leased->rows, row, "age_s") != NULL)
      step_observe_age (step, (double)rows_int (leased->rows, row, "age_s"));
  }
  g_autofree char *id = parts_column (leased, "id", gone),
                  *was = parts_column (leased, "was", gone);
  return step_queue_apply (step, error, NULL, "10-ci_deleted_objects", "id", id, "was", was,
                           "lease", leased->lease, NULL);
}

gboolean
parts_queue_cured (Step *step, Leased *const *leased, guint n, GError **error)
{
  GString *items = array_new ();
  for (guint k = 0; k < n; k++) {
    g_autoptr (GArray) gone = leased_with (leased[k], STORE_DELETED, STORE_ABSENT);
    for (guint i = 0; i < gone->len; i++) {
      const char *id = leased_text (leased[k], g_array_index (gone, int, i), "id");
      g_autofree char *item = g_strconcat ("ci_deleted_objects:", id, NULL);
      array_add (items, item);
    }
  }
  g_autofree char *item = array_take (items);
  return step_queue (step, error, "cured", "item", item, NULL);
}

void
parts_report (Step *step, const Leased *leased, const Settled *settled)
{
  g_autoptr (GArray) absent = leased_with (leased, STORE_ABSENT, STORE_ABSENT);
  g_autoptr (GArray) deleted = leased_with (leased, STORE_DELETED, STORE_DELETED);
  const guint marked = store_list_marked (&leased->list);
  step_count (step, "updated_rows", settled->removed);
  step_count (step, "deleted", deleted->len - marked);
  step_count (step, "only_marked", marked);
  step_count (step, "absent", absent->len);
  step_count (step, "failed", settled->failed);
  if (marked > 0)
    step_log (step, LOG_WARNING, "Objects are only marked as deleted; their versions stay readable",
              json_pack ("{s:i}", "objects", (int)marked));
  if (leased->list.n == 0)
    return;
  const char *slot = step_arg (step, "slot");
  step_outcome (step, "ObjectsDeleted", slot != NULL ? slot : "0",
                json_pack ("{s:I, s:i, s:i, s:i, s:i}", "slot",
                           (json_int_t)g_ascii_strtoll (slot != NULL ? slot : "0", NULL, 10),
                           "deleted", (int)(deleted->len - marked), "only_marked", (int)marked,
                           "absent", (int)absent->len, "failed", (int)settled->failed));
}
