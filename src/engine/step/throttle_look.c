#include "engine/step/throttle_look.h"

#include "base/clock.h"
#include "base/plural.h"
#include "engine/job/in_force.h"
#include "engine/job/job_tables.h"
#include "pg/quoted.h"

#include <string.h>
#include <sys/statvfs.h>

#define MIB (1024 * 1024)
#define RATE_LEAST_US (G_USEC_PER_SEC / 2)

const char *const throttle_words[THROTTLE_N]
    = { "standby_lag",     "slot_lag",     "wal",     "wal_unarchived",
        "old_transaction", "lock_waiters", "min_free" };

/* The settings: reason, and the words behind the amount in a text; `one`: behind 1, if others. */
static const struct {
  const char *setting;
  ThrottleReason reason;
  gboolean bytes;
  const char *words, *one;
} BOUNDS[] = {
  { "standby_lag_bytes", THROTTLE_STANDBY_LAG, TRUE, " to replay", NULL },
  { "standby_lag_s", THROTTLE_STANDBY_LAG, FALSE, " s behind", NULL },
  { "slot_lag_bytes", THROTTLE_SLOT_LAG, TRUE, " retained", NULL },
  { "wal_bytes_per_s", THROTTLE_WAL, TRUE, " of write-ahead log a second", NULL },
  { "wal_unarchived_files", THROTTLE_WAL_UNARCHIVED, FALSE, " files wait", " file waits" },
  { "old_transaction_s", THROTTLE_OLD_TRANSACTION, FALSE, " s old", NULL },
  { "lock_waiters", THROTTLE_LOCK_WAITERS, FALSE, " sessions wait for locks",
    " session waits for locks" },
  { "min_free_bytes", THROTTLE_MIN_FREE, TRUE, " free", NULL },
};

struct _ThrottleEye {
  const Jobs *jobs;
  char *job, *relation, *written; /* array literals: the jobs' tables as SQL writes them, and
                                     whether they write them */
  char *role;                     /* the role whose rights count; NULL: the session's */
  gint64 wal_bytes, wal_at_us;    /* of the look before; 0: none */
  GHashTable *behind;             /* name of a standby -> Behind */
};

/* A standby has not replayed up to TO, which the server had written at SINCE_US. */
typedef struct {
  gint64 to, since_us;
  gboolean seen; /* by the current look */
} Behind;

typedef struct {
  GString *jobs, *tables, *written;
  GHashTable *seen;
} Tables;

static void
passed_clear (gpointer data)
{
  g_free (((ThrottlePassed *)data)->text);
}

void
throttle_look_free (ThrottleLook *look)
{
  if (look == NULL)
    return;
  g_array_unref (look->passed);
  g_free (look);
}

/* --- the jobs' tables --- */

static void
add_table (Tables *tables, const Job *job, const char *table, gboolean written)
{
  if (!g_hash_table_add (tables->seen, g_strdup_printf ("%s %s", job->name, table)))
    return;
  array_add (tables->jobs, job->name);
  array_add (tables->tables, table);
  array_add (tables->written, written ? "t" : "f");
}

static void
add_changed (const Job *job, const char *table, const char *privilege, gpointer data)
{
  add_table (data, job, table, TRUE);
}

static void
add_tables (Tables *tables, const Job *job)
{
  job_tables_each (job, add_changed, tables);
  if (job->table != NULL)
    add_table (tables, job, job->table, TRUE);
  for (char **need = job->needs; need != NULL && *need != NULL; need++) {
    g_autofree char *table = g_strndup (*need, strcspn (*need, ".")), *quoted = quoted_make (table);
    add_table (tables, job, quoted, FALSE);
  }
}

