#include "jobs/ci.delete_objects/leased.h"

Leased *
leased_new (GPtrArray *answers)
{
  Leased *leased = g_new0 (Leased, 1);
  leased->answers = answers;
  leased->lease = rows_text (answers->pdata[0], 0, "lease");
  leased->rows = answers->pdata[1];
  leased->list.n = (guint)rows_count (leased->rows);
  leased->list.objects = g_new0 (StoreObject, leased->list.n);
  for (int i = 0; i < rows_count (leased->rows); i++) {
    leased->list.objects[i]
        = (StoreObject){ .file_store = (int)rows_int (leased->rows, i, "file_store"),
                         .dir = rows_text (leased->rows, i, "store_dir"),
                         .file = rows_text (leased->rows, i, "file") };
    if (rows_bool (leased->rows, i, "is_last"))
      leased->reached = rows_text (leased->rows, i, "was");
  }
  return leased;
}

void
leased_free (gpointer data)
{
  Leased *leased = data;
  store_list_clear (&leased->list);
  g_free (leased->beyond);
  g_ptr_array_unref (leased->answers);
  g_free (leased);
}

GArray *
leased_with (const Leased *leased, StoreResult a, StoreResult b)
{
  GArray *which = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < leased->list.n; i++) {
    int row = (int)i;
    StoreResult result = leased->list.objects[i].result;
    if (result == a || result == b)
      g_array_append_val (which, row);
  }
  return which;
}

char *
leased_column (const Leased *leased, const char *name, const GArray *which, guint from, guint to)
{
  return rows_array_of (leased->rows, rows_column (leased->rows, name),
                        (const int *)(gpointer)which->data + from, to - from);
}
