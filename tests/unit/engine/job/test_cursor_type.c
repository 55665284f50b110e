/* The order of two texts of a cursor's column, as far as it can be known without PostgreSQL. */
#include "engine/job/cursor_type.h"

static const struct {
  const char *type, *a, *b;
  int order; /* 2: not known */
} CASES[] = {
  { "bigint", "9", "10", -1 },
  { "integer", "-9", "-10", 1 },
  { "int", "7", "7", 0 },
  { "numeric(9,2)", "9.50", "10.00", -1 },
  { "numeric", "1.0", "1.00", 2 },
  { "float8", "NaN", "1", 2 },
  { "date", "2026-01-02", "2026-01-01", 1 },
  { "date", "2026-01-02", "infinity", 2 },
  { "timestamptz", "2026-01-01 10:00:00+00", "2026-01-01 11:00:00+00", -1 },
  { "timestamp(3)", "2026-01-01 10:00:00", "2026-01-01 10:00:00.5", 2 },
  { "uuid", "0b1f6bb2-0000-4000-8000-000000000001", "0b1f6bb2-0000-4000-8000-000000000002", -1 },
  { "text", "a", "b", 2 },
  { "pair", "(1,2)", "(1,3)", 2 },
};

static void
test_order (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    int order = 0;
    g_test_message ("%s: %s, %s", CASES[i].type, CASES[i].a, CASES[i].b);
    const CursorKind kind = cursor_type_kind (CASES[i].type);
    const gboolean known = cursor_type_order (kind, CASES[i].a, CASES[i].b, &order);
    g_assert_cmpint (known, ==, CASES[i].order != 2);
    g_assert_true (!known || CLAMP (order, -1, 1) == CASES[i].order);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cursor_type/order", test_order);
  return g_test_run ();
}
