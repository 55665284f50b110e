/* The last messages of the topics that a job's events come from: which of them its sections would
 * take. Nothing is started. */
#include "cli/check/check.h"
#include "cli/check/counts.h"
#include "cli/check/sample_read.h"
#include "cli/check/sample_rows.h"
#include "cli/check/spread.h"

#include "avro/registry.h"
#include "engine/clock/silent.h"
#include "engine/job/sentence/own_event.h"
#include "engine/ledger/admit_own_keys.h"
#include "engine/ledger/database.h"
#include "engine/ledger/own_keys.h"

#define NAME CHECK_SAMPLE

/* What a message that fits says of the rows of JOB. One for an erasure says it of several jobs. */
typedef struct {
  gint64 message;
  const Job *job;
  const SentenceEvent *event; /* its key */
  char **key;
} Said;

typedef struct {
  Check *check;
  const SentenceEvent *event;
  gboolean cancels;    /* it withdraws */
  gint64 wanted;       /* messages */
  GArray *said;        /* of Said, in the order of the messages */
  GHashTable *passed;  /* type -> gint64: passed over */
  GHashTable *refused; /* reason -> gint64: dead */
  GHashTable *near;    /* what own_event_near says -> gint64 */
  Spread *spread;
  gint64 read, fit;
  GError *error; /* the registry does not answer */
} Sample;

/* --- messages --- */

static void
take_passed (Sample *sample, OwnEvent *own)
{
  g_autofree char *near = own_event_near (own, sample->event);
  const char *type = own->type != NULL ? own->type : own->record;
  g_autofree char *shown = message_printable (type != NULL ? type : "without a type");
  counts_add (sample->passed, shown);
  if (near == NULL)
    return;
  g_autofree char *printable = message_printable (near);
  counts_add (sample->near, printable);
}

static void
take_error (Sample *sample, GError *cause)
{
  g_autofree char *reason = message_printable (cause->message);
  if (cause->code != PRUNED_REJECT) {
    sample->error = cause;
    return;
  }
  counts_add (sample->refused, reason);
  g_error_free (cause);
}

static gboolean
say_key (Sample *sample, OwnEvent *own, const Job *job, const SentenceEvent *event, GError **error)
{
  const Said said = { sample->read, job, event, own_event_key (own, event, error) };
  if (said.key != NULL)
    g_array_append_val (sample->said, said);
  return said.key != NULL;
}

/* As admit_erasure does. */
static gboolean
say_keys (Sample *sample, OwnEvent *own, GError **error)
{
  const SentenceEvent *event = sample->event;
  gboolean ok = say_key (sample, own, sample->check->job, event, error);
  for (guint i = 0; ok && event->parts != NULL && i < event->parts->len; i++) {
    const SentenceEvent *part = event->parts->pdata[i];
    const Job *job = jobs_find (sample->check->cli->jobs, part->of);
    ok = say_key (sample, own, job, part->has_own_key ? part : event, error);
  }
  return ok;
}

/* A message that fits. FALSE: it would be a dead letter. */
static gboolean
read_keys (Sample *sample, OwnEvent *own, GError **error)
{
  const SentenceEvent *event = sample->event;
  const guint before = sample->said->len;
  g_autofree char *due = NULL;
  MessageDecoded identity = { NULL };
  const gboolean ok = say_keys (sample, own, error)
                      && (sample->cancels || own_event_due (own, event, &due, error))
                      && own_event_identity (own, event, &identity, error);
  message_decoded_clear (&identity);
  if (!ok)
    g_array_set_size (sample->said, before);
  return ok;
}

static gboolean
take_message (const KafkaMessage *message, gpointer data)
{
  Sample *sample = data;
  GError *cause = NULL;
  gboolean fits = FALSE;
  g_auto (OwnEvent) own = { NULL };
  const MessageSource source = admit_own_source (message);
  g_autofree char *foreign = origin_refusal (message);
  sample->read++;
  spread_note (sample->spread, message);
  if (foreign != NULL)
    counts_add (sample->refused, foreign);
  else if (own_event_open (&own, &source, &cause)
           && own_event_fits (&own, sample->event, &fits, &cause)) {
    if (!fits)
      take_passed (sample, &own);
    else
      sample->fit += read_keys (sample, &own, &cause);
  }
  if (cause != NULL)
    take_error (sample, cause);
  return sample->error == NULL;
}

static gboolean
read_topic (Sample *sample, GError **error)
{
  if (!sample_read (sample->check->cli, sample->event->topic, sample->wanted, take_message, sample,
                    error))
    return FALSE;
  if (sample->error != NULL)
    g_propagate_error (error, g_steal_pointer (&sample->error));
  return *error == NULL;
}

/* --- keys --- */

/* As the table has them. What is no value of its column is refused, once a message. NULL: the
 * database did not answer. */
static GHashTable *
keys_written (Sample *sample, GError **error)
{
  gint64 refused = -1;
  g_autoptr (GHashTable) written = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (OwnKeys) keys = own_keys_new (sample->check->pg);
  for (guint i = 0; i < sample->said->len; i++) {
    const Said *said = &g_array_index (sample->said, Said, i);
    if (said->job != NULL)
      own_keys_note (keys, said->job, said->key);
  }
  if (!own_keys_ask (keys, G_MAXINT64, error))
    return NULL;
  for (guint i = 0; i < sample->said->len; i++) {
    GError *cause = NULL;
    char *key = NULL;
    const Said *said = &g_array_index (sample->said, Said, i);
    if (said->job == NULL || said->message == refused)
      continue;
    if (!own_keys_find (keys, said->job, said->key, &key, &cause)) {
      g_autofree char *paths = g_strjoinv (", ", said->event->key);
      g_prefix_error (&cause, "undecodable: key %s: ", paths);
      sample->fit--;
      refused = said->message;
      take_error (sample, cause);
    } else if (key != NULL)
      g_hash_table_add (written, key);
  }
  return g_steal_pointer (&written);
}

