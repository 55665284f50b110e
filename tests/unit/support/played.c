#include "support/played_private.h"

#include "engine/outbox/dead.h"
#include "pg/rows_private.h"

#include <string.h>

typedef struct {
  GHashTable *answers; /* name -> GQueue of PlayedAnswer */
  GHashTable *bound;   /* "name parameter" -> text */
  GString *asked;
  Pg *pg;
  KafkaMessage *letter;
} Play;

static Play *play;
static _Atomic gint64 later_us; /* of all plays, asked by any thread: the clock never goes back */

gint64 __real_clock_monotonic_us (void);
gint64 __wrap_clock_monotonic_us (void);
void __real_dead_letters_add (DeadLetters *letters, const KafkaMessage *message, const char *reason,
                              int attempts);
void __wrap_dead_letters_add (DeadLetters *letters, const KafkaMessage *message, const char *reason,
                              int attempts);
gboolean __real_dead_letters_send (Service *service, Pg *pg, DeadLetters *letters, GError **error);
gboolean __wrap_dead_letters_send (Service *service, Pg *pg, DeadLetters *letters, GError **error);

void
played_answer_free (PlayedAnswer *answer)
{
  if (answer == NULL)
    return;
  g_free (answer->rows);
  g_free (answer->sqlstate);
  g_free (answer->message);
  g_free (answer);
}

static void
queue_free (gpointer queue)
{
  g_queue_free_full (queue, (GDestroyNotify)played_answer_free);
}

static void
play_free (Play *old)
{
  g_hash_table_destroy (old->answers);
  g_hash_table_destroy (old->bound);
  g_string_free (old->asked, TRUE);
  pg_free (old->pg);
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
  played_pg_begin ();
}

gboolean
played_is_on (void)
{
  return play != NULL;
}

Pg *
played_pg (void)
{
  if (play->pg == NULL)
    play->pg = pg_new (&(PgSettings){ .url = "", .app_schema = "public", .name = "played" });
  return play->pg;
}

/* --- answers --- */

static void
add_answer (const char *name, PlayedAnswer answer)
{
  GQueue *queue = g_hash_table_lookup (play->answers, name);
  if (queue == NULL)
    g_hash_table_insert (play->answers, g_strdup (name), queue = g_queue_new ());
  g_queue_push_tail (queue, g_memdup2 (&answer, sizeof answer));
}

void
played_answer (const char *name, const char *rows)
{
  add_answer (name, (PlayedAnswer){ .rows = g_strdup (rows) });
}

void
played_refuse (const char *name, const char *sqlstate, const char *message)
{
  add_answer (name,
              (PlayedAnswer){ .sqlstate = g_strdup (sqlstate), .message = g_strdup (message) });
}

gboolean
played_has (const char *name)
{
  GQueue *queue = g_hash_table_lookup (play->answers, name);
  return queue != NULL && !g_queue_is_empty (queue);
}

PlayedAnswer *
played_take (const char *name)
{
  GQueue *queue = g_hash_table_lookup (play->answers, name);
  return queue != NULL ? g_queue_pop_head (queue) : NULL;
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

/* --- what was asked --- */

void
played_note (const char *name)
{
  g_string_append_printf (play->asked, "%s%s", play->asked->len > 0 ? " " : "", name);
}

const char *
played_asked (void)
{
  return play->asked->str;
}

void
played_keep_bound (const char *name, const PgStatement *statement, const PgValues *values)
{
  const char *const *parameters = pg_statement_parameters (statement);
  for (; *parameters != NULL; parameters++)
    g_hash_table_insert (play->bound, g_strdup_printf ("%s %s", name, *parameters),
                         g_strdup (pg_values_get (values, *parameters)));
}

const char *
played_bound (const char *name, const char *parameter)
{
  g_autofree char *key = g_strdup_printf ("%s %s", name, parameter);
  return g_hash_table_lookup (play->bound, key);
}

/* --- the clock and the dead topic --- */

void
played_later (gint64 us)
{
  later_us += us;
}

gint64
__wrap_clock_monotonic_us (void)
{
  return __real_clock_monotonic_us () + later_us;
}

const KafkaMessage *
played_letter (void)
{
  return play->letter;
}

void
__wrap_dead_letters_add (DeadLetters *letters, const KafkaMessage *message, const char *reason,
                         int attempts)
{
  __real_dead_letters_add (letters, message, reason, attempts);
  if (play == NULL)
    return;
  g_clear_pointer (&play->letter, kafka_message_free);
  play->letter = dead_letter ("p", message, reason, attempts);
}

gboolean
__wrap_dead_letters_send (Service *service, Pg *pg, DeadLetters *letters, GError **error)
{
  return play != NULL || __real_dead_letters_send (service, pg, letters, error);
}
