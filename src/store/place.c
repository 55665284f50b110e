#include "store/place_private.h"

#include "base/thread.h"
#include "store/part.h"

#include <pthread.h>
#include <string.h>

#define AGAIN_MS 30000
#define DIGITS 16 /* of the digest in a name */
#define ENDS ".jsonl.gz"

/* Files for folders are written one after the other, on one thread, which is started with the
 * first. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t more;
  GQueue files; /* of PlaceFile */
  pthread_t thread;
  gboolean runs, stop;
} writer = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

/* --- names --- */

static gboolean
is_bucket (const char *text, gsize len)
{
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (text[i]) && strchr (".-_", text[i]) == NULL)
      return FALSE;
  return len > 0;
}

gboolean
place_is (const char *text, const char **why)
{
  *why = NULL;
  if (g_str_has_prefix (text, PLACE_FILE)) {
    const char *folder = text + strlen (PLACE_FILE);
    if (*folder != '/')
      *why = "expected file:/FOLDER, a path from the root on";
    else if (store_path_is_unsafe ("", folder + 1))
      *why = "expected file:/FOLDER, without .. and not the root itself";
    return TRUE;
  }
  if (!g_str_has_prefix (text, PLACE_S3))
    return FALSE;
  const char *bucket = text + strlen (PLACE_S3), *path = bucket + strcspn (bucket, "/");
  if (!is_bucket (bucket, (gsize)(path - bucket))
      || (path[0] != '\0' && path[1] != '\0' && store_path_is_unsafe ("", path + 1)))
    *why = "expected s3:BUCKET or s3:BUCKET/PATH";
  return TRUE;
}

static char *
digest_of (const GString *lines)
{
  g_autofree char *sum
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)lines->str, lines->len);
  return g_strndup (sum, DIGITS);
}

char *
place_name (const char *folder, const char *run_id, int step, const GString *lines)
{
  g_autofree char *digest = digest_of (lines);
  return g_strdup_printf ("%s/%s-%d-%s" ENDS, folder, run_id, step, digest);
}

gboolean
place_fits (const char *name, const GString *lines)
{
  g_autofree char *digest = digest_of (lines), *end = g_strconcat ("-", digest, ENDS, NULL);
  return g_str_has_suffix (name, end);
}

char *
place_path (const char *place, const char *name)
{
  g_autofree char *bare = g_strdup (place);
  while (g_str_has_suffix (bare, "/"))
    bare[strlen (bare) - 1] = '\0';
  return g_strconcat (bare, "/", name, NULL);
}

/* --- writing --- */

static void *
writer_main (void *data)
{
  (void)data;
  pthread_setname_np (pthread_self (), "archive");
  for (;;) {
    pthread_mutex_lock (&writer.lock);
    while (writer.files.length == 0 && !writer.stop)
      pthread_cond_wait (&writer.more, &writer.lock);
    PlaceFile *file = g_queue_pop_head (&writer.files);
    pthread_mutex_unlock (&writer.lock);
    if (file == NULL)
      return NULL;
    place_done (
        file,
        atomic_load (&file->cancelled)
            ? g_strdup ("it was ended")
            : place_folder_put (file->place + strlen (PLACE_FILE), file->name, file->content),
        AGAIN_MS);
  }
}

static void
write_later (PlaceFile *file)
{
  g_autoptr (GError) error = NULL;
  pthread_mutex_lock (&writer.lock);
  const gboolean runs = writer.runs || thread_start (&writer.thread, writer_main, NULL, &error);
  writer.runs = runs;
  if (runs)
    g_queue_push_tail (&writer.files, file);
  pthread_cond_signal (&writer.more);
  pthread_mutex_unlock (&writer.lock);
  if (!runs)
    place_done (file, g_strdup (error->message), AGAIN_MS);
}

void
place_write (const Config *config, PlaceFile *file)
{
  if (g_str_has_prefix (file->place, PLACE_S3))
    place_s3_write (config, file->place + strlen (PLACE_S3), file);
  else
    write_later (file);
}

void
places_stop (void)
{
  pthread_mutex_lock (&writer.lock);
  const gboolean runs = writer.runs;
  writer.stop = TRUE;
  pthread_cond_signal (&writer.more);
  pthread_mutex_unlock (&writer.lock);
  if (runs)
    pthread_join (writer.thread, NULL);
  writer.runs = writer.stop = FALSE;
  place_s3_stop ();
}

/* --- reading --- */

GBytes *
place_read (const Config *config, const char *path, GError **error)
{
  const char *why;
  GBytes *content = NULL;
  if (!place_is (path, &why) || why != NULL)
    (void)error_set (error, PRUNED_OUTAGE, "it is no file of an archive");
  else if (g_str_has_prefix (path, PLACE_S3))
    content = place_s3_get (config, path + strlen (PLACE_S3), error);
  else
    content = place_folder_get (path + strlen (PLACE_FILE), error);
  if (content == NULL)
    g_prefix_error (error, "%s: ", path);
  return content;
}

gboolean
place_probe (const Config *config, const char *place, GError **error)
{
  g_autofree char *why = g_str_has_prefix (place, PLACE_S3)
                             ? place_s3_probe (config, place + strlen (PLACE_S3))
                             : place_folder_probe (place + strlen (PLACE_FILE));
  return why == NULL || error_set (error, PRUNED_OUTAGE, "%s", why);
}
