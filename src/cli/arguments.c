/* Two passes: before the command only global options are known (strict), behind it also those of
 * the command. GOption ignores unknown options, so that this file can suggest the nearest known
 * one.
 */
#include "cli/arguments.h"

#include "base/words.h"
#include "config/nearest.h"

#include <string.h>

void
invocation_clear (Invocation *invocation)
{
  g_clear_pointer (&invocation->file, g_free);
  g_clear_pointer (&invocation->overrides, g_ptr_array_unref);
  g_clear_pointer (&invocation->arguments, g_ptr_array_unref);
}

void
arguments_set_unknown (GError **error, const char *what, const char *text, const char *const *names)
{
  g_autofree char *hint = nearest_hint (text, names);
  error_fatal (error, "unknown %s '%s'%s", what, text, hint);
}

static gboolean
take_override (const char *option, const char *value, gpointer data, GError **error)
{
  Invocation *invocation = data;
  g_ptr_array_add (invocation->overrides, g_strdup (value));
  return TRUE;
}

/* A context that knows the global options and those of COMMAND (NULL: none). */
static GOptionContext *
context_new (Invocation *invocation, const Command *command)
{
  GOptionEntry global[]
      = { { "config", 'c', 0, G_OPTION_ARG_FILENAME, &invocation->file,
            "configuration file (default: PRUNED_CONFIG, else /etc/pruned/pruned.conf)", "FILE" },
          { "set", 's', 0, G_OPTION_ARG_CALLBACK, take_override,
            "one setting, over file and environment", "section.key=value" },
          { "json", 0, 0, G_OPTION_ARG_NONE, &invocation->json, "JSON Lines on stdout", NULL },
          { "help", 'h', 0, G_OPTION_ARG_NONE, &invocation->help, "this help", NULL },
          { "version", 0, 0, G_OPTION_ARG_NONE, &invocation->version,
            "the same as the command version", NULL },
          { NULL } };
  if (command != NULL) /* --version is known before the command only */
    global[G_N_ELEMENTS (global) - 2] = (GOptionEntry){ NULL };
  GOptionContext *context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("pruned", "Options:", "", invocation, NULL);
  if (command != NULL && command->options != NULL)
    g_option_group_add_entries (group, command->options);
  g_option_group_add_entries (group, global);
  g_option_context_set_main_group (context, group);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  g_option_context_set_strict_posix (context, command == NULL);
  return context;
}

static gboolean
takes_optional_value (const Command *command, const char *word)
{
  if (command->options == NULL || !g_str_has_prefix (word, "--"))
    return FALSE;
  for (const GOptionEntry *entry = command->options; entry->long_name != NULL; entry++)
    if ((entry->flags & G_OPTION_FLAG_OPTIONAL_ARG) != 0
        && g_str_equal (entry->long_name, word + 2))
      return TRUE;
  return FALSE;
}

/* A copy of WORDS for GOption, up to a `--`. `--wait` becomes `--wait=`, so that GOption does not
 * read the next word as its value. */
static char **
words_new (const Command *command, char **words)
{
  GPtrArray *copy = g_ptr_array_new ();
  g_ptr_array_add (copy, g_strdup ("pruned"));
  for (; *words != NULL && !g_str_equal (*words, "--"); words++)
    g_ptr_array_add (copy, command != NULL && takes_optional_value (command, *words)
                               ? g_strconcat (*words, "=", NULL)
                               : g_strdup (*words));
  g_ptr_array_add (copy, NULL);
  return (char **)g_ptr_array_free (copy, FALSE);
}

static const char *const *
option_names (const Command *command)
{
  static const char *names[64];
  guint n = 0;
  for (const GOptionEntry *entry = command != NULL ? command->options : NULL;
       entry != NULL && entry->long_name != NULL && n < G_N_ELEMENTS (names) - 5; entry++)
    names[n++] = entry->long_name;
  names[n++] = "config";
  names[n++] = "set";
  names[n++] = "json";
  names[n++] = "help";
  names[n] = NULL;
  return names;
}

