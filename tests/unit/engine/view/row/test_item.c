/* A row as an argument: TABLE:KEY. */
#include "engine/view/row/item.h"

#include <string.h>

/* A colon, or a point, in SQL quotes belongs to the table's name. */
static void
test_table_and_key (void)
{
  static const char *const cases[][3] = {
    { "members:42", "members", "42" },
    { "app.members:42", "app.members", "42" },
    { "members:", "members", "" },
    { "members:a:b", "members", "a:b" },
    { "members:{\"id\":1}", "members", "{\"id\":1}" },
    { "\"a:b\":1", "\"a:b\"", "1" },
    { "\"a\"\"b:c\":1", "\"a\"\"b:c\"", "1" },
    { "app.\"a:b\":1", "app.\"a:b\"", "1" },
    { "\"a:b\".\"c:d\":1", "\"a:b\".\"c:d\"", "1" },
    { "members:\"a:b\"", "members", "\"a:b\"" },
    { "größe:ä", "größe", "ä" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Item) item = { 0 };
    g_autoptr (GError) error = NULL;
    g_test_message ("%s", cases[i][0]);
    g_assert_true (item_parse (cases[i][0], &item, &error));
    g_assert_no_error (error);
    g_assert_cmpstr (item.table, ==, cases[i][1]);
    g_assert_cmpstr (item.text, ==, cases[i][2]);
  }
}

static void
test_what_is_no_row (void)
{
  static const char *const texts[] = { "", "members", ":42", ":", "members:\xff", "\xff:1" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_auto (Item) item = { 0 };
    g_autoptr (GError) error = NULL;
    g_assert_false (item_parse (texts[i], &item, &error));
    g_assert_nonnull (error);
  }
}

/* What a shell makes of it; g_free it. */
static char *
read_by_shell (const char *shell, const char *argument)
{
  g_autofree char *script = g_strdup_printf ("printf %%s %s", argument);
  const char *argv[] = { shell, "-c", script, NULL };
  char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text,
                               NULL, NULL, &error));
  g_assert_no_error (error);
  return text;
}

/* A command that is shown can be copied into a shell. */
static void
test_an_argument_is_quoted_for_a_shell (void)
{
  static const char *const keys[] = { "42", "a b",  "it's",       "$HOME",  "`id`", "a;b|c&d", "*",
                                      "\\", "\"",   "{\"a\": 1}", "!x",     "ä",    "",        "~",
                                      "#",  "a\nb", "\t\001\177", "'\n\\'", "(a)" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (gboolean on_a_line = FALSE; on_a_line <= TRUE; on_a_line++) {
      g_autofree char *argument = item_argument ("\"odd table\"", keys[i], on_a_line);
      g_autofree char *read = read_by_shell (on_a_line ? "bash" : "sh", argument);
      g_autofree char *wanted = g_strconcat ("\"odd table\":", keys[i], NULL);
      g_test_message ("%s", argument);
      g_assert_cmpstr (read, ==, wanted);
      for (const char *p = argument; on_a_line && *p != '\0'; p++)
        g_assert_false (g_ascii_iscntrl (*p));
    }
  g_autofree char *plain = item_argument ("app.members", "a@b.org", TRUE);
  g_assert_cmpstr (plain, ==, "app.members:a@b.org");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/item/parse", test_table_and_key);
  g_test_add_func ("/item/none", test_what_is_no_row);
  g_test_add_func ("/item/argument", test_an_argument_is_quoted_for_a_shell);
  return g_test_run ();
}
