/* The order of a page is that of its outermost query (docs/adding-a-job.md). */
#include "engine/job/step_order.h"

static const struct {
  const char *text, *order;
} CASES[] = {
  { "SELECT 1", NULL },
  { "SELECT a FROM t ORDER BY a LIMIT :limit::int", "a" },
  { "SELECT a FROM t order\n by a, b DESC", "a, b DESC" },
  { "SELECT a FROM t ORDER /* x */ BY a -- the cursor\nLIMIT 5", "a -- the cursor" },
  { "SELECT a FROM t ORDER BY coalesce(a, 'for'), b FETCH FIRST 5 ROWS ONLY",
    "coalesce(a, 'for'), b" },
  { "SELECT a FROM t ORDER BY a FOR UPDATE", "a" },
  { "SELECT a FROM t ORDER BY a OFFSET 1", "a" },
  { "(SELECT a FROM t ORDER BY a)", "a" },
  { " ( ( SELECT a FROM t ORDER BY a ) ) -- all", "a" },
  { "(SELECT a FROM t ORDER BY a) UNION ALL (SELECT a FROM u ORDER BY a)", NULL },
  { "(SELECT a FROM t) UNION ALL (SELECT a FROM u) ORDER BY 1", "1" },
  { "SELECT p.* FROM (SELECT a FROM t ORDER BY a) AS p", NULL },
  { "WITH p AS (SELECT a FROM t ORDER BY a) SELECT * FROM p", NULL },
  { "WITH p AS (SELECT a FROM t) SELECT * FROM p ORDER BY a", "a" },
  { "SELECT array_agg(a ORDER BY a), rank() OVER (ORDER BY a) FROM t", NULL },
  { "SELECT a FROM t -- ORDER BY a", NULL },
  { "SELECT ' ORDER BY a' FROM t", NULL },
  { "SELECT a AS \"order\", b AS by FROM t", NULL },
  { "SELECT ( FROM t ORDER BY a", NULL },
  { "", NULL },
};

static void
test_orders (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_test_message ("%s", CASES[i].text);
    g_autofree char *order = step_order_of (CASES[i].text);
    g_assert_cmpstr (order, ==, CASES[i].order);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_order/orders", test_orders);
  return g_test_run ();
}
