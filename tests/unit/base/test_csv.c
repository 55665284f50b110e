/* Cells of CSV: a text stays one cell, and no spreadsheet computes it. */
#include "base/csv.h"

static void
test_cells (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (json_t) cells
      = json_pack ("[i, s, s, s, n, b, [i]]", -5, "a \"b\",\nc", "=1+2", "", 1, 7);
  for (guint i = 0; i < json_array_size (cells); i++) {
    csv_add (out, json_array_get (cells, i));
    g_string_append_c (out, ';');
  }
  g_assert_cmpstr (out->str, ==, "-5;\"a \"\"b\"\",\nc\";\"'=1+2\";\"\";;\"true\";\"[7]\";");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv/cells", test_cells);
  return g_test_run ();
}
