#include "avro/message.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/note.h"
#include "cli/whose.h"
#include "engine/job/arguments.h"

#include <string.h>

#define SPACE "pruned.events."
#define STDIN "/dev/stdin"

static char *json_file;

const GOptionEntry emit_options[]
    = { { "json-file", 0, 0, G_OPTION_ARG_FILENAME, &json_file,
          "the fields as a JSON object; - is standard input", "FILE" },
        { NULL } };

static const Column COLUMNS[] = {
  { "ce_id" }, { "topic" }, { "partition", CELL_NUMBER }, { "offset", CELL_NUMBER }, { NULL }
};

/* The full name of an event type given with or without its namespace. */
static const char *
find_type (const char *given, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const char *const *type = message_types (); *type != NULL; type++)
    if (g_str_has_prefix (*type, SPACE)) {
      if (g_str_equal (*type, given) || g_str_equal (*type + strlen (SPACE), given))
        return *type;
      g_ptr_array_add (names, (gpointer)(*type + strlen (SPACE)));
    }
  g_ptr_array_add (names, NULL);
  arguments_set_unknown (error, "event type", given, (const char *const *)names->pdata);
  return NULL;
}

static json_t *
value_of (const char *text)
{
  json_t *value = json_parse (text, strlen (text), NULL);
  return value != NULL ? value : json_string (text);
}

static gboolean
add_field (json_t *content, const char *given, GError **error)
{
  const char *equals = strchr (given, '=');
  if (equals == NULL || equals == given || !g_utf8_validate (given, -1, NULL)) {
    cli_usage (error, "'%s': expected FIELD=VALUE", given);
    return FALSE;
  }
  g_autofree char *name = g_strndup (given, equals - given);
  if (json_object_get (content, name) != NULL) {
    cli_usage (error, "field '%s' is given twice", name);
    return FALSE;
  }
  json_object_set_new (content, name, value_of (equals + 1));
  return TRUE;
}

static json_t *
content_of_file (GError **error)
{
  g_autofree char *text = NULL;
  gsize len;
  const char *path = g_str_equal (json_file, "-") ? STDIN : json_file;
  if (!g_file_get_contents (path, &text, &len, error))
    return NULL;
  json_t *content = json_parse (text, len, error);
  if (content == NULL || json_is_object (content)) {
    g_prefix_error (error, "%s: ", json_file);
    return content;
  }
  json_decref (content);
  cli_usage (error, "%s: expected a JSON object", json_file);
  return NULL;
}

static json_t *
content_of_arguments (Cli *cli, GError **error)
{
  g_autoptr (json_t) content = json_object ();
  for (char **given = cli->arguments + 1; *given != NULL; given++)
    if (!add_field (content, *given, error))
      return NULL;
  return g_steal_pointer (&content);
}

static gboolean
check_fields (const char *type, const json_t *content, GError **error)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)content, name, value)
    if (!g_strv_contains (message_fields (type), name)) {
      arguments_set_unknown (error, "field", name, message_fields (type));
      return FALSE;
    }
  return TRUE;
}

static json_t *
read_content (Cli *cli, const char *type, GError **error)
{
  if (json_file != NULL && cli->n_arguments > 1) {
    cli_usage (error, "use either --json-file or FIELD=VALUE");
    return NULL;
  }
  g_autoptr (json_t) content
      = json_file != NULL ? content_of_file (error) : content_of_arguments (cli, error);
  if (content == NULL || !check_fields (type, content, error))
    return NULL;
  return g_steal_pointer (&content);
}

/* The key is the first id field of the schema; an event without one has no key. */
static char *
key_of (const char *type, const json_t *content)
{
  for (const char *const *field = message_fields (type); *field != NULL; field++) {
    const json_t *value
        = g_str_has_suffix (*field, "_id") ? json_object_get (content, *field) : NULL;
    if (json_is_integer (value))
      return json_text (value);
  }
  return NULL;
}

static void
show (Cli *cli, const char *ce_id, const KafkaMessage *message)
{
  if (!output_is_json (cli->out)) {
    output_say (cli->out, "%s", ce_id);
    return;
  }
  output_table (cli->out, COLUMNS);
  output_row (cli->out, json_string (ce_id), json_string (message->topic),
              json_integer (message->partition), json_integer (message->offset));
}

/* A daemon passes over what none of its jobs takes. */
static void
warn_nobody (const Cli *cli, const char *type)
{
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    if (job_event (jobs_at (cli->jobs, i), type) != NULL)
      return;
  log_warning ("No job in force takes events of this type", "type", type, "remedy",
               "pruned doctor");
}

ExitCode
command_emit (Cli *cli, GError **error)
{
  const char *type = find_type (cli->arguments[0], error);
  if (type == NULL)
    return CODE_NOT_FOUND;
  g_autoptr (json_t) content = read_content (cli, type, error);
  if (content == NULL)
    return CODE_USAGE;
  g_autofree char *text = json_text (content),
                  *refusal = arguments_size_refusal (cli->config, strlen (text));
  if (refusal != NULL)
    return cli_usage (error, "%s", refusal);
  g_autoptr (GByteArray) value = g_byte_array_new ();
  if (!message_encode (type, content, value, error))
    return CODE_USAGE;
  g_autofree char *topic = cli_topic (cli, "events"), *ce_id = g_uuid_string_random (),
                  *key = key_of (type, content);
  g_autoptr (KafkaMessage) message = kafka_message_new (topic, -1);
  kafka_message_set_key (message, key);
  kafka_message_set_value (message, value->data, value->len);
  ExitCode code = cli_whose (cli, NULL, error);
  if (code == CODE_OK)
    code = cli_publish (cli, message, type, ce_id, error);
  if (code != CODE_OK)
    return code;
  show (cli, ce_id, message);
  output_flush (cli->out);
  g_autofree char *object = g_strjoin (" ", type + strlen (SPACE), ce_id, NULL);
  cli_note_done (cli, NULL, NULL, object, NULL);
  warn_nobody (cli, type);
  return CODE_OK;
}
