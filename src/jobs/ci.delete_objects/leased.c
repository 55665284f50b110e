#include "jobs/ci.delete_objects/leased.h"

int
leased_count (const GPtrArray *answers)
{
  const PgRows *rows = answers->pdata[1];
  int n = rows_count (rows);
  while (n > 0 && !rows_bool (rows, n - 1, "held"))
    n--;
  return n;
}

Leased *
leased_new (GPtrArray *answers, int from, int n)
{
  Leased *leased = g_new0 (Leased, 1);
  leased->answers = g_ptr_array_ref (answers);
  leased->lease = rows_text (answers->pdata[0], 0, "lease");
  leased->rows = answers->pdata[1];
  leased->from = from;
  leased->kept = g_ptr_array_new_with_free_func (g_free);
  leased->list.n = (guint)n;
  leased->list.objects = g_new0 (StoreObject, leased->list.n);
  leased->held = g_new0 (char *, leased->list.n);
  for (int i = 0; i < n; i++)
    leased->list.objects[i]
        = (StoreObject){ .file_store = (int)rows_int (leased->rows, from + i, "file_store"),
                         .dir = leased_text (leased, i, "store_dir"),
                         .file = leased_text (leased, i, "file") };
  for (int row = 0; row < rows_count (leased->rows); row++)
    if (rows_bool (leased->rows, row, "is_last"))
      leased->reached = rows_text (leased->rows, row, "was");
  return leased;
}

void
leased_take_kept (Leased *leased)
{
  leased->unleased = (guint)rows_count (leased->rows) - (guint)leased->from - leased->list.n;
  for (guint i = 0; i < leased->unleased; i++)
    g_ptr_array_add (leased->kept,
                     g_strdup (leased_text (leased, (int)(leased->list.n + i), "id")));
}

const char *
leased_error (const Leased *leased, int i)
{
  return i < (int)leased->list.n
             ? leased->list.objects[i].error
             : "not leased: the statement did not change the row (a trigger or a rule keeps it)";
}

const char *
leased_text (const Leased *leased, int i, const char *name)
{
  return rows_text (leased->rows, leased->from + i, name);
}

void
leased_free (gpointer data)
{
  Leased *leased = data;
  for (guint i = 0; i < leased->list.n; i++)
    g_free (leased->held[i]);
  g_free (leased->held);
  store_list_clear (&leased->list);
  g_free (leased->beyond);
  g_ptr_array_unref (leased->kept);
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
    if (leased->held[i] == NULL && (result == a || result == b))
      g_array_append_val (which, row);
  }
  return which;
}

char *
leased_column (const Leased *leased, const char *name, const GArray *which, guint from, guint to)
{
  g_autoptr (GArray) rows = g_array_sized_new (FALSE, FALSE, sizeof (int), to - from);
  for (guint i = from; i < to; i++) {
    int row = leased->from + g_array_index (which, int, i);
    g_array_append_val (rows, row);
  }
  return rows_array_of (leased->rows, rows_column (leased->rows, name),
                        (const int *)(gpointer)rows->data, rows->len);
}
