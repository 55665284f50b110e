#include "support/played.h"

#include "engine/outbox/dead.h"
#include "pg/rows_private.h"

#include <string.h>

typedef struct {
  GHashTable *answers; /* file -> GQueue of texts */
  GHashTable *bound;   /* "file name" -> text */
  GString *asked;
  KafkaMessage *letter;
} Play;

static Play *play;
static _Atomic gint64 later_us; /* of all plays, asked by any thread: the clock never goes back */

PgRows *__real_pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error);
PgRows *__wrap_pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error);
PgRows *__real_pg_run_alone (Pg *pg, const char *file, const PgValues *values, GError **error);
PgRows *__wrap_pg_run_alone (Pg *pg, const char *file, const PgValues *values, GError **error);
gint64 __real_clock_monotonic_us (void);
gint64 __wrap_clock_monotonic_us (void);
gboolean __real_dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason,
                                  int attempts, GError **error);
gboolean __wrap_dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason,
                                  int attempts, GError **error);

static void
queue_free (gpointer queue)
{
  g_queue_free_full (queue, g_free);
}

static void
play_free (Play *old)
{
  g_hash_table_destroy (old->answers);
  g_hash_table_destroy (old->bound);
  g_string_free (old->asked, TRUE);
  kafka_message_free (old->letter);
  g_free (old);
}

void
played_begin (void)
{
  g_clear_pointer (&play, play_free);
  play = g_new0 (Play, 1);
  play->answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, queue_free);
  play->bound = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  play->asked = g_string_new (NULL);
}

void
played_answer (const char *file, const char *rows)
{
  GQueue *queue = g_hash_table_lookup (play->answers, file);
  if (queue == NULL)
    g_hash_table_insert (play->answers, g_strdup (file), queue = g_queue_new ());
  g_queue_push_tail (queue, g_strdup (rows != NULL ? rows : "outage"));
}

const char *
played_asked (void)
{
  return play->asked->str;
}

const char *
played_bound (const char *file, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s %s", file, name);
  return g_hash_table_lookup (play->bound, key);
}

void
played_later (gint64 us)
{
  later_us += us;
}

const KafkaMessage *
played_letter (void)
{
  return play->letter;
}

static void
keep_bound (const char *name, const char *file, const PgValues *values)
{
  const char *const *parameters = pg_statement_parameters (pg_statement (file));
  for (; *parameters != NULL; parameters++)
    g_hash_table_insert (play->bound, g_strdup_printf ("%s %s", name, *parameters),
                         g_strdup (pg_values_get (values, *parameters)));
}

static void
set_columns (PGresult *result, char **names)
{
  guint n = g_strv_length (names);
  g_autofree PGresAttDesc *columns = g_new0 (PGresAttDesc, n);
  for (guint i = 0; i < n; i++)
    columns[i].name = names[i];
  g_assert_true (PQsetResultAttrs (result, (int)n, columns) != 0);
}

PgRows *
played_rows (const char *text)
{
  PGresult *result = PQmakeEmptyPGresult (NULL, PGRES_TUPLES_OK);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (int row = -1; lines[row + 1] != NULL; row++) {
    g_auto (GStrv) fields = g_strsplit (lines[row + 1], "|", -1);
    if (row < 0)
      set_columns (result, fields);
    for (int column = 0; row >= 0 && fields[column] != NULL; column++) {
      gboolean null = g_str_equal (fields[column], "-");
      int len = null ? -1 : (int)strlen (fields[column]);
      g_assert_true (PQsetvalue (result, row, column, fields[column], len) != 0);
    }
  }
  return rows_wrap (result);
}

PgRows *
__wrap_pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  if (play == NULL)
    return __real_pg_run_file (pg, file, values, error);
  g_autofree char *name = g_path_get_basename (file);
  *strrchr (name, '.') = '\0';
  g_string_append_printf (play->asked, "%s%s", play->asked->len > 0 ? " " : "", name);
  if (values != NULL)
    keep_bound (name, file, values);
  GQueue *queue = g_hash_table_lookup (play->answers, name);
  g_autofree char *rows = queue != NULL ? g_queue_pop_head (queue) : NULL;
  if (g_strcmp0 (rows, "outage") != 0)
    return played_rows (rows != NULL ? rows : "none");
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: played outage", name);
  return NULL;
}

PgRows *
__wrap_pg_run_alone (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  return play == NULL ? __real_pg_run_alone (pg, file, values, error)
                      : __wrap_pg_run_file (pg, file, values, error);
}

gint64
__wrap_clock_monotonic_us (void)
{
  return __real_clock_monotonic_us () + later_us;
}

gboolean
__wrap_dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason,
                         int attempts, GError **error)
{
  if (play == NULL)
    return __real_dead_letter_bury (service, message, reason, attempts, error);
  g_clear_pointer (&play->letter, kafka_message_free);
  play->letter = dead_letter (service->prefix, message, reason, attempts);
  return TRUE;
}