static gboolean
unknown_option (const Command *command, const char *word, GError **error)
{
  g_autofree char *name = g_strndup (word, strcspn (word, "="));
  const char *bare = name + strspn (name, "-");
  const char *near = strlen (bare) > 1 ? nearest_name (bare, option_names (command)) : NULL;
  g_autofree char *of = command != NULL ? g_strconcat (" of ", command->name, NULL) : g_strdup ("");
  g_autofree char *hint
      = near != NULL ? g_strdup_printf (", did you mean '--%s'?", near) : g_strdup ("");
  return error_fatal (error, "unknown option '%s'%s%s", name, of, hint);
}

/* WORDS without the options; NULL: error. */
static char **
take_options (Invocation *invocation, const Command *command, char **words, GError **error)
{
  g_autoptr (GOptionContext) context = context_new (invocation, command);
  g_auto (GStrv) given = words_new (command, words);
  g_autoptr (GError) cause = NULL;
  if (!g_option_context_parse_strv (context, &given, &cause))
    return error_null (error, PRUNED_FATAL, "%s", cause->message);
  for (guint i = 1; given[i] != NULL; i++) {
    if (given[i][0] == '-' && given[i][1] != '\0') {
      unknown_option (command, given[i], error);
      return NULL;
    }
    if (command == NULL)
      break;
  }
  return g_steal_pointer (&given);
}

static const Command *
find_command (const Command *commands, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const Command *command = commands; command->name != NULL; command++) {
    if (g_str_equal (command->name, name))
      return command;
    g_ptr_array_add (names, (gpointer)command->name);
  }
  g_ptr_array_add (names, NULL);
  arguments_set_unknown (error, "command", name, (const char *const *)names->pdata);
  return NULL;
}

static gboolean
check_number (const Invocation *invocation, GError **error)
{
  const Command *command = invocation->command;
  guint n = invocation->arguments->len - 1;
  if (invocation->help || (n >= command->least && n <= command->most))
    return TRUE;
  return error_fatal (error, "%s; usage: pruned %s %s",
                      n < command->least ? "an argument is missing" : "too many arguments",
                      command->name, command->arguments);
}

/* Parses the words behind the command: its options and arguments, and everything behind a `--`. */
static gboolean
parse_command (Invocation *invocation, char **words, GError **error)
{
  g_auto (GStrv) left = take_options (invocation, invocation->command, words, error);
  if (left == NULL)
    return FALSE;
  for (guint i = 1; left[i] != NULL; i++)
    g_ptr_array_add (invocation->arguments, g_strdup (left[i]));
  while (*words != NULL && !g_str_equal (*words, "--"))
    words++;
  for (words += *words != NULL; *words != NULL; words++)
    g_ptr_array_add (invocation->arguments, g_strdup (*words));
  g_ptr_array_add (invocation->arguments, NULL);
  g_ptr_array_add (invocation->overrides, NULL);
  return check_number (invocation, error);
}

/* `pruned --version`: ignores everything else. */
static gboolean
find_version (const Command *commands, Invocation *out)
{
  out->command = find_command (commands, "version", NULL);
  g_ptr_array_add (out->arguments, NULL);
  g_ptr_array_add (out->overrides, NULL);
  return out->command != NULL;
}

/* `pruned help [COMMAND]` is `pruned [COMMAND] --help`. */
static gboolean
take_help (const Command *commands, Invocation *out, GError **error)
{
  const char *topic = g_ptr_array_index (out->arguments, 0);
  out->help = TRUE;
  out->command = topic != NULL ? find_command (commands, topic, error) : NULL;
  return topic == NULL || out->command != NULL;
}

