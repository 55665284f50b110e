/* The files that a sentence has become. */
#include "engine/job/sentence/sentence_write.h"

#include <string.h>

/* What follows a dot can be taken for what the file does, so a delete of such a table says so. */
static char *
path_of (char *path, char action)
{
  if (action != 'd' || strchr (path, '.') == NULL)
    return path;
  char *whole = g_strconcat (path, ".delete", NULL);
  g_free (path);
  return whole;
}

static void
file_free (gpointer data)
{
  WrittenFile *file = data;
  g_free (file->path);
  g_free (file->table);
  g_free (file->text);
  g_free (file->owned);
  g_free (file);
}

Written *
written_new (void)
{
  Written *written = g_new0 (Written, 1);
  written->files = g_ptr_array_new_with_free_func (file_free);
  written->tables = g_ptr_array_new_with_free_func (g_free);
  written->cursor = g_ptr_array_new_with_free_func (g_free);
  written->behind = g_ptr_array_new_with_free_func (g_free);
  written->beside = g_ptr_array_new_with_free_func (g_free);
  return written;
}

void
written_free (Written *written)
{
  if (written == NULL)
    return;
  g_ptr_array_unref (written->files);
  g_ptr_array_unref (written->cursor);
  g_ptr_array_unref (written->behind);
  g_ptr_array_unref (written->beside);
  g_ptr_array_unref (written->tables);
  g_free (written->below);
  g_free (written->reading);
  g_free (written->left);
  g_free (written->reading_objects);
  g_free (written->known_rows);
  g_free (written->all_rows);
  g_free (written->cursor_of);
  g_free (written->due);
  g_free (written);
}

void
written_add_cursor (Written *written, const char *type, const char *greater, const char *equal)
{
  g_ptr_array_add (written->cursor, g_strdup (type));
  g_ptr_array_add (written->behind, g_strdup (greater));
  g_ptr_array_add (written->beside, g_strdup (equal));
}

void
written_add (Written *written, char *path, const CatTable *table, char action, char *text)
{
  WrittenFile *file = g_new0 (WrittenFile, 1);
  *file = (WrittenFile){ .path = path_of (path, action),
                         .table = table != NULL ? g_strdup (table->name) : NULL,
                         .action = action,
                         .text = text };
  g_ptr_array_add (written->files, file);
}

void
written_add_insert (Written *written, const char *path, char *text)
{
  written_add (written, g_strdup (path), NULL, 'i', text);
  ((WrittenFile *)written->files->pdata[written->files->len - 1])->table = g_strdup ("pruned");
}
