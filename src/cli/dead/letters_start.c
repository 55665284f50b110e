#include "cli/dead/letters_start.h"

#include "cli/replayer.h"

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

ExitCode
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
