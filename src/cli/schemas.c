/* `pruned schemas`: the schemas of the messages, for readers and producers. */
#include "avro/message.h"
#include "avro/registry.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "config/nearest.h"

#include <string.h>

const char schemas_more[]
    = "`show` takes the full name or what follows its last dot. The fingerprint is the CRC-64-AVRO of the schema, which the bytes of a\n"
      "message have in little-endian order behind C3 01. `register` puts the schemas into the registry of [registry] url, each as the\n"
      "subject of its full name; one that is there stays. The daemon does so for outcomes with [outcomes] format = registry, where it may.";

static const Column LIST[] = { { "schema" }, { "fingerprint" }, { NULL } };
static const Column REGISTERED[] = { { "schema" }, { "number", CELL_NUMBER }, { NULL } };

/* Only this service writes and reads it. */
static gboolean
is_ours_alone (const char *type)
{
  return g_str_equal (type, "pruned.Work") || g_str_equal (type, "pruned.Erasure");
}

static ExitCode
list (Cli *cli)
{
  output_table (cli->out, LIST);
  for (const char *const *type = message_types (); *type != NULL; type++) {
    if (is_ours_alone (*type))
      continue;
    g_autofree char *fingerprint
        = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", message_fingerprint (*type));
    output_row (cli->out, json_string (*type), json_string (fingerprint));
  }
  output_end (cli->out);
  return CODE_OK;
}

static const char *
last_name (const char *type)
{
  return strrchr (type, '.') + 1;
}

static ExitCode
show (Cli *cli, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const char *const *type = message_types (); *type != NULL; type++) {
    if (g_str_equal (*type, name) || g_str_equal (last_name (*type), name)) {
      const char *text = message_schema (*type);
      g_autoptr (json_t) schema = json_parse (text, strlen (text), error);
      output_object (cli->out, schema);
      g_autofree char *lines = g_strchomp (g_strdup (text));
      output_say (cli->out, "%s", lines);
      return CODE_OK;
    }
    g_ptr_array_add (names, (gpointer)last_name (*type));
  }
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  return cli_fail (CODE_NOT_FOUND, error, "there is no schema '%s'%s%s%s", name,
                   meant != NULL ? ", did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

static ExitCode
put (Cli *cli, GError **error)
{
  if (*config_text (cli->config, "registry", "url") == '\0')
    return cli_fail (CODE_CONFIG, error, "there is no schema registry: set [registry] url");
  gboolean ok = registry_start (cli->config, error);
  output_table (cli->out, REGISTERED);
  for (const char *const *type = message_types (); ok && *type != NULL; type++) {
    guint32 id;
    if (is_ours_alone (*type))
      continue;
    ok = registry_number (*type, TRUE, &id, error);
    if (ok)
      output_row (cli->out, json_string (*type), json_integer (id));
  }
  output_end (cli->out);
  registry_stop ();
  return ok ? CODE_OK : CODE_KAFKA;
}

ExitCode
command_schemas (Cli *cli, GError **error)
{
  const char *verb = cli->n_arguments > 0 ? cli->arguments[0] : "list";
  const gboolean named = cli->n_arguments == 2;
  if (g_str_equal (verb, "list") && !named)
    return list (cli);
  if (g_str_equal (verb, "show") && named)
    return show (cli, cli->arguments[1], error);
  if (g_str_equal (verb, "register") && !named)
    return put (cli, error);
  return cli_usage (error, "expected list, show NAME or register");
}
