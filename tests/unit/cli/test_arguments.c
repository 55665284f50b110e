#include "cli/arguments.h"

#include <string.h>

static gboolean fast;
static char *name;
static char *wait_given;

static gboolean
take_wait (const char *option, const char *value, gpointer data, GError **error)
{
  g_free (wait_given);
  wait_given = g_strdup (value == NULL ? "(none)" : value);
  return TRUE;
}

static const GOptionEntry options[] = { { "fast", 0, 0, G_OPTION_ARG_NONE, &fast, "quickly", NULL },
                                        { "name", 0, 0, G_OPTION_ARG_STRING, &name, "whose", "N" },
                                        { "wait", 0, G_OPTION_FLAG_OPTIONAL_ARG,
                                          G_OPTION_ARG_CALLBACK, take_wait, "how long", "S" },
                                        { NULL } };

static ExitCode
do_nothing (Cli *cli, GError **error)
{
  return CODE_OK;
}

static const Command commands[]
    = { { "walk", "WHERE [--fast]", "go there", "pruned walk home --fast", do_nothing, options,
          "On foot.", 1, 2 },
        { "rest", "", "do nothing", "pruned rest", do_nothing },
        { NULL } };

static gboolean
parse (const char *line, Invocation *out, GError **error)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  fast = FALSE;
  g_clear_pointer (&name, g_free);
  g_clear_pointer (&wait_given, g_free);
  return arguments_parse (commands, (int)g_strv_length (words), words, out, error);
}

static void
assert_parses (const char *line, const char *command, const char *arguments)
{
  g_autoptr (GError) error = NULL;
  Invocation got;
  g_assert_true (parse (line, &got, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (got.command->name, ==, command);
  g_autofree char *joined = g_strjoinv (" ", (char **)got.arguments->pdata);
  g_assert_cmpstr (joined, ==, arguments);
  invocation_clear (&got);
}

static void
assert_refused (const char *line, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  Invocation got;
  g_assert_false (parse (line, &got, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, wanted);
  invocation_clear (&got);
}

static void
test_command (void)
{
  assert_parses ("pruned rest", "rest", "");
  assert_parses ("pruned walk home", "walk", "home");
  assert_parses ("pruned walk home --fast", "walk", "home");
  g_assert_true (fast);
  assert_parses ("pruned walk --name=x home there", "walk", "home there");
  g_assert_cmpstr (name, ==, "x");
  assert_parses ("pruned walk --name -10m home", "walk", "home");
  g_assert_cmpstr (name, ==, "-10m");
}

static void
test_global (void)
{
  const char *const lines[] = {
    "pruned -c f --json -s a.b=1 -s c.d=2 walk home",
    "pruned walk -c f -s a.b=1 home --json -s c.d=2",
    "pruned -s a.b=1 walk home --set c.d=2 --config=f --json",
  };
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GError) error = NULL;
    Invocation got;
    g_assert_true (parse (lines[i], &got, &error));
    g_assert_cmpstr (got.file, ==, "f");
    g_assert_true (got.json);
    g_autofree char *set = g_strjoinv (" ", (char **)got.overrides->pdata);
    g_assert_cmpstr (set, ==, "a.b=1 c.d=2");
    g_assert_cmpstr (got.arguments->pdata[0], ==, "home");
    invocation_clear (&got);
  }
}

/* The next word is an argument, never the option's value. */
static void
test_optional_value (void)
{
  assert_parses ("pruned walk --wait home", "walk", "home");
  g_assert_cmpstr (wait_given, ==, "");
  assert_parses ("pruned walk home --wait", "walk", "home");
  g_assert_cmpstr (wait_given, ==, "");
  assert_parses ("pruned walk --wait=5 home", "walk", "home");
  g_assert_cmpstr (wait_given, ==, "5");
}

static void
test_end_of_options (void)
{
  assert_parses ("pruned walk -- --fast", "walk", "--fast");
  g_assert_false (fast);
  assert_parses ("pruned walk --fast -- home -x", "walk", "home -x");
  g_assert_true (fast);
}

static void
test_refuses (void)
{
  assert_refused ("pruned", "no command given; pruned --help lists them");
  assert_refused ("pruned wlak home", "unknown command 'wlak', did you mean 'walk'?");
  assert_refused ("pruned walk home --fst",
                  "unknown option '--fst' of walk, did you mean '--fast'?");
  assert_refused ("pruned walk home --jsno=1",
                  "unknown option '--jsno' of walk, did you mean '--json'?");
  assert_refused ("pruned --jso rest", "unknown option '--jso', did you mean '--json'?");
  assert_refused ("pruned walk home -x", "unknown option '-x' of walk");
  assert_refused ("pruned walk", "an argument is missing; usage: pruned walk WHERE [--fast]");
  assert_refused ("pruned walk a b c", "too many arguments; usage: pruned walk WHERE [--fast]");
  assert_refused ("pruned rest a", "too many arguments; usage: pruned rest ");
  assert_refused ("pruned walk a --name", "Missing argument for --name");
}

static void
assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("no '%s' in:\n%s", part, text);
}

static void
test_help (void)
{
  g_autoptr (GError) error = NULL;
  Invocation got;
  g_assert_true (parse ("pruned --help", &got, &error));
  g_assert_true (got.help && got.command == NULL);
  invocation_clear (&got);
  g_assert_true (
      parse ("pruned walk --help", &got, &error)); /* a missing argument is not an error here */
  g_assert_true (got.help && got.command == &commands[0]);
  invocation_clear (&got);
  g_autofree char *all = arguments_help (commands, NULL);
  g_autofree char *walk = arguments_help (commands, &commands[0]);
  assert_has (all, "  walk         go there\n");
  assert_has (all, "  rest         do nothing\n");
  assert_has (all, "--json");
  assert_has (walk, "Usage: pruned walk WHERE [--fast]\n");
  assert_has (walk, "On foot.");
  assert_has (walk, "--name=N");
  assert_has (walk, "--set=section.key=value");
  assert_has (walk, "Example:\n  pruned walk home --fast\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arguments/command", test_command);
  g_test_add_func ("/arguments/global", test_global);
  g_test_add_func ("/arguments/optional_value", test_optional_value);
  g_test_add_func ("/arguments/end_of_options", test_end_of_options);
  g_test_add_func ("/arguments/refuses", test_refuses);
  g_test_add_func ("/arguments/help", test_help);
  int failed = g_test_run ();
  g_free (name);
  g_free (wait_given);
  return failed;
}
