#include "config/key_file.h"
#include "base/error.h"
#include "base/trusted.h"
#include <string.h>

typedef struct {
  const char *path;
  int line;
  GPtrArray *entries;
  GHashTable *lines; /* `[section]` or `[section]key` -> line */
  char *section;     /* the current section; NULL at first */
  gboolean verbatim; /* it is */
  GError **error;
} Scan;

static void
entry_free (gpointer data)
{
  KeyFileEntry *entry = data;
  g_free (entry->section);
  g_free (entry->key);
  g_free (entry->value);
  g_free (entry);
}

static gboolean G_GNUC_PRINTF (2, 3) fail (Scan *scan, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  return error_fatal (scan->error, "%s:%d: %s", scan->path, scan->line, why);
}

gboolean
key_file_is_section (const char *section, const char *name)
{
  gsize len = strlen (name);
  return strncmp (section, name, len) == 0
         && (section[len] == '\0' || g_ascii_isspace (section[len]));
}

gboolean
key_file_is_verbatim (const char *section)
{
  return key_file_is_section (section, "retention") || key_file_is_section (section, "event")
         || key_file_is_section (section, "erasure");
}

/* VALUE: of a verbatim section. */
static void
add (Scan *scan, const char *key, const char *value)
{
  KeyFileEntry *entry = g_new0 (KeyFileEntry, 1);
  entry->section = g_strdup (scan->section);
  entry->key = g_strdup (key);
  entry->value = g_strdup (value);
  entry->line = scan->line;
  g_ptr_array_add (scan->entries, entry);
}

/* The line where KEY (NULL: the section) first appeared; 0: this is the first time. */
static int
seen_at (Scan *scan, const char *key)
{
  char *name = g_strdup_printf ("[%s]%s", scan->section, key != NULL ? key : "");
  int line = GPOINTER_TO_INT (g_hash_table_lookup (scan->lines, name));
  g_hash_table_insert (scan->lines, name, GINT_TO_POINTER (line != 0 ? line : scan->line));
  return line;
}

static gboolean
scan_section (Scan *scan, const char *text)
{
  const char *end = strchr (text, ']');
  if (end == NULL || end[1] != '\0' || end == text + 1)
    return fail (scan, "expected [name]");
  g_free (scan->section);
  scan->section = g_strndup (text + 1, end - text - 1);
  scan->verbatim = key_file_is_verbatim (scan->section);
  int line = seen_at (scan, NULL);
  if (line != 0 && !scan->verbatim)
    return fail (scan, "section [%s] appears twice, first in line %d", scan->section, line);
  add (scan, NULL, NULL);
  return TRUE;
}

/* A condition is often written in several lines. */
static gboolean
fail_line (Scan *scan)
{
  static const char want[] = "expected [section], key = value or # comment";
  guint n = scan->entries->len;
  const KeyFileEntry *before = n > 0 ? scan->entries->pdata[n - 1] : NULL;
  return before == NULL || before->key == NULL || !scan->verbatim
             ? fail (scan, want)
             : fail (scan, "%s; if the value of '%s' goes on here: a key is one line", want,
                     before->key);
}

static gboolean
scan_key (Scan *scan, const char *text)
{
  const char *equals = strchr (text, '=');
  if (equals == NULL || equals == text)
    return fail_line (scan);
  if (scan->section == NULL)
    return fail (scan, "a key before the first [section]");
  g_autofree char *key = g_strchomp (g_strndup (text, equals - text));
  if (strpbrk (key, "[]") != NULL)
    return fail (scan, "a key cannot contain brackets");
  int line = seen_at (scan, key);
  if (line != 0 && !scan->verbatim)
    return fail (scan, "'%s' in [%s] appears twice, first in line %d", key, scan->section, line);
  const char *value = equals + 1 + strspn (equals + 1, " \t");
  add (scan, key, scan->verbatim ? value : NULL);
  return TRUE;
}

static gboolean
scan_lines (Scan *scan, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    scan->line++;
    g_strstrip (*line);
    if (**line == '\0' || **line == '#')
      continue;
    if (**line == '[' ? !scan_section (scan, *line) : !scan_key (scan, *line))
      return FALSE;
  }
  return TRUE;
}

/* Removes blanks at the end of the line; a blank that must stay is written \s. */
static gboolean
read_value (GKeyFile *file, KeyFileEntry *entry, Scan *scan)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *raw = g_key_file_get_value (file, entry->section, entry->key, &error);
  if (raw != NULL) {
    g_key_file_set_value (file, entry->section, entry->key, g_strchomp (raw));
    entry->value = g_key_file_get_string (file, entry->section, entry->key, &error);
  }
  scan->line = entry->line;
  if (error != NULL)
    return fail (scan, "the value of '%s' cannot be read; write \\ as \\\\", entry->key);
  return TRUE;
}

static gboolean
read_values (Scan *scan, const char *text, gsize len)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  if (!g_key_file_load_from_data (file, text, len, G_KEY_FILE_NONE, &error))
    return error_fatal (scan->error, "%s: %s", scan->path, error->message);
  for (guint i = 0; i < scan->entries->len; i++) {
    KeyFileEntry *entry = scan->entries->pdata[i];
    if (entry->key != NULL && entry->value == NULL && !read_value (file, entry, scan))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_text (Scan *scan, const char *text, gsize len)
{
  const char *invalid;
  if (g_utf8_validate_len (text, len, &invalid))
    return TRUE;
  scan->line = 1;
  for (const char *c = text; c < invalid; c++)
    scan->line += *c == '\n';
  return fail (scan, "not UTF-8 text");
}

/* Some editors write a byte order mark in front of the text. */
static gboolean
read_text (Scan *scan, const char *text, gsize len)
{
  gsize mark = g_str_has_prefix (text, "\xef\xbb\xbf") ? 3 : 0;
  text += mark;
  len -= mark;
  return is_text (scan, text, len) && scan_lines (scan, text) && read_values (scan, text, len);
}

GPtrArray *
key_file_parse (const char *path, const char *text, gsize len, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Scan scan = { .path = path, .entries = entries, .lines = lines, .error = error };
  gboolean ok = text == NULL || read_text (&scan, text, len);
  g_free (scan.section);
  return ok ? g_steal_pointer (&entries) : NULL;
}

GPtrArray *
key_file_read (const char *path, gboolean must_exist, GError **error)
{
  return trusted_file (path, error) ? key_file_peek (path, must_exist, error) : NULL;
}

GPtrArray *
key_file_peek (const char *path, gboolean must_exist, GError **error)
{
  g_autofree char *text = NULL;
  gsize len = 0;
  g_autoptr (GError) problem = NULL;
  if (!g_file_get_contents (path, &text, &len, &problem)
      && (must_exist || !g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)))
    return error_null (error, PRUNED_FATAL, "the configuration cannot be read: %s",
                       problem->message);
  return key_file_parse (path, text, len, error);
}
