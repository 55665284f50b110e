#include "base/cell.h"

static void
assert_cell (CellType type, const char *text, const char *wanted)
{
  g_autoptr (json_t) cell = cell_from_text (type, text);
  g_autofree char *got = json_text (cell);
  g_assert_cmpstr (got, ==, wanted);
}

static void
test_cells_from_texts_of_postgres (void)
{
  assert_cell (CELL_TIME, "2026-11-21 10:20:30.1+00", "\"2026-11-21T10:20:30.100000Z\"");
  assert_cell (CELL_TIME, "2026-11-21 10:20:30+00", "\"2026-11-21T10:20:30.000000Z\"");
  assert_cell (CELL_TIME, "2026-11-21 10:20:30.123456+00", "\"2026-11-21T10:20:30.123456Z\"");
  assert_cell (CELL_TIME, "infinity", "\"infinity\"");
  assert_cell (CELL_TIME, NULL, "null");
  assert_cell (CELL_BOOL, "t", "true");
  assert_cell (CELL_BOOL, "f", "false");
  assert_cell (CELL_NUMBER, "12", "12");
  assert_cell (CELL_NUMBER, "1.5", "1.5");
  assert_cell (CELL_JSON, "{\"a\": [1, null]}", "{\"a\":[1,null]}");
  assert_cell (CELL_TEXT, "12", "\"12\"");
}

static void
assert_text (CellType type, gboolean terminal, json_t *cell, const char *wanted)
{
  const Column column = { "name", type };
  g_autoptr (json_t) owned = cell;
  g_autofree char *text = cell_text (&column, terminal, cell);
  g_assert_cmpstr (text, ==, wanted);
}

/* On a terminal null is a dash, and times have no microseconds. No cell breaks its line. */
static void
test_texts_for_people (void)
{
  assert_text (CELL_TEXT, FALSE, json_null (), "");
  assert_text (CELL_TEXT, TRUE, json_null (), "-");
  assert_text (CELL_TEXT, TRUE, NULL, "-");
  assert_text (CELL_NUMBER, TRUE, json_integer (12), "12");
  assert_text (CELL_BOOL, TRUE, json_true (), "true");
  assert_text (CELL_JSON, FALSE, json_pack ("{s:i}", "a", 1), "{\"a\":1}");
  assert_text (CELL_TIME, FALSE, json_string ("2026-11-21T10:20:30.100000Z"),
               "2026-11-21T10:20:30.100000Z");
  assert_text (CELL_TIME, TRUE, json_string ("2026-11-21T10:20:30.100000Z"), "2026-11-21 10:20:30");
  assert_text (CELL_TIME, TRUE, json_string ("infinity"), "infinity");
  assert_text (CELL_TEXT, FALSE, json_string ("a\tb\nc\033[2Jd\177"), "a b c [2Jd ");
  assert_text (CELL_TEXT, TRUE, json_string ("\342\200\256fdp.exe"), "\\u202efdp.exe");
  assert_text (CELL_JSON, TRUE, json_pack ("[s]", "\302\2332J"), "[\"\\u009b2J\"]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cell/from_text", test_cells_from_texts_of_postgres);
  g_test_add_func ("/cell/text", test_texts_for_people);
  return g_test_run ();
}
