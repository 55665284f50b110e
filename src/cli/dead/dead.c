#include "base/plural.h"
#include "cli/arguments.h"
#include "cli/ask.h"
#include "cli/commands.h"
#include "cli/dead/letter_reasons.h"
#include "cli/dead/resend.h"
#include "cli/passed_over.h"
#include "cli/whose.h"

#define READ_MS 10000
#define AT_ONCE 500
#define AT_ONCE_BYTES (8 * 1024 * 1024)
#define TOLD 5 /* letters whose obstacle is in the error */

static gboolean all, by_reason, yes;
static char *reason;

const GOptionEntry dead_options[]
    = { { "all", 0, 0, G_OPTION_ARG_NONE, &all, "list: also messages that were retried or dropped",
          NULL },
        { "by-reason", 0, 0, G_OPTION_ARG_NONE, &by_reason,
          "list: a line for each reason, with the number of its letters", NULL },
        { "yes", 0, 0, G_OPTION_ARG_NONE, &yes, "drop of all messages: do not ask", NULL },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "retry, drop: why; the journal keeps it",
          "TEXT" },
        { NULL } };

const char dead_more[]
    = "An ID is PARTITION:OFFSET on the dead topic. Without one, the command applies to all letters without a verdict.\n"
      "retry sends the message unchanged, with its timestamp, to the topic it came from, and waits until Kafka acknowledges it. Keep a "
      "daemon running: Kafka drops messages by their timestamp. A message of an application's own topic is not sent there again, where "
      "others read it: its runs are started at once. Repeat a retry that was interrupted: the same message is the same run. Letters of a compressed batch that cannot be unpacked "
      "are passed over and named at the end, with exit code 4.";

typedef struct _Dead Dead;

typedef struct {
  const char *name;
  guint least, most;                             /* number of IDs */
  ExitCode (*deal) (Dead *dead, GError **error); /* with dead->letters */
  const char *const
      *settled; /* refuses a letter named by ID with one of these verdicts; NULL: none */
} Verb;

struct _Dead {
  Cli *cli;
  const Verb *verb;
  Pg *pg;
  char **settings;
  char *topic;
  Resend *resend;
  GPtrArray *letters; /* read, but not handled yet */
  gsize bytes;
  LetterReasons *reasons; /* NULL: each letter has a line */
  guint obstacles;
  GString *told; /* the obstacles of the first TOLD letters */
  ExitCode code; /* of the letters that were handled while reading */
  GError *failure;
  PassedOver passed;
};

static void
dead_clear (Dead *dead)
{
  g_clear_pointer (&dead->resend, resend_free);
  g_clear_pointer (&dead->pg, pg_free);
  g_clear_pointer (&dead->letters, g_ptr_array_unref);
  g_clear_pointer (&dead->reasons, letter_reasons_free);
  g_clear_error (&dead->failure);
  g_string_free (dead->told, TRUE);
  passed_over_clear (&dead->passed);
  g_strfreev (dead->settings);
  g_free (dead->topic);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Dead, dead_clear)

/* --- the verbs ------------------------------------------------------------------------------ */

static void
show_rows (Dead *dead, const GPtrArray *letters)
{
  for (guint i = 0; i < letters->len; i++)
    letter_show (dead->cli->out, letters->pdata[i]);
}

static ExitCode
list (Dead *dead, GError **error)
{
  if (dead->reasons == NULL)
    show_rows (dead, dead->letters);
  for (guint i = 0; dead->reasons != NULL && i < dead->letters->len; i++)
    letter_reasons_add (dead->reasons, dead->letters->pdata[i]);
  return CODE_OK;
}

static ExitCode
show (Dead *dead, GError **error)
{
  letter_show_whole (dead->cli->out, dead->letters->pdata[0],
                     config_text (dead->cli->config, "topics", "prefix"));
  return CODE_OK;
}

static ExitCode
drop (Dead *dead, GError **error)
{
  if (!letters_decide (dead->cli, dead->pg, dead->topic, dead->letters, LETTER_DROPPED, reason,
                       error))
    return cli_pg_failed (dead->pg, error);
  show_rows (dead, dead->letters);
  return CODE_OK;
}

static void
tell_obstacle (Dead *dead, const Letter *letter, const char *why)
{
  g_autofree char *id = letter_id (letter);
  if (dead->obstacles++ < TOLD)
    g_string_append_printf (dead->told, "%s%s: %s", dead->told->len > 0 ? "; " : "", id, why);
}

