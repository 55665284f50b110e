/* Names, lists and expressions of a section. The tables are written by hand. */
#include "engine/job/sentence/sql_text.h"

#include <string.h>

typedef struct {
  const char *text, *want; /* WANT: a part of the error; NULL: it is an expression */
} Expression;

static const Expression EXPRESSIONS[] = {
  { "deleted_at < :T - interval '30 days'", NULL },
  { "true", NULL },
  { "name = 'a;b -- c /* d'", NULL },
  { "name = 'it''s (', x", NULL },
  { "name = E'it\\'s; (' AND true", NULL },
  { "name = 'c:\\'", NULL },
  { "\"odd;name(\" = 1", NULL },
  { "\"two\"\"quotes;\" = 1", NULL },
  { "body = $$a;'b$$", NULL },
  { "body = $x$a; $$ (b$x$", NULL },
  { "body = E'\\\\' AND x = 'y'", NULL },
  { "a::text = :T::text", NULL },
  { "a[1:2] = ARRAY[1, 2]", NULL },
  { "f(a := 1)", NULL },
  { "f(a => 1)", NULL },
  { "a < :T AND b < :T", NULL },
  { "id IN (SELECT id FROM t WHERE x = ANY (ARRAY[1, 2]))", NULL },
  { "größe > 1", NULL },
  { "a - -1 > 0", NULL },
  { "a$1 = 1", NULL },
  { "", "the value is empty" },
  { "  \t ", "the value is empty" },
  { "true; DROP TABLE x", "';'" },
  { "true;", "';'" },
  { "true -- x", "a comment ('--')" },
  { "5--3 > 1", "a comment ('--')" },
  { "true /* x */", "a comment ('/*')" },
  { "a = 1) OR (true", "')' closes no bracket" },
  { "(a = 1", "')' is missing" },
  { "a[1 = 1", "']' is missing" },
  { "(a[1) = 1]", "')' closes no bracket" },
  { "a < :now", "':now'" },
  { "a < :t", "':t'" },
  { "a < :Time", "':Time'" },
  { "a < :T1", "':T1'" },
  { "a[1:n] = 1", "':n'" },
  { "a = $1", "'$1'" },
  { "a = 'x", "a quote (')" },
  { "a = E'x\\'", "a quote (')" },
  { "\"a = 1", "a quote (\")" },
  { "a = $x$ b $y$", "a quote ($)" },
  { "name = 'E' ; x", "';'" },
  { "name = e'\\'; --' AND true; x", "';'" },
  { "nameE'\\'; x", "';'" },
  { "pg_try_advisory_xact_lock(id)", NULL },
  { "name = 'pg_advisory_lock(1)'", NULL },
  { "set_config('a.b', 'c', true) = 'c'", NULL },
  { "pg_try_advisory_lock(id)", "pg_try_advisory_lock would last until the session ends" },
  { "(SELECT pg_catalog.PG_ADVISORY_LOCK(id)) IS NULL", "pg_advisory_lock would last" },
  { "\"pg_advisory_lock\" (1) IS NULL", "pg_advisory_lock would last" },
  { "pg_catalog . \"set_config\"('a.b', 'c', false) = 'c'", "set_config would last" },
  { "\"set_config\"('a.b', 'c', true) = 'c'", NULL },
  { "\"pg_advisory_lock\" = 1 AND \"PG_ADVISORY_LOCK\"(1)", NULL },
  { "set_config('a.b', 'c', false) = 'c'", "set_config would last until the session ends" },
  { "set_config('Role', 'c', true) = 'c'", "set_config of role: this setting" },
  { "set_config(name, 'c', true) = 'c'", "not named by a plain literal" },
  { "pg_terminate_backend(id)", "pg_terminate_backend ends the work of a session" },
  { "EXISTS (SELECT FROM t FOR UPDATE)", "a condition locks no rows" },
  { "EXISTS (SELECT FROM t FOR NO KEY UPDATE)", "a condition locks no rows" },
  { "EXISTS (SELECT FROM t for \n key  Share)", "a condition locks no rows" },
  { "name = 'FOR UPDATE' AND substring(name FOR 2) = \"for\"", NULL },
  { "substring(name FOR update) = 'a' AND overlay (name PLACING 'a' FROM 1 for share) = 'b'",
    NULL },
  { "substring((lower(name)) FROM (1) FOR update) = 'a'", NULL },
  { "substring(name FOR 2) IN (SELECT name FROM t FOR UPDATE)", "a condition locks no rows" },
  { "substring((SELECT name FROM t FOR UPDATE) FOR 2) = 'a'", "a condition locks no rows" },
  { "substring(ARRAY(SELECT 'a' FROM t FOR UPDATE)::text FOR update) = 'a'",
    "a condition locks no rows" },
  { "EXISTS (SELECT substring(name FOR update) FROM t FOR UPDATE)", "a condition locks no rows" },
  { "EXISTS (TABLE substring FOR UPDATE)", "a condition locks no rows" },
  { "EXISTS (SELECT FROM substring (SELECT 1 FOR UPDATE))", "a condition locks no rows" },
  { "EXISTS (SELECT FROM \"substring\" (1 FOR UPDATE))", "a condition locks no rows" },
};

static void
test_expressions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (EXPRESSIONS); i++) {
    const Expression *one = &EXPRESSIONS[i];
    g_autoptr (GError) error = NULL;
    gboolean ok = sql_text_is_expression (one->text, &error);
    g_test_message ("%s: %s", one->text, error != NULL ? error->message : "ok");
    g_assert_true (ok == (one->want == NULL));
    if (ok)
      continue;
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_nonnull (strstr (error->message, one->want));
  }
}

