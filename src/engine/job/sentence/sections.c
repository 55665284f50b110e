#include "engine/job/sentence/sections.h"

#include "base/resource.h"

#include <string.h>

#define RETENTION "retention"
#define EVENT "event"
#define ERASURE "erasure"
#define SUFFIX ".conf"

static void
section_free (gpointer data)
{
  Section *section = data;
  g_free (section->name);
  g_free (section->path);
  g_free (section->broken);
  g_clear_pointer (&section->file, g_ptr_array_unref);
  g_free (section);
}

GPtrArray *
sections_new (void)
{
  return g_ptr_array_new_with_free_func (section_free);
}

const KeyFileEntry *
section_entry (const Section *section, guint i)
{
  return section->file->pdata[section->first + i];
}

const KeyFileEntry *
section_find (const Section *section, const char *key)
{
  for (guint i = 0; i < section->n; i++)
    if (g_str_equal (section_entry (section, i)->key, key))
      return section_entry (section, i);
  return NULL;
}

gboolean
section_fail (const Section *section, const KeyFileEntry *entry, GError **error, const char *format,
              ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  return error_fatal (error, "%s:%d: %s", section->path,
                      entry != NULL ? entry->line : section->line, why);
}

/* HEAD: what stands between the brackets. */
static Section *
add (GPtrArray *sections, const char *path, const char *head, const char *otherwise)
{
  Section *section = g_new0 (Section, 1);
  section->is_erasure = key_file_is_section (head, ERASURE);
  section->is_event = section->is_erasure || key_file_is_section (head, EVENT);
  const char *word = section->is_erasure ? ERASURE : section->is_event ? EVENT : RETENTION;
  section->name = g_strstrip (g_strdup (head + strlen (word)));
  if (*section->name == '\0') {
    g_free (section->name);
    section->name = g_strdup (otherwise);
  }
  section->path = g_strdup (path);
  g_ptr_array_add (sections, section);
  return section;
}

static void
add_all (GPtrArray *sections, const char *path, GPtrArray *entries, const char *otherwise)
{
  Section *section = NULL;
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (!key_file_is_verbatim (entry->section))
      section = NULL;
    else if (entry->key == NULL) {
      section = add (sections, path, entry->section, otherwise);
      section->line = entry->line;
      section->file = g_ptr_array_ref (entries);
      section->first = i + 1;
    } else
      section->n++;
  }
}

gboolean
sections_of_config (GPtrArray *sections, const char *path, gboolean must_exist, GError **error)
{
  g_autoptr (GPtrArray) entries = key_file_read (path, must_exist, error);
  if (entries != NULL)
    add_all (sections, path, entries, "");
  return entries != NULL;
}

/* A file of jobs has no other sections. */
static gboolean
are_known (const char *path, const GPtrArray *entries, GError **error)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (!key_file_is_verbatim (entry->section))
      return error_fatal (
          error,
          "%s:%d: unknown section [%s]: a file of [run] jobs_dir has [retention NAME], "
          "[event NAME] and [erasure NAME]",
          path, entry->line, entry->section);
  }
  if (entries->len == 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s:1: there is no section [retention]", path);
  return entries->len > 0;
}

static GPtrArray *
read_file (const char *path, GError **error)
{
  if (!resource_is_no_file (path))
    return key_file_read (path, TRUE, error);
  return error_null (error, PRUNED_FATAL, "%s: this is no file", path);
}

/* The heads of a file with a mistake: what it names is refused, and the rest goes on. */
static void
add_broken (GPtrArray *sections, const char *path, const char *otherwise, const char *why)
{
  g_autofree char *text = NULL;
  guint before = sections->len;
  if (!resource_is_no_file (path))
    (void)g_file_get_contents (path, &text, NULL, NULL);
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    char *line = g_strstrip (lines[i]);
    gsize len = strlen (line);
    if (*line != '[' || line[len - 1] != ']')
      continue;
    line[len - 1] = '\0';
    if (key_file_is_section (line + 1, RETENTION) && g_utf8_validate (line, -1, NULL)) {
      Section *section = add (sections, path, line + 1, otherwise);
      section->broken = g_strdup (why);
      section->line = (int)i + 1;
    }
  }
  if (sections->len == before) {
    Section *section = add (sections, path, RETENTION, otherwise);
    section->broken = g_strdup (why);
    section->line = 1;
  }
}

void
sections_of_file (GPtrArray *sections, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (path);
  if (g_str_has_suffix (name, SUFFIX))
    name[strlen (name) - strlen (SUFFIX)] = '\0';
  g_autoptr (GPtrArray) entries = read_file (path, &error);
  if (entries != NULL && are_known (path, entries, &error))
    add_all (sections, path, entries, name);
  else if (resource_exists (path)) {
    g_autofree char *why = g_str_has_prefix (error->message, path)
                               ? g_strdup (error->message)
                               : g_strconcat (path, ": ", error->message, NULL);
    add_broken (sections, path, name, why);
  }
}