/* How many rows the keys name now; NULL: not known. g_free it. */
static char *
rows_there (Sample *sample, GError **error)
{
  g_autoptr (GHashTable) keys = keys_written (sample, error);
  return keys != NULL ? sample_rows_words (sample->check, keys, error) : NULL;
}

/* --- words --- */

static void
say_counts (const Sample *sample, const char *there)
{
  Check *check = sample->check;
  const SentenceEvent *event = sample->event;
  gint64 dead = counts_sum (sample->refused);
  g_autofree char *passed = counts_list (sample->passed), *refused = counts_list (sample->refused),
                  *near = counts_list (sample->near);
  GString *words = g_string_new (NULL);
  g_string_append_printf (words, "%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " fit %s",
                          event->topic, sample->fit, sample->read, event->name);
  if (there != NULL && sample->fit > 0)
    g_string_append (words, there);
  if (*passed != '\0')
    g_string_append_printf (words, "; passed over: %s", passed);
  if (dead > 0)
    g_string_append_printf (words, "; dead: %s", refused);
  if (*near != '\0')
    g_string_append_printf (words, "; nearest %s: %s", event->name, near);
  CheckPlace place = check_place_in (check, event->place);
  if (sample->read > 0 && sample->fit == 0)
    check_error (check, CODE_CONFIG, NAME, place, NULL, "%s", words->str);
  else if (dead > 0 || *near != '\0')
    check_warn (check, NAME, place, NULL, "%s", words->str);
  else
    check_ok (check, NAME, "%s", words->str);
  g_string_free (words, TRUE);
}

static void
said_clear (gpointer said)
{
  g_strfreev (((Said *)said)->key);
}

/* Only if none of many messages fits. */
static void
say_silent (const Sample *sample)
{
  Check *check = sample->check;
  g_autofree char *near = counts_list (sample->near), *passed = counts_list (sample->passed),
                  *remedy = g_strdup_printf ("pruned check %s --sample %d", check->job->name,
                                             2 * SILENT_MESSAGES);
  if (sample->fit == 0 && sample->read >= SILENT_MESSAGES)
    check_error (check, CODE_KAFKA, NAME, check_place_in (check, sample->event->place), remedy,
                 "no run yet, and none of the last %" G_GINT64_FORMAT
                 " messages of %s fits %s (%s: %s)",
                 sample->read, sample->event->topic, sample->event->name,
                 *near != '\0' ? "nearest" : "they are", *near != '\0' ? near : passed);
}

static void
check_event (Check *check, const SentenceEvent *event, gboolean cancels, gint64 n,
             gboolean only_silent)
{
  g_autoptr (GError) error = NULL;
  Sample sample = { .check = check, .event = event, .cancels = cancels, .wanted = n };
  sample.said = g_array_new (FALSE, FALSE, sizeof (Said));
  g_array_set_clear_func (sample.said, said_clear);
  sample.spread = spread_new ();
  GHashTable **counts[] = { &sample.passed, &sample.refused, &sample.near };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    *counts[i] = counts_new ();
  gboolean is_read = read_topic (&sample, &error);
  g_autofree char *there = is_read && !only_silent ? rows_there (&sample, &error) : NULL;
  if (only_silent)
    say_silent (&sample);
  else if (error != NULL)
    check_error (check, CODE_KAFKA, NAME, check_place_in (check, event->place), NULL, "%s: %s",
                 event->topic, error->message);
  else {
    say_counts (&sample, there);
    g_autofree char *spread = spread_words (sample.spread, event->topic);
    if (spread != NULL)
      check_warn (check, NAME, check_place_in (check, event->place), NULL, "%s", spread);
  }
  spread_free (sample.spread);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_hash_table_unref (*counts[i]);
  g_array_unref (sample.said);
}

/* So that messages for another database are known. */
static void
say_which_database (Check *check)
{
  g_auto (Origin) origin = { NULL };
  if (database_look (check->pg, &origin, NULL) && origin.database != NULL)
    origin_begin (origin.database);
}

static void
check_events (Check *check, gint64 n, gboolean only_silent)
{
  g_autoptr (GError) error = NULL;
  say_which_database (check);
  if (!registry_start (check->cli->config, &error)) {
    check_error (check, CODE_KAFKA, NAME, (CheckPlace){ 0 }, NULL, "%s", error->message);
    return;
  }
  for (guint i = 0; i < check->job->events->len; i++) {
    const JobEvent *event = check->job->events->pdata[i];
    if (event->own != NULL && !(only_silent && event->by_erasure)) /* the erasure says it */
      check_event (check, event->own, FALSE, n, only_silent);
    if (event->own != NULL && event->cancel != NULL && !only_silent)
      check_event (check, event->cancel, TRUE, n, FALSE);
  }
  registry_stop ();
}

static gboolean
has_own_events (const Job *job)
{
  gboolean has = FALSE;
  for (guint i = 0; i < job->events->len; i++)
    has |= ((const JobEvent *)job->events->pdata[i])->own != NULL;
  return has;
}

void
check_silent (Check *check)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", check->job->name);
  if (!has_own_events (check->job))
    return;
  g_autoptr (PgRows) rows = check_ask (check, NAME, SILENT_BEGAN, values);
  if (rows != NULL && !rows_bool (rows, 0, "began"))
    check_events (check, 2 * SILENT_MESSAGES, TRUE);
}

void
check_sample (Check *check, gint64 n)
{
  guint before = check->findings->len;
  check_events (check, n, FALSE);
  if (check->findings->len == before)
    check_ok (check, NAME, "no event of an application starts this job");
}
