#include "cli/dead/resend.h"

#include "cli/replayer.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/service/envelope.h"

#define DESCRIBE_MS 5000
#define PUBLISH_MS 10000

Resend *
resend_new (Cli *cli, Pg *pg, char **settings, GError **error)
{
  g_autoptr (Resend) resend = g_new0 (Resend, 1);
  resend->cli = cli;
  resend->pg = pg;
  resend->prefix = config_text (cli->config, "topics", "prefix");
  resend->own = jobs_own_topics (cli->jobs, cli->config);
  resend->settings = settings;
  resend->partitions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  resend->admin = kafka_admin_new ((const char *const *)settings, error);
  if (resend->admin == NULL)
    return NULL;
  resend->producer = kafka_producer_new ((const char *const *)settings, error);
  return resend->producer != NULL ? g_steal_pointer (&resend) : NULL;
}

void
resend_free (Resend *resend)
{
  if (resend == NULL)
    return;
  g_clear_pointer (&resend->producer, kafka_producer_free);
  g_clear_pointer (&resend->admin, kafka_admin_free);
  g_hash_table_unref (resend->partitions);
  g_ptr_array_unref (resend->own);
  g_free (resend);
}

/* How many partitions TOPIC has; -1: it does not exist. */
static gboolean
find_partitions (Resend *resend, const char *topic, gint32 *n, GError **error)
{
  gpointer known;
  if (g_hash_table_lookup_extended (resend->partitions, topic, NULL, &known)) {
    *n = GPOINTER_TO_INT (known);
    return TRUE;
  }
  KafkaTopic asked = { .name = (char *)topic };
  if (!kafka_admin_describe (resend->admin, &asked, 1, DESCRIBE_MS, error))
    return FALSE;
  *n = asked.partitions;
  g_hash_table_insert (resend->partitions, g_strdup (topic), GINT_TO_POINTER (*n));
  return TRUE;
}

/* An outcome that its topic has refused: it was in no partition, and refused.c gives the reason. */
static gboolean
is_outcome (const Resend *resend, const DeadLetter *said)
{
  g_autofree char *outcomes = g_strconcat (resend->prefix, ".outcomes", NULL);
  return g_strcmp0 (said->source_topic, outcomes) == 0 && said->source_partition < 0
         && said->source_offset < 0 && said->reason != NULL
         && g_str_has_prefix (said->reason, "refused: ");
}

/* Only topics that this service reads: someone who can write to the dead topic must not be able to
 * choose where we write. */
static gboolean
is_read_by_us (const Resend *resend, const char *topic)
{
  g_autofree char *ticks = g_strconcat (resend->prefix, ".ticks", NULL),
                  *events = g_strconcat (resend->prefix, ".events", NULL);
  g_autofree char *work = g_strconcat (resend->prefix, ".work.", NULL);
  return g_str_equal (topic, ticks) || g_str_equal (topic, events)
         || g_str_has_prefix (topic, work);
}

static gboolean
is_own (const Resend *resend, const Letter *letter)
{
  const char *topic = letter->said.source_topic;
  return topic != NULL && g_ptr_array_find_with_equal_func (resend->own, topic, g_str_equal, NULL);
}

/* Why LETTER can never be retried; NULL: it can. ERROR: Kafka could not be asked. */
static char *
obstacle_of (Resend *resend, const Letter *letter, GError **error)
{
  const DeadLetter *said = &letter->said;
  gint32 n;
  char *foreign = origin_refusal (letter->message);
  if (foreign != NULL)
    return foreign;
  if (said->omitted != NULL)
    return g_strdup_printf (
        "its value was left out (%s): the original message was %s [%" G_GINT64_FORMAT
        "] offset %" G_GINT64_FORMAT,
        said->omitted, said->source_topic != NULL ? said->source_topic : "?",
        said->source_partition, said->source_offset);
  const gboolean outcome = is_outcome (resend, said);
  if (said->source_topic == NULL || (said->source_partition < 0 && !outcome))
    return g_strdup ("it does not say where it came from: its pruned_ headers are missing");
  if (is_own (resend, letter))
    return NULL;
  if (!outcome && !is_read_by_us (resend, said->source_topic))
    return g_strdup_printf ("it came from %s, which this service does not read",
                            said->source_topic);
  if (!find_partitions (resend, said->source_topic, &n, error))
    return NULL;
  if (n < 0)
    return g_strdup_printf ("there is no topic %s", said->source_topic);
  return NULL;
}

/* Goes to the partition it came from; by its key, if the topic has fewer partitions than before. */
static KafkaMessage *
original_of (const Resend *resend, const Letter *letter)
{
  KafkaMessage *message = dead_letter_original (letter->message, &letter->said);
  if (message->partition
      >= GPOINTER_TO_INT (g_hash_table_lookup (resend->partitions, message->topic)))
    message->partition = -1;
  return message;
}

/* Each of MESSAGES that Kafka has not got yet: so an error is about this one. */
static ExitCode
send_each (Resend *resend, const GPtrArray *messages, gboolean *sent, char **why, GError **error)
{
  for (guint i = 0; i < messages->len; i++) {
    if (sent[i])
      continue;
    GError *cause = NULL;
    g_autoptr (GPtrArray) alone = g_ptr_array_new ();
    g_ptr_array_add (alone, messages->pdata[i]);
    sent[i] = kafka_publish (resend->producer, alone, PUBLISH_MS, NULL, &cause);
    if (cause != NULL && cause->code != PRUNED_DATA) {
      g_propagate_error (error, cause);
      return CODE_KAFKA;
    }
    why[i] = cause != NULL ? g_strdup (cause->message) : NULL;
    g_clear_error (&cause);
  }
  return CODE_OK;
}

