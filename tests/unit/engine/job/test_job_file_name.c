/* What the name of a file in apply/ says: docs/adding-a-job.md, "SQL files". */
#include "engine/job/job_file_name.h"

#include <string.h>

static void
test_names (void)
{
  static const struct {
    const char *file, *table;
    ApplyKind kind;
  } cases[] = {
    { "10-members", "members", APPLY_DELETE },
    { "30-todos.update", "todos", APPLY_UPDATE },
    { "40-dirty_users.insert", "dirty_users", APPLY_INSERT },
    { "50-billing.orders", "billing.orders", APPLY_DELETE },
    { "50-billing.orders.update", "billing.orders", APPLY_UPDATE },
    { "60-billing.insert.delete", "billing.insert", APPLY_DELETE },
    { "10-\"Order, Items\".update", "\"Order, Items\"", APPLY_UPDATE },
    { "10-billing.\"Order. Items\"", "billing.\"Order. Items\"", APPLY_DELETE },
    { "members", "members", APPLY_DELETE },
    { "apply/removed/10-members", "members", APPLY_DELETE },
    { "1000-b", "b", APPLY_DELETE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    JobApply apply = { 0 };
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_strconcat ("/a.b/", cases[i].file, ".sql", NULL);
    g_test_message ("%s", path);
    g_assert_true (job_file_name (path, &apply, &error));
    g_assert_no_error (error);
    g_assert_cmpstr (apply.table, ==, cases[i].table);
    g_assert_cmpint (apply.kind, ==, cases[i].kind);
    g_free (apply.table);
  }
}

static void
test_names_that_say_no_table (void)
{
  static const char *const cases[][2] = {
    { "10-", "the name says no table" },
    { "10", "the name says no table" },
    { "10-.update", "the name says no table" },
    { "10-orders.udpate", "ends like .update" },
    { "10-orders.inserts", "ends like .insert" },
    { "10-a.b.c", "is not TABLE or SCHEMA.TABLE" },
    { "10-orders.", "is not TABLE or SCHEMA.TABLE" },
    { "10-.orders", "is not TABLE or SCHEMA.TABLE" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    JobApply apply = { 0 };
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_strconcat ("/a.b/", cases[i][0], ".sql", NULL);
    g_test_message ("%s", path);
    g_assert_false (job_file_name (path, &apply, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_true (g_str_has_prefix (error->message, path));
    g_assert_nonnull (strstr (error->message, cases[i][1]));
    g_assert_null (apply.table);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_file_name/names", test_names);
  g_test_add_func ("/job_file_name/no_table", test_names_that_say_no_table);
  return g_test_run ();
}