static void
test_brackets_end (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *deep = g_strnfill (100000, '(');
  g_assert_false (sql_text_is_expression (deep, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
}

static void
test_time (void)
{
  static const char *const cases[][2] = {
    { "a < :T", "a < now()" },
    { ":T", "now()" },
    { "a < :T::date AND b < :T", "a < now()::date AND b < now()" },
    { "a = ':T' AND \":T\" < :T", "a = ':T' AND \":T\" < now()" },
    { "a = $$:T$$ OR b = E'\\':T'", "a = $$:T$$ OR b = E'\\':T'" },
    { "a::T", "a::T" },
    { "a[1:2]", "a[1:2]" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = sql_text_at (cases[i][0], "now()");
    g_assert_cmpstr (text, ==, cases[i][1]);
  }
}

/* A list, and its items with `|` between them; NULL: refused. */
static void
test_lists (void)
{
  static const char *const cases[][2] = {
    { "a", "a" },
    { "a, b ,c", "a|b|c" },
    { "\"Order, Items\", notes(a, b)", "\"Order, Items\"|notes(a, b)" },
    { "email = NULL, name = 'a, b'", "email = NULL|name = 'a, b'" },
    { "x = ARRAY[1, 2], y = E'\\', '", "x = ARRAY[1, 2]|y = E'\\', '" },
    { "x = $$a, b$$, y = f(1, (2, 3))", "x = $$a, b$$|y = f(1, (2, 3))" },
    { "", NULL },
    { " ", NULL },
    { "a,", NULL },
    { ",a", NULL },
    { "a,,b", NULL },
    { "a(b, c", NULL },
    { "a, b; c", NULL },
    { "a -- b", NULL },
    { "'a, b", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) items = sql_text_list (cases[i][0], &error);
    g_autofree char *joined = items != NULL ? g_strjoinv ("|", items) : NULL;
    g_test_message ("%s: %s", cases[i][0], error != NULL ? error->message : joined);
    g_assert_cmpstr (joined, ==, cases[i][1]);
    g_assert_true ((error != NULL) == (items == NULL));
  }
}

static void
test_names (void)
{
  static const char *const cases[][2] = {
    { "orders", "orders" },
    { "Orders", "orders" },
    { "\"Orders\"", "\"Orders\"" },
    { "App.\"Order, Items\"", "app.\"Order, Items\"" },
    { " app . orders ", "app.orders" },
    { "\"a\"\"b\"", "\"a\"\"b\"" },
    { "_x$1", "_x$1" },
    { "größe", "größe" },
    { "a.b.c", NULL },
    { "a.", NULL },
    { ".a", NULL },
    { "", NULL },
    { "1a", NULL },
    { "a b", NULL },
    { "a;b", NULL },
    { "\"\"", NULL },
    { "\"a", NULL },
    { "a-b", NULL },
    { "'a'", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *name = sql_text_only_name (cases[i][0], 2, &error);
    g_test_message ("%s: %s", cases[i][0], error != NULL ? error->message : name);
    g_assert_cmpstr (name, ==, cases[i][1]);
    g_assert_true ((error != NULL) == (name == NULL));
  }
}

static void
test_reads_rows (void)
{
  static const struct {
    const char *text;
    gboolean reads;
  } all[] = {
    { "deleted_at < :T - interval '30 days'", FALSE },
    { "(a = 1 OR b IN (1, 2)) AND NOT (c)", FALSE },
    { "coalesce (a, now()) < :T AND lower(b) = 'select'", FALSE },
    { "pg_catalog.date_part('day', a) = 1 AND pg_catalog.anything(a)", FALSE },
    { "a = cast(b AS numeric(5, 2)) AND \"select\" = 1 AND $$table$$ <> c", FALSE },
    { "id IN (SELECT id FROM t)", TRUE },
    { "id IN (table t)", TRUE },
    { "NOT is_wanted (owner)", TRUE },
    { "app.is_wanted(owner)", TRUE },
    { "\"Is wanted\"(owner)", TRUE },
    { "pg_catalog.lower(is_wanted(owner)) = 'x'", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (sql_text_reads_rows (all[i].text) != all[i].reads)
      g_error ("%s", all[i].text);
}

static void
test_assigns_again (void)
{
  static const struct {
    const char *text;
    gboolean again;
  } all[] = {
    { "NULL AND name = 'erased'", TRUE },
    { "(a OR b) and\t\"Name\"='x'", TRUE },
    { "CASE WHEN a THEN b END AND c = 1", TRUE },
    { "(a AND b = 1)", FALSE },
    { "x[1 AND b = 1]", FALSE },
    { "CASE WHEN a AND b = 1 THEN CASE WHEN a AND b = 1 THEN 1 END END", FALSE },
    { "' AND b = 1'", FALSE },
    { "a BETWEEN 1 AND 2", FALSE },
    { "a AND b", FALSE },
    { "a AND lower(b) = 'x'", FALSE },
    { "a AND b >= 1", FALSE },
    { "band = 1", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (sql_text_assigns_again (all[i].text) != all[i].again)
      g_error ("%s", all[i].text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/sql_text/expressions", test_expressions);
  g_test_add_func ("/job/sql_text/brackets_end", test_brackets_end);
  g_test_add_func ("/job/sql_text/time", test_time);
  g_test_add_func ("/job/sql_text/lists", test_lists);
  g_test_add_func ("/job/sql_text/names", test_names);
  g_test_add_func ("/job/sql_text/reads_rows", test_reads_rows);
  g_test_add_func ("/job/sql_text/assigns_again", test_assigns_again);
  return g_test_run ();
}