/* Of our topics. Can go on after an error that is about messages: Kafka will never accept them. */
static ExitCode
send_ours (Resend *resend, const GPtrArray *letters, gboolean *sent, char **why, GError **error)
{
  GError *cause = NULL;
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  for (guint i = 0; i < letters->len; i++)
    g_ptr_array_add (messages, original_of (resend, letters->pdata[i]));
  if (messages->len > 0)
    (void)!kafka_publish (resend->producer, messages, PUBLISH_MS, NULL, &cause);
  for (guint i = 0; i < letters->len; i++)
    sent[i] = ((KafkaMessage *)messages->pdata[i])->acked;
  if (cause != NULL && cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return CODE_KAFKA;
  }
  g_clear_error (&cause);
  return send_each (resend, messages, sent, why, error);
}

/* Letters of applications' own topics. They are not sent to these topics again, where others read
 * them and we may not write: what they ask for is placed in the ledger, as intake does. A letter is
 * the same run, however often it is retried: it keeps its topic, partition and offset, of which the
 * run's id may be made. */
typedef struct {
  GPtrArray *messages; /* of the letters */
  gboolean *placed;
  char **why;
} Start;

/* One result of a message, which can have several: one job refuses it, another takes it. */
static void
take_result (const ReplayResult *result, gpointer data)
{
  Start *start = data;
  guint i;
  if (!g_ptr_array_find (start->messages, result->message, &i))
    return;
  if (result->status != REPLAY_REFUSED && result->job != NULL)
    start->placed[i] = TRUE;
  else if (start->why[i] == NULL)
    start->why[i] = g_strdup (result->reason);
}

static KafkaMessage *
message_of (const Letter *letter)
{
  KafkaMessage *message = dead_letter_original (letter->message, &letter->said);
  message->offset = letter->said.source_offset;
  return message;
}

/* Places what LETTERS (of one or more such topics) ask for. WHY has a place for each letter: NULL
 * if it is placed, or was before; else the reason, g_free it. */
static ExitCode
letters_start (Cli *cli, Pg *pg, char **settings, const GPtrArray *letters, char **why,
               GError **error)
{
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  for (guint i = 0; i < letters->len; i++)
    g_ptr_array_add (messages, message_of (letters->pdata[i]));
  g_autofree gboolean *placed = g_new0 (gboolean, letters->len + 1);
  Start start = { messages, placed, why };
  g_auto (Replayer) replayer = { .replay = { .tell = take_result, .data = &start } };
  ExitCode code = replayer_open (&replayer, cli, pg, settings, FALSE, error);
  if (code != CODE_OK)
    return code;
  if (!replay_messages (&replayer.replay, (KafkaMessage *const *)messages->pdata, messages->len,
                        error))
    return cli_pg_failed (pg, error);
  for (guint i = 0; i < letters->len; i++)
    if (!placed[i] && why[i] == NULL)
      why[i] = g_strdup ("no [event] section of a job in force fits it");
  return CODE_OK;
}

static ExitCode
start_own (Resend *resend, const GPtrArray *letters, gboolean *sent, char **why, GError **error)
{
  ExitCode code = letters->len > 0 ? letters_start (resend->cli, resend->pg, resend->settings,
                                                    letters, why, error)
                                   : CODE_OK;
  for (guint i = 0; code == CODE_OK && i < letters->len; i++)
    sent[i] = why[i] == NULL;
  return code;
}

/* Retries those of LETTERS that have no obstacle and are, or are not, of applications' topics. */
static ExitCode
resend_some (Resend *resend, const GPtrArray *letters, gboolean own, gboolean *sent, char **why,
             GError **error)
{
  g_autoptr (GPtrArray) some = g_ptr_array_new ();
  g_autofree guint *places = g_new0 (guint, letters->len + 1);
  for (guint i = 0; i < letters->len; i++)
    if (why[i] == NULL && is_own (resend, letters->pdata[i]) == own) {
      places[some->len] = i;
      g_ptr_array_add (some, letters->pdata[i]);
    }
  g_autofree gboolean *some_sent = g_new0 (gboolean, some->len + 1);
  g_autofree char **some_why = g_new0 (char *, some->len + 1);
  ExitCode code = (own ? start_own : send_ours) (resend, some, some_sent, some_why, error);
  for (guint i = 0; i < some->len; i++) {
    sent[places[i]] = some_sent[i];
    why[places[i]] = some_why[i];
  }
  return code;
}

ExitCode
resend_letters (Resend *resend, const GPtrArray *letters, gboolean *sent, char **why,
                GError **error)
{
  for (guint i = 0; i < letters->len; i++) {
    GError *cause = NULL;
    why[i] = obstacle_of (resend, letters->pdata[i], &cause);
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return CODE_KAFKA;
    }
  }
  ExitCode code = resend_some (resend, letters, FALSE, sent, why, error);
  return code == CODE_OK ? resend_some (resend, letters, TRUE, sent, why, error) : code;
}
