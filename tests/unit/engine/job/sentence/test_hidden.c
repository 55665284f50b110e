/* The names and operators that a text of SQL may mean, and what is said of one that is out of
 * sight. */
#include "engine/job/sentence/hidden.h"

#include "support/played.h"

static const struct {
  const char *text, *words;
} CASES[] = {
  { "plan <> 'paid' AND Accounts.At<:T", "{plan,\"<>\",and,accounts,at,\"<\",t}" },
  { "\"Plan\" != E'it''s' -- plain", "{Plan,\"!=\",\"<>\",e}" },
  { "a LIKE 'x' OR b in ($$y$$)", "{a,like,\"~~\",or,b,in,\"=\"}" },
  { "", "{}" },
};

static void
test_words (void)
{
  const char *const tables[] = { "shop.accounts", "\"Notes\"", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (PgValues) values = hidden_question (CASES[i].text, tables);
    g_assert_cmpstr (pg_values_get (values, "words"), ==, CASES[i].words);
    g_assert_cmpstr (pg_values_get (values, "tables"), ==, "{shop.accounts,\"\\\"Notes\\\"\"}");
  }
}

static void
test_why (void)
{
  g_autoptr (PgRows) none = played_rows ("place|operator|type|schema|usable"),
                     one = played_rows ("place|operator|type|schema|usable\n"
                                        "column plan of a|x.=|x.citext|x|t"),
                     closed = played_rows ("place|operator|type|schema|usable\n"
                                           "type x.citext|x.=|x.citext|x|f");
  g_autofree char *say = hidden_why (one), *also = hidden_why (closed);
  g_assert_null (hidden_why (none));
  g_assert_cmpstr (say, ==,
                   "column plan of a: operator x.= of type x.citext is not in the path, so "
                   "PostgreSQL would take another one than in a session of the application: add x "
                   "to [postgres] extension_schemas");
  g_assert_nonnull (strstr (also, "this role needs USAGE on schema x, and"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hidden/words", test_words);
  g_test_add_func ("/hidden/why", test_why);
  return g_test_run ();
}
