#include "store/place_private.h"

void
place_file_clear (PlaceFile *file)
{
  g_free (file->place);
  g_free (file->name);
  g_clear_pointer (&file->content, g_bytes_unref);
  g_free (file->why);
}

void
place_done (PlaceFile *file, char *why, gint64 retry_ms)
{
  file->why = why != NULL ? g_strdup_printf ("the archive cannot be written: %s", why) : NULL;
  file->retry_ms = retry_ms;
  g_free (why);
  file->done (file);
}
