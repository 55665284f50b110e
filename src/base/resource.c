#include "base/resource.h"

#include "base/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#define INCLUDE "-- include: "
#define INCLUDE_DEPTH 8
#define MARK "\xef\xbb\xbf"

static char *
embedded_path (const char *path)
{
  return g_strconcat ("/pruned/", path, NULL);
}

/* Whoever reads a FIFO waits for a writer. */
gboolean
resource_is_no_file (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* TEXT without the byte order mark that some editors write in front of it. A text that is cut at a
 * NUL byte would mean something else. */
static char *
checked (const char *path, char *text, gsize len, GError **error)
{
  g_autofree char *owned = text;
  const char *invalid;
  int line = 1;
  if (g_utf8_validate_len (text, len, &invalid))
    return g_str_has_prefix (text, MARK) ? g_strdup (text + strlen (MARK))
                                         : g_steal_pointer (&owned);
  for (const char *c = text; c < invalid; c++)
    line += *c == '\n';
  return error_null (error, PRUNED_FATAL, "%s:%d: not UTF-8 text%s", path, line,
                     *invalid == '\0' ? ": a NUL byte" : "");
}

static char *
text_of_file (const char *path, GError **error)
{
  char *text = NULL;
  gsize len = 0;
  g_autoptr (GError) cause = NULL;
  if (resource_is_no_file (path))
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: this is no file", path);
  else if (!trusted_file (path, error))
    return NULL;
  else if (!g_file_get_contents (path, &text, &len, &cause))
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: %s", path, cause->message);
  return text != NULL ? checked (path, text, len, error) : NULL;
}

char *
resource_text (const char *path, GError **error)
{
  char *text = NULL;
  GError *cause = NULL;
  if (path[0] == '/')
    return text_of_file (path, error);
  g_autofree char *name = embedded_path (path);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (name, 0, &cause);
  if (bytes != NULL)
    text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  if (cause != NULL) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: %s", path, cause->message);
    g_error_free (cause);
  }
  return text;
}

gboolean
resource_exists (const char *path)
{
  GStatBuf entry;
  if (path[0] == '/')
    return g_lstat (path, &entry) == 0 || (errno != ENOENT && errno != ENOTDIR);
  g_autofree char *name = embedded_path (path);
  return g_resources_get_info (name, 0, NULL, NULL, NULL);
}

/* The path of the file that the line from LINE to END of the file at PATH includes; NULL: it
 * includes none. g_free it. */
static char *
included_by (const char *path, const char *line, const char *end)
{
  while (line < end && g_ascii_isspace (*line))
    line++;
  if (!g_str_has_prefix (line, INCLUDE))
    return NULL;
  line += strlen (INCLUDE);
  g_autofree char *relative = g_strstrip (g_strndup (line, (gsize)(end - line))),
                  *folder = g_path_get_dirname (path),
                  *joined = g_build_filename (folder, relative, NULL),
                  *clean = g_canonicalize_filename (joined, "/");
  return g_strdup (path[0] == '/' ? clean : clean + 1);
}

static gboolean
append_sql (GString *out, const char *path, int depth, GError **error)
{
  g_autofree char *text = resource_text (path, error);
  if (text == NULL)
    return FALSE;
  if (depth > INCLUDE_DEPTH)
    return error_fatal (error, "%s: includes itself", path);
  for (const char *line = text, *end; *line != '\0'; line = end) {
    end = line + strcspn (line, "\n");
    g_autofree char *included = included_by (path, line, end);
    end += *end == '\n';
    if (included == NULL)
      g_string_append_len (out, line, end - line);
    else if (!append_sql (out, included, depth + 1, error))
      return FALSE;
  }
  return TRUE;
}

void
resource_includes (const char *path, GHashTable *paths)
{
  g_autofree char *text = resource_text (path, NULL);
  for (const char *line = text, *end; text != NULL && *line != '\0'; line = end) {
    end = line + strcspn (line, "\n");
    char *included = included_by (path, line, end);
    if (included != NULL)
      g_hash_table_add (paths, included);
    end += *end == '\n';
  }
}

char *
resource_sql (const char *path, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (!append_sql (out, path, 0, error))
    return NULL;
  return g_strdup (out->str);
}

/* By the number that a name begins with, then as text: `90-a` before `1000-a`. */
static int
by_number (gconstpointer a, gconstpointer b)
{
  const char *one = *(const char *const *)a, *other = *(const char *const *)b;
  const guint64 i = g_ascii_strtoull (one, NULL, 10), j = g_ascii_strtoull (other, NULL, 10);
  const gboolean numbered = g_ascii_isdigit (*one) && g_ascii_isdigit (*other);
  return numbered && i != j ? (i > j) - (i < j) : strcmp (one, other);
}

static gboolean
fail_by_errno (const char *path, GError **error)
{
  return error_fatal (error, "%s: %s", path, g_strerror (errno));
}

/* What is gone since the folder was read is left out. */
static gboolean
add_entry (GPtrArray *names, const char *folder, const char *name, GError **error)
{
  GStatBuf entry;
  g_autofree char *path = g_build_filename (folder, name, NULL);
  if (g_lstat (path, &entry) != 0)
    return errno == ENOENT || fail_by_errno (path, error);
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_ptr_array_add (names, g_strconcat (name, is_folder ? "/" : "", NULL));
  return TRUE;
}

static gboolean
add_on_disk (GPtrArray *names, const char *folder, GError **error)
{
  if (!resource_exists (folder))
    return TRUE;
  if (!trusted_file (folder, error))
    return FALSE;
  DIR *dir = opendir (folder);
  if (dir == NULL)
    return fail_by_errno (folder, error);
  const struct dirent *entry;
  gboolean ok = TRUE;
  /* cppcheck-suppress readdirCalled ; only this thread uses DIR */
  while (ok && (errno = 0, entry = readdir (dir)) != NULL)
    if (!g_str_equal (entry->d_name, ".") && !g_str_equal (entry->d_name, ".."))
      ok = add_entry (names, folder, entry->d_name, error);
  if (ok && errno != 0)
    ok = fail_by_errno (folder, error);
  closedir (dir);
  return ok;
}

static void
add_embedded (GPtrArray *names, const char *folder)
{
  g_autofree char *path = embedded_path (folder);
  g_auto (GStrv) children = g_resources_enumerate_children (path, 0, NULL);
  for (guint i = 0; children != NULL && children[i] != NULL; i++)
    g_ptr_array_add (names, g_strdup (children[i]));
}

char **
resource_list (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (folder[0] != '/')
    add_embedded (names, folder);
  else if (!add_on_disk (names, folder, error))
    return NULL;
  g_ptr_array_sort (names, by_number);
  g_ptr_array_add (names, NULL);
  return (char **)g_ptr_array_steal (names, NULL);
}
