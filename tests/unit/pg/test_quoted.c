/* Which parts of a statement are code. The cases are written by hand, by PostgreSQL's lexical
 * rules. */
#include "pg/quoted.h"

#include <string.h>

/* TEXT without what is not code; each piece of that is `_`, and `!` if it is not closed. */
static char *
code_of (const char *text)
{
  GString *code = g_string_new (NULL);
  for (const char *p = text, *end; *p != '\0'; p = end) {
    gboolean closed;
    if (quoted_at (text, p, &end, &closed) != QUOTED_NOT)
      g_string_append_c (code, closed ? '_' : '!');
    else {
      g_string_append_c (code, *p);
      end = p + 1;
    }
  }
  return g_string_free (code, FALSE);
}

static void
test_code (void)
{
  static const char *const cases[][2] = {
    { "a = 'b' AND c", "a = _ AND c" },
    { "a = 'it''s' AND c", "a = _ AND c" },
    { "a = 'b\\' AND c", "a = _ AND c" },
    { "a = E'b\\' AND c' AND d", "a = E_ AND d" },
    { "a = e'\\\\' AND c", "a = e_ AND c" },
    { "name'\\' AND c", "name_ AND c" },
    { "\"a\"\"b\".c", "_.c" },
    { "$$a'b$$ c", "_ c" },
    { "$x$a $$ $y$ b$x$ c", "_ c" },
    { "a$x$b", "a$x$b" },
    { "$1 + $2", "$1 + $2" },
    { "a -- b\nc", "a _\nc" },
    { "a /* b */ c", "a _ c" },
    { "a /* b /* c */ d */ e", "a _ e" },
    { "a - -1 / * 2", "a - -1 / * 2" },
    { "'a", "!" },
    { "E'a\\'", "E!" },
    { "\"a", "!" },
    { "$$a$", "!" },
    { "$x$a$X$", "!" },
    { "/* a", "!" },
    { "/* a /* b */", "!" },
    { "-- a", "_" },
    { "'", "!" },
    { "E'\\", "E!" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *code = code_of (cases[i][0]);
    g_test_message ("%s", cases[i][0]);
    g_assert_cmpstr (code, ==, cases[i][1]);
  }
}

static void
test_names (void)
{
  static const struct {
    const char *name, *whole, *schema, *bare;
  } cases[] = {
    { "orders", "\"orders\"", NULL, "orders" },
    { "Orders", "\"orders\"", NULL, "Orders" },
    { "Billing.Orders", "\"billing\".\"orders\"", "Billing", "Orders" },
    { "\"Old, rows\"", "\"Old, rows\"", NULL, "Old, rows" },
    { "\"a.b\"", "\"a.b\"", NULL, "a.b" },
    { "a.\"b\"\"c\"", "\"a\".\"b\"\"c\"", "a", "b\"c" },
    { "\"a.b\".c", "\"a.b\".\"c\"", "\"a.b\"", "c" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *whole = quoted_whole (cases[i].name), *schema = quoted_schema (cases[i].name),
                    *bare = quoted_bare (cases[i].name), *again = quoted_whole (whole);
    g_assert_cmpstr (whole, ==, cases[i].whole);
    g_assert_cmpstr (again, ==, whole);
    g_assert_cmpstr (schema, ==, cases[i].schema);
    g_assert_cmpstr (bare, ==, cases[i].bare);
  }
}

static void
test_open (void)
{
  static const struct {
    const char *text;
    int line;
  } texts[] = { { "SELECT 'a', \"b\" /* c /* d */ */ -- e", 0 },
                { "SELECT 1\n-- 'a\n, E'\\'' FROM t", 0 },
                { "", 0 },
                { "SELECT $$a$b$$, $x$ ' $x$", 0 },
                { "SELECT 1\nFROM t /* c /* d */", 2 },
                { "SELECT 'a\n\nFROM t", 1 },
                { "\n\nSELECT \"a", 3 },
                { "SELECT 'a\nb'\n, $q$ c $$", 3 },
                { "SELECT E'\\'", 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_test_message ("%s", texts[i].text);
    g_assert_cmpint (quoted_open_line (texts[i].text), ==, texts[i].line);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pg/quoted/code", test_code);
  g_test_add_func ("/pg/quoted/names", test_names);
  g_test_add_func ("/pg/quoted/open", test_open);
  return g_test_run ();
}