gboolean
arguments_parse (const Command *commands, int argc, char **argv, Invocation *out, GError **error)
{
  *out = (Invocation){ .overrides = g_ptr_array_new_with_free_func (g_free),
                       .arguments = g_ptr_array_new_with_free_func (g_free) };
  g_auto (GStrv) left = take_options (out, NULL, argv + MIN (argc, 1), error);
  if (left == NULL)
    return FALSE;
  guint given = g_strv_length (left);
  if (given == 1 && out->help)
    return TRUE;
  if (out->version && find_version (commands, out))
    return TRUE;
  if (given == 1)
    return error_fatal (error, "no command given; pruned --help lists them");
  out->command = find_command (commands, left[1], error);
  if (out->command == NULL)
    return FALSE;
  int end = 0; /* of the words that GOption parsed */
  while (end < argc && !g_str_equal (argv[end], "--"))
    end++;
  gboolean asks = g_str_equal (out->command->name, "help") && !out->help;
  return parse_command (out, argv + end - (given - 2), error)
         && (!asks || out->help || take_help (commands, out, error));
}

#define HELP_WIDTH 80

/* TEXT in lines that end between two words; those behind the first are indented by INDENT. */
static void
append_wrapped (GString *text, const char *line, int indent)
{
  g_auto (GStrv) lines = words_wrap (line, HELP_WIDTH - indent);
  g_string_append_printf (text, "%s\n", lines[0]);
  for (char **next = lines + 1; *next != NULL; next++)
    g_string_append_printf (text, "%*s%s\n", indent, "", *next);
}

/* NAME, which takes WIDTH columns, and behind it what it is. */
static void
append_entry (GString *text, const char *name, int width, const char *help)
{
  g_string_append_printf (text, "%-*s", width, name);
  append_wrapped (text, help, width);
}

/* A line of GOption's: a title, or an option, blanks, and what it is. */
static void
append_option (GString *text, const char *line)
{
  const char *blanks = *line == ' ' ? strstr (line + 2, "  ") : NULL;
  if (blanks == NULL) {
    append_wrapped (text, line, 0);
    return;
  }
  const char *help = blanks + strspn (blanks, " ");
  g_autofree char *name = g_strndup (line, (gsize)(help - line));
  append_entry (text, name, (int)(help - line), help);
}

/* GOption's help of the options, without its "Usage:" lines. */
static void
append_options (GString *text, const Command *command)
{
  Invocation none = { 0 };
  g_autoptr (GOptionContext) context = context_new (&none, command);
  g_autofree char *all = g_option_context_get_help (context, TRUE, NULL);
  const char *options = strstr (all, "\n\n");
  g_auto (GStrv) lines = g_strsplit (options != NULL ? options + 2 : all, "\n", -1);
  for (char **line = lines; *line != NULL && (**line != '\0' || line[1] != NULL); line++)
    append_option (text, *line);
}

static void
append_command (GString *text, const Command *command)
{
  g_autofree char *usage
      = g_strchomp (g_strdup_printf ("Usage: pruned %s %s", command->name, command->arguments));
  append_wrapped (text, usage, (int)strlen ("Usage: "));
  g_string_append (text, "\n");
  append_wrapped (text, command->help, 0);
  g_auto (GStrv) more = g_strsplit (command->more != NULL ? command->more : "", "\n", -1);
  if (command->more != NULL)
    g_string_append (text, "\n");
  for (char **line = more; *line != NULL; line++)
    append_wrapped (text, *line, 0);
  g_string_append (text, "\n");
  append_options (text, command);
  g_string_append_printf (text, "Example:\n  %s\n", command->example);
}

char *
arguments_help (const Command *commands, const Command *command)
{
  GString *text = g_string_new (NULL);
  if (command != NULL) {
    append_command (text, command);
    return g_string_free (text, FALSE);
  }
  g_string_append (
      text, "Usage: pruned [options] COMMAND [options]\n\n"
            "Removes what is no longer wanted from a PostgreSQL database, driven by Kafka.\n\n"
            "Commands:\n");
  for (const Command *each = commands; each->name != NULL; each++) {
    g_autofree char *name = g_strconcat ("  ", each->name, NULL);
    append_entry (text, name, 15, each->help);
  }
  g_string_append (text, "\n");
  append_options (text, NULL);
  g_string_append (text, "Example:\n  pruned COMMAND --help\n");
  return g_string_free (text, FALSE);
}