/* The verdict is stored after Kafka's acknowledgement, or the run. If the command is interrupted in
 * between, the letter is sent again, which is the same run. */
static ExitCode
note_retried (Dead *dead, GPtrArray *arrived, GError **error)
{
  if (arrived->len > 0
      && !letters_decide (dead->cli, dead->pg, dead->topic, arrived, LETTER_RETRIED, reason,
                          error)) {
    g_prefix_error (
        error,
        "%u %s sent again, but the verdict could not be stored (repeat the command: the same message is the same run): ",
        arrived->len, plural (arrived->len, "message was", "messages were"));
    return cli_pg_failed (dead->pg, error);
  }
  show_rows (dead, arrived);
  return CODE_OK;
}

static ExitCode
retry (Dead *dead, GError **error)
{
  if (dead->resend == NULL
      && (dead->resend = resend_new (dead->cli, dead->pg, dead->settings, error)) == NULL)
    return CODE_CONFIG;
  const guint n = dead->letters->len;
  g_autoptr (GPtrArray) arrived = g_ptr_array_new ();
  g_autofree gboolean *sent = g_new0 (gboolean, n + 1);
  g_autofree char **why = g_new0 (char *, n + 1);
  GError *cause = NULL;
  ExitCode code = resend_letters (dead->resend, dead->letters, sent, why, &cause);
  for (guint i = 0; i < n; i++) {
    if (sent[i])
      g_ptr_array_add (arrived, dead->letters->pdata[i]);
    else if (why[i] != NULL)
      tell_obstacle (dead, dead->letters->pdata[i], why[i]);
    g_free (why[i]);
  }
  ExitCode noted = note_retried (dead, arrived, cause == NULL ? error : NULL);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return code != CODE_OK ? code : noted;
}

static const char *const RETRIED[] = { LETTER_RETRIED, NULL };
static const char *const ANY_VERDICT[] = { LETTER_RETRIED, LETTER_DROPPED, NULL };

static const Verb VERBS[] = {
  { "list", 0, 0, list },
  { "show", 1, 1, show },
  { "retry", 0, ANY_NUMBER, retry, RETRIED },
  { "drop", 0, ANY_NUMBER, drop, ANY_VERDICT },
};

/* --- which letters ---------------------------------------------------------------------------- */

static const Verb *
find_verb (Cli *cli, GError **error)
{
  const char *names[G_N_ELEMENTS (VERBS) + 1] = { NULL };
  const char *given = cli->n_arguments > 0 ? cli->arguments[0] : "list";
  guint n = cli->n_arguments > 0 ? cli->n_arguments - 1 : 0;
  for (guint i = 0; i < G_N_ELEMENTS (VERBS); i++) {
    names[i] = VERBS[i].name;
    if (!g_str_equal (given, VERBS[i].name))
      continue;
    if (n >= VERBS[i].least && n <= VERBS[i].most)
      return &VERBS[i];
    cli_usage (error,
               n < VERBS[i].least ? "dead %s: an ID is missing (PARTITION:OFFSET, see: pruned dead)"
                                  : "dead %s: too many arguments",
               given);
    return NULL;
  }
  arguments_set_unknown (error, "command", given, names);
  return NULL;
}

static ExitCode
read_named (Dead *dead, const GArray *ids, GError **error)
{
  for (guint i = 0; i < ids->len; i++) {
    const LetterId *id = &g_array_index (ids, LetterId, i);
    GError *cause = NULL;
    KafkaMessage *message = kafka_read_message ((const char *const *)dead->settings, dead->topic,
                                                id->partition, id->offset, &cause);
    if (message != NULL) {
      g_ptr_array_add (dead->letters, letter_new (message));
      continue;
    }
    if (cause == NULL)
      return cli_fail (CODE_NOT_FOUND, error, "there is no message %d:%" G_GINT64_FORMAT " on %s",
                       id->partition, id->offset, dead->topic);
    g_propagate_error (error, cause);
    return cli_topic_failed (dead->settings, dead->topic, error);
  }
  return CODE_OK;
}

static ExitCode
check_named (Dead *dead, GError **error)
{
  for (guint i = 0; i < dead->letters->len; i++) {
    const Letter *letter = dead->letters->pdata[i];
    g_autofree char *id = letter_id (letter);
    if (letter->verdict != NULL && dead->verb->settled != NULL
        && g_strv_contains (dead->verb->settled, letter->verdict))
      return cli_usage (error, "letter %s was %s at %s UTC", id, letter->verdict,
                        letter->verdict_at);
  }
  return CODE_OK;
}