ThrottleEye *
throttle_eye_new (const Jobs *jobs)
{
  ThrottleEye *eye = g_new0 (ThrottleEye, 1);
  Tables tables = { array_new (), array_new (), array_new (),
                    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  for (guint i = 0; i < jobs_count (jobs); i++)
    add_tables (&tables, jobs_at (jobs, i));
  g_hash_table_unref (tables.seen);
  eye->behind = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  eye->jobs = jobs;
  eye->job = array_take (tables.jobs);
  eye->relation = array_take (tables.tables);
  eye->written = array_take (tables.written);
  return eye;
}

void
throttle_eye_of (ThrottleEye *eye, const char *role)
{
  g_free (eye->role);
  eye->role = g_strdup (role);
}

void
throttle_eye_free (ThrottleEye *eye)
{
  g_hash_table_unref (eye->behind);
  g_free (eye->role);
  g_free (eye->job);
  g_free (eye->relation);
  g_free (eye->written);
  g_free (eye);
}

const Jobs *
throttle_eye_jobs (const ThrottleEye *eye)
{
  return eye->jobs;
}

/* --- a look --- */

static gint64
limit_of (const char *setting)
{
  return config_limit (in_force_config (), "throttle", setting);
}

static void
add_passed (ThrottleLook *look, ThrottleReason reason, const Job *job, gboolean maintenance,
            char *text)
{
  ThrottlePassed passed = { reason, job, maintenance, text };
  g_array_append_val (look->passed, passed);
}

/* A threshold of 0 is passed by 1. */
static gboolean
is_passed (ThrottleReason reason, gint64 amount, gint64 limit)
{
  return reason == THROTTLE_MIN_FREE ? amount < limit : amount >= MAX (1, limit);
}

static char *
words_of_bytes (gint64 bytes)
{
  if (bytes < 10240)
    return g_strdup_printf ("%" G_GINT64_FORMAT " %s", bytes, plural (bytes, "byte", "bytes"));
  return bytes < MIB ? g_strdup_printf ("%.1f KiB", (double)bytes / 1024)
                     : g_strdup_printf ("%.1f MiB", (double)bytes / MIB);
}

static void
compare (ThrottleLook *look, const char *setting, const Job *job, const char *name, gint64 amount)
{
  for (guint i = 0; i < G_N_ELEMENTS (BOUNDS); i++) {
    gint64 limit = g_str_equal (BOUNDS[i].setting, setting) ? limit_of (setting) : -1;
    if (limit < 0 || !is_passed (BOUNDS[i].reason, amount, limit))
      continue;
    const char *words
        = BOUNDS[i].one != NULL ? plural (amount, BOUNDS[i].one, BOUNDS[i].words) : BOUNDS[i].words;
    g_autofree char *size
        = BOUNDS[i].bytes ? words_of_bytes (amount) : g_strdup_printf ("%" G_GINT64_FORMAT, amount);
    add_passed (look, BOUNDS[i].reason, job, FALSE,
                g_strdup_printf ("%s: %s%s ([throttle] %s %" G_GINT64_FORMAT ")", name, size, words,
                                 setting, limit));
  }
}

static void
note_wal (ThrottleEye *eye, ThrottleLook *look, const char *name, gint64 bytes)
{
  gint64 now_us = clock_monotonic_us (), past_us = now_us - eye->wal_at_us;
  if (eye->wal_at_us != 0 && past_us < RATE_LEAST_US)
    return;
  if (eye->wal_at_us != 0 && bytes >= eye->wal_bytes)
    compare (look, "wal_bytes_per_s", NULL, name,
             (gint64)((double)(bytes - eye->wal_bytes) * G_USEC_PER_SEC / (double)past_us));
  eye->wal_bytes = bytes;
  eye->wal_at_us = now_us;
}

/* --- standbys --- */

static gboolean
forget_if_unseen (gpointer name, gpointer value, gpointer data)
{
  Behind *behind = value;
  gboolean gone = !behind->seen;
  behind->seen = FALSE;
  return gone;
}

/* The server measures a lag only when a standby reports: one whose replay is stuck does so every
 * `wal_receiver_status_interval`, or never. */
static void
note_behind (ThrottleEye *eye, const PgRows *rows)
{
  gint64 written = -1, now_us = clock_monotonic_us ();
  for (int i = 0; i < rows_count (rows); i++)
    if (g_str_equal (rows_text (rows, i, "setting"), "wal"))
      written = rows_int (rows, i, "value");
  for (int i = 0; i < rows_count (rows); i++) {
    if (!g_str_equal (rows_text (rows, i, "setting"), "replayed"))
      continue;
    const char *name = rows_text (rows, i, "name");
    Behind *behind = g_hash_table_lookup (eye->behind, name);
    if (behind == NULL) {
      behind = g_new0 (Behind, 1);
      g_hash_table_insert (eye->behind, g_strdup (name), behind);
    }
    if (rows_int (rows, i, "value") >= behind->to)
      *behind = (Behind){ written, now_us, FALSE };
    behind->seen = TRUE;
  }
  g_hash_table_foreach_remove (eye->behind, forget_if_unseen, NULL);
}

/* SECONDS: as the server measured. */
static gint64
behind_s (const ThrottleEye *eye, const char *name, gint64 seconds)
{
  const Behind *behind = g_hash_table_lookup (eye->behind, name);
  return behind == NULL
             ? seconds
             : MAX (seconds, (clock_monotonic_us () - behind->since_us) / G_USEC_PER_SEC);
}

/* --- disks --- */

static void
measure (ThrottleLook *look, const char *folder)
{
  struct statvfs found;
  if (statvfs (folder, &found) != 0)
    return;
  gint64 bytes = (gint64)found.f_bavail * (gint64)found.f_frsize;
  if (look->free_bytes < 0 || bytes < look->free_bytes)
    look->free_bytes = bytes;
}

static void
note_disk (ThrottleLook *look, Pg *pg, const char *folder, gboolean local)
{
  if (folder == NULL || !local || !pg_is_local (pg))
    return;
  g_autofree char *log = g_build_filename (folder, "pg_wal", NULL);
  measure (look, folder);
  measure (look, log); /* it may be a link to another disk */
}

/* Not if all settings of the reason WORD are off. */
static void
note_hidden (ThrottleLook *look, const char *word, gint64 n)
{
  for (guint i = 0; i < G_N_ELEMENTS (BOUNDS); i++)
    if (g_str_equal (throttle_words[BOUNDS[i].reason], word) && limit_of (BOUNDS[i].setting) >= 0) {
      look->hidden |= 1u << BOUNDS[i].reason;
      if (BOUNDS[i].reason == THROTTLE_STANDBY_LAG)
        look->hidden_standbys = n;
    }
}

static void
take_row (ThrottleEye *eye, ThrottleLook *look, Pg *pg, const PgRows *rows, int row)
{
  const char *setting = rows_text (rows, row, "setting"), *job = rows_text (rows, row, "job"),
             *name = rows_text (rows, row, "name");
  gint64 amount = rows_int (rows, row, "value");
  const Job *of = job != NULL ? jobs_find (eye->jobs, job) : NULL;
  if (g_str_equal (setting, "wal"))
    note_wal (eye, look, name, amount);
  else if (g_str_equal (setting, "disk"))
    note_disk (look, pg, name, amount == 1);
  else if (g_str_equal (setting, "hidden"))
    note_hidden (look, name, amount);
  else if (g_str_equal (setting, "standby_lag_s"))
    compare (look, setting, NULL, name, behind_s (eye, name, amount));
  else if (g_str_equal (setting, "replayed"))
    return; /* see note_behind */
  else if (!g_str_equal (setting, "maintenance"))
    compare (look, setting, of, name, amount);
  else if (limit_of ("lock_waiters") >= 0)
    add_passed (
        look, THROTTLE_LOCK_WAITERS, of, TRUE,
        g_strdup_printf ("%s is vacuumed, or gets an index ([throttle] lock_waiters)", name));
}

static PgRows *
ask (const ThrottleEye *eye, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", eye->job);
  pg_values_set (values, "relation", eye->relation);
  pg_values_set (values, "written", eye->written);
  pg_values_set (values, "role", eye->role);
  pg_values_set (values, "app_schema", config_text (in_force_config (), "postgres", "app_schema"));
  return pg_run_alone (pg, "src/engine/step/sql/throttle.sql", values, error);
}

static gboolean
all_are_off (void)
{
  gboolean off = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (BOUNDS); i++)
    off &= limit_of (BOUNDS[i].setting) < 0;
  return off;
}

ThrottleLook *
throttle_eye_look (ThrottleEye *eye, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = NULL;
  gboolean off = all_are_off ();
  if (!off && (rows = ask (eye, pg, error)) == NULL)
    return NULL;
  ThrottleLook *look = g_new0 (ThrottleLook, 1);
  look->passed = g_array_new (FALSE, FALSE, sizeof (ThrottlePassed));
  g_array_set_clear_func (look->passed, passed_clear);
  look->free_bytes = -1;
  if (!off)
    note_behind (eye, rows);
  for (int i = 0; !off && i < rows_count (rows); i++)
    take_row (eye, look, pg, rows, i);
  if (look->free_bytes >= 0)
    compare (look, "min_free_bytes", NULL, "the server's disk", look->free_bytes);
  return look;
}
