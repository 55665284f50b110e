#include "engine/outbox/remember_file.h"

#include "avro/readable.h"
#include "base/clock.h"
#include "base/trusted.h"
#include "engine/service/envelope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGIN "erasures-"
#define END ".jsonl"
#define MAC ",\"mac\":\"" /* then its digits and: */
#define CLOSE "\"}"
#define MAC_DIGITS 64
#define TAIL (sizeof MAC - 1 + MAC_DIGITS + sizeof CLOSE - 1)
#define OF_LINE "line" /* in the hash of a line: no table of an entry's hash is with it */
#define LOCK_TRIES 2000
#define LOCK_PAUSE_US 1000

/* --- the folder --- */

/* The day of US, as names have it. */
static char *
day_of (gint64 us)
{
  g_autofree char *time = clock_format (us);
  return g_strndup (time, strlen ("2026-12-01"));
}

/* A host's name goes into it, without what a path could read otherwise. */
static char *
file_of (const char *folder)
{
  g_autofree char *day = day_of (clock_now_us ()), *host = g_strdup (g_get_host_name ());
  g_strcanon (host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
  g_autofree char *name = g_strconcat (BEGIN, day, "-", host, END, NULL);
  return g_build_filename (folder, name, NULL);
}

static gboolean
may (const char *path, int how)
{
  return faccessat (AT_FDCWD, path, how, AT_EACCESS) == 0;
}

gboolean
remember_file_usable (const char *folder, GError **error)
{
  g_autofree char *path = file_of (folder);
  struct stat status;
  if (stat (folder, &status) != 0 || !S_ISDIR (status.st_mode))
    return error_fatal (error,
                        "%s: there is no such folder: make it for the user of the daemon alone"
                        " (install -d -m 700 -o USER %s), and if it is mounted, mount it",
                        folder, folder);
  if (!trusted_file (folder, error))
    return FALSE;
  const char *what = !may (folder, W_OK | X_OK)                     ? folder
                     : may (path, F_OK) && !may (path, R_OK | W_OK) ? path
                                                                    : NULL;
  return what == NULL
         || error_fatal (error,
                         "%s: %s: the user of the daemon writes the ledger of erasures there", what,
                         g_strerror (errno));
}

/* --- a line --- */

gboolean
remember_file_line (GString *lines, const SealKey *key, const KafkaMessage *message, GError **error)
{
  const MessageHeader *type = kafka_message_header (message, "ce_type"),
                      *database = kafka_message_header (message, ORIGIN_HEADER);
  const MessageSource source = { .value = message->value,
                                 .value_len = message->value_len,
                                 .headers = message->headers,
                                 .n_headers = message->n_headers,
                                 .space = type->value };
  g_autofree char *erasure = readable_write (&source, error);
  if (erasure == NULL)
    return FALSE;
  g_autofree char *line
      = g_strdup_printf ("{\"database\":\"%s\",\"erasure\":%s,\"key_id\":\"%s\"",
                         database != NULL ? database->value : "", erasure, seal_key_id (key)),
      *mac = seal_hash (key, OF_LINE, line);
  g_string_append_printf (lines, "%s" MAC "%s" CLOSE "\n", line, mac);
  return TRUE;
}

/* The key with that id; NULL: it is none of KEYS. */
static const SealKey *
key_of (const GPtrArray *keys, const char *id)
{
  for (guint i = 0; i < keys->len; i++)
    if (g_str_equal (id, seal_key_id (keys->pdata[i])))
      return keys->pdata[i];
  return NULL;
}

/* Whether TEXT, of LEN bytes, is as it was written. */
static gboolean
is_genuine (const SealKey *key, const char *text, gsize len)
{
  g_autofree char *said = g_strndup (text, len - TAIL), *mac = seal_hash (key, OF_LINE, said),
                  *tail = g_strconcat (MAC, mac, CLOSE, NULL);
  return g_str_equal (tail, text + len - TAIL);
}

static void
read_line (RememberedLine *line, const GPtrArray *keys, const char *text, RememberedFunc take,
           gpointer data)
{
  const gsize len = strlen (text);
  g_autoptr (json_t) object = len > TAIL ? json_parse (text, len, NULL) : NULL;
  const char *id = json_string_value (json_object_get (object, "key_id")),
             *database = json_string_value (json_object_get (object, "database"));
  const SealKey *key = id != NULL ? key_of (keys, id) : NULL;
  line->content = NULL;
  line->damaged = line->other_key = NULL;
  line->database = database != NULL && *database != '\0' ? database : NULL;
  if (id == NULL)
    line->damaged = "it is no entry, or a part of one";
  else if (key == NULL)
    line->other_key = id;
  else if (!is_genuine (key, text, len))
    line->damaged = "it is not as it was written";
  else
    line->content = json_object_get (object, "erasure");
  take (line, data);
}

/* --- writing --- */

static gboolean
fail (const char *path, const char *what, GError **error)
{
  return error_set (error, PRUNED_OUTAGE, "the ledger of erasures: %s: %s: %s", path, what,
                    g_strerror (errno));
}

/* HOW: as flock. Nobody has it for long. */
static gboolean
lock (int fd, int how)
{
  for (guint i = 0; i < LOCK_TRIES; i++) {
    if (flock (fd, how | LOCK_NB) == 0)
      return TRUE;
    if (errno != EWOULDBLOCK && errno != EINTR)
      return FALSE;
    g_usleep (LOCK_PAUSE_US);
  }
  return FALSE;
}

/* How far the file of SIZE bytes goes, up to its last newline; -1: it cannot be read. */
static off_t
whole_lines (int fd, off_t size)
{
  char bytes[4096];
  while (size > 0) {
    const off_t from = MAX (0, size - (off_t)sizeof bytes);
    const ssize_t n = pread (fd, bytes, (size_t)(size - from), from);
    if (n != size - from)
      return -1;
    for (ssize_t i = n; i > 0; i--)
      if (bytes[i - 1] == '\n')
        return from + i;
    size = from;
  }
  return 0;
}

static gboolean
write_all (int fd, const GString *lines)
{
  for (gsize done = 0; done < lines->len;) {
    const ssize_t n = write (fd, lines->str + done, lines->len - done);
    if (n < 0 && errno != EINTR)
      return FALSE;
    done += n > 0 ? (gsize)n : 0;
  }
  return TRUE;
}

/* What was written of LINES before an error is taken away again; else the next one does that. */
static gboolean
append_locked (int fd, const GString *lines, off_t *before)
{
  struct stat status;
  if (fstat (fd, &status) != 0 || (*before = whole_lines (fd, status.st_size)) < 0
      || (*before < status.st_size && ftruncate (fd, *before) != 0))
    return FALSE;
  if (write_all (fd, lines))
    return TRUE;
  const int cause = errno;
  if (ftruncate (fd, *before) != 0)
    errno = cause;
  errno = cause;
  return FALSE;
}

/* A file that is new is in its folder only once that is on the disk, too. */
static gboolean
settle_folder (const char *folder)
{
  const int dir = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const gboolean done = dir >= 0 && fsync (dir) == 0;
  if (dir >= 0)
    close (dir);
  return done;
}

gboolean
remember_file_append (const char *folder, const GString *lines, GError **error)
{
  g_autofree char *path = file_of (folder);
  off_t before = 0;
  const int fd = open (path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return fail (path, "open", error);
  /* The folder before the lock is given back: others do not see that the file is new. */
  const char *what = !lock (fd, LOCK_EX)                      ? "lock"
                     : !append_locked (fd, lines, &before)    ? "write"
                     : before == 0 && !settle_folder (folder) ? "fsync of the folder"
                     : flock (fd, LOCK_UN) != 0               ? "unlock"
                     : fsync (fd) != 0                        ? "fsync"
                                                              : NULL;
  const gboolean done = what == NULL || fail (path, what, error);
  close (fd);
  return done;
}

/* --- reading --- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The paths of the files from DAY on; NULL: the folder cannot be read. */
static GPtrArray *
files_since (const char *folder, const char *day, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = g_dir_open (folder, 0, &cause);
  if (dir == NULL)
    return error_null (error, PRUNED_FATAL, "the ledger of erasures: %s", cause->message);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_prefix (name, BEGIN) && g_str_has_suffix (name, END)
        && strcmp (name + strlen (BEGIN), day) >= 0)
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_dir_close (dir);
  g_ptr_array_sort (paths, by_name);
  return g_steal_pointer (&paths);
}

/* Up to the size that it has now: behind that somebody may be writing. */
static gboolean
read_file (const char *path, const GPtrArray *keys, RememberedFunc take, gpointer data,
           GError **error)
{
  g_autofree char *text = NULL;
  size_t room = 0;
  struct stat status;
  RememberedLine line = { .path = path };
  FILE *file = fopen (path, "re");
  if (file == NULL || !lock (fileno (file), LOCK_SH) || fstat (fileno (file), &status) != 0) {
    error_fatal (error, "the ledger of erasures: %s: %s", path, g_strerror (errno));
    if (file != NULL)
      (void)fclose (file);
    return FALSE;
  }
  (void)flock (fileno (file), LOCK_UN);
  off_t left = status.st_size;
  for (ssize_t n; left > 0 && (n = getline (&text, &room, file)) > 0; left -= n) {
    line.line++;
    if (text[n - 1] == '\n')
      text[n - 1] = '\0';
    read_line (&line, keys, text, take, data);
  }
  const gboolean failed = ferror (file) != 0;
  (void)fclose (file);
  return !failed || error_fatal (error, "the ledger of erasures: %s: it cannot be read", path);
}

gboolean
remember_file_read (const char *folder, const GPtrArray *keys, gint64 from_us, RememberedFunc take,
                    gpointer data, GError **error)
{
  g_autofree char *day = day_of (MAX (0, from_us));
  g_autoptr (GPtrArray) paths = files_since (folder, day, error);
  for (guint i = 0; paths != NULL && i < paths->len; i++)
    if (!read_file (paths->pdata[i], keys, take, data, error))
      return FALSE;
  return paths != NULL;
}