static ExitCode
deal_with_named (Dead *dead, const GArray *ids, GError **error)
{
  ExitCode code = read_named (dead, ids, error);
  if (code != CODE_OK)
    return code;
  if (!letters_look_up (dead->pg, dead->topic, dead->letters, error))
    return cli_pg_failed (dead->pg, error);
  code = check_named (dead, error);
  return code == CODE_OK ? dead->verb->deal (dead, error) : code;
}

/* Handles the letters read so far that have no verdict. */
static ExitCode
deal_with_open (Dead *dead, GError **error)
{
  if (!letters_look_up (dead->pg, dead->topic, dead->letters, error))
    return cli_pg_failed (dead->pg, error);
  gboolean decided_too = all && dead->verb->deal == list;
  for (guint i = dead->letters->len; i-- > 0 && !decided_too;)
    if (((Letter *)dead->letters->pdata[i])->verdict != NULL)
      g_ptr_array_remove_index (dead->letters, i);
  ExitCode code = dead->verb->deal (dead, error);
  g_ptr_array_set_size (dead->letters, 0);
  dead->bytes = 0;
  return code;
}

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Dead *dead = data;
  g_ptr_array_add (dead->letters, letter_new (kafka_message_copy (message)));
  dead->bytes += message->value_len;
  if (dead->letters->len >= AT_ONCE || dead->bytes >= AT_ONCE_BYTES)
    dead->code = deal_with_open (dead, &dead->failure);
  return dead->code == CODE_OK;
}

static void
pass_over (const KafkaStretch *batch, gpointer data)
{
  Dead *dead = data;
  passed_over_add (&dead->passed, dead->topic, batch);
}

static ExitCode
deal_with_all (Dead *dead, GError **error)
{
  const KafkaVisitor visitor = { take, pass_over, dead };
  if (!kafka_read_topic ((const char *const *)dead->settings, dead->topic, -1, READ_MS, &visitor,
                         error))
    return cli_topic_failed (dead->settings, dead->topic, error);
  if (dead->code == CODE_OK)
    dead->code = deal_with_open (dead, &dead->failure);
  if (dead->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&dead->failure));
  return dead->code;
}

static ExitCode
deal_with (Dead *dead, const GArray *ids, GError **error)
{
  if (dead->verb->deal != show)
    output_table (dead->cli->out, dead->reasons != NULL ? LETTER_REASONS_COLUMNS : LETTER_COLUMNS);
  ExitCode code = ids->len > 0 ? deal_with_named (dead, ids, error) : deal_with_all (dead, error);
  if (code == CODE_OK && dead->reasons != NULL)
    letter_reasons_show (dead->reasons, dead->cli->out);
  if (code == CODE_OK && dead->obstacles > 0)
    return cli_usage (error, "%u %s cannot be retried: %s%s", dead->obstacles,
                      plural (dead->obstacles, "letter", "letters"), dead->told->str,
                      dead->obstacles > TOLD ? "; ..." : "");
  if (code == CODE_OK && dead->verb->deal != show)
    output_end_list (dead->cli->out, "No letters%s.", all ? "" : " without a verdict");
  return code == CODE_OK ? passed_over_end (&dead->passed, error) : code;
}

ExitCode
command_dead (Cli *cli, GError **error)
{
  const Verb *verb = find_verb (cli, error);
  char **behind = cli->arguments + MIN (cli->n_arguments, 1);
  g_autoptr (GArray) ids = verb != NULL ? letter_ids_parse (behind, error) : NULL;
  if (ids == NULL)
    return CODE_USAGE;
  if (by_reason && verb->deal != list)
    return cli_usage (error, "--by-reason is an option of `pruned dead list`");
  if (ids->len == 0 && verb->deal == drop
      && ask_first (yes, "drop all messages of the dead topic", error) != CODE_OK)
    return CODE_USAGE;
  g_auto (Dead) dead
      = { .cli = cli, .verb = verb, .letters = letters_new (), .told = g_string_new (NULL) };
  dead.reasons = by_reason ? letter_reasons_new () : NULL;
  dead.settings = cli_kafka_settings (cli, error);
  if (dead.settings == NULL)
    return CODE_CONFIG;
  dead.pg = cli_pg (cli, error);
  if (dead.pg == NULL)
    return CODE_POSTGRES;
  ExitCode code = verb->deal == retry ? cli_whose (cli, dead.pg, error) : CODE_OK;
  if (code != CODE_OK)
    return code;
  dead.topic = cli_topic (cli, "dead");
  return deal_with (&dead, ids, error);
}
