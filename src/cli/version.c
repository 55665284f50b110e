#include "avro/message.h"
#include "base/fault.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/version_check.h"
#include "http/http.h"

static gboolean faults, fits;

const GOptionEntry version_options[]
    = { { "faults", 0, 0, G_OPTION_ARG_NONE, &faults, "the fault points of this build", NULL },
        { "check", 0, 0, G_OPTION_ARG_NONE, &fits,
          "whether settings, schema and running processes are of this version", NULL },
        { NULL } };

static const Column VERSIONS[] = { { "name" }, { "version" }, { NULL } };
static const Column FAULTS[] = { { "fault" }, { NULL } };

static void
show (Output *out, const char *name, const char *version)
{
  output_row (out, json_string (name), json_string (version));
}

static void
show_faults (Output *out)
{
  g_autofree const char **names = fault_list ();
  output_table (out, FAULTS);
  for (const char **name = names; *name != NULL; name++)
    output_row (out, json_string (*name));
  output_end_list (out, "This build has no fault points.");
}

ExitCode
command_version (Cli *cli, GError **error)
{
  if (faults) {
    show_faults (cli->out);
    return CODE_OK;
  }
  if (fits)
    return version_check (cli, error);
  g_autofree char *glib
      = g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  g_autofree char *libpq = pg_library_version ();
  output_table (cli->out, VERSIONS);
  show (cli->out, "pruned", PRUNED_VERSION);
  show (cli->out, "librdkafka", kafka_library_version ());
  show (cli->out, "libpq", libpq);
  show (cli->out, "avro-c", message_library_version ());
  show (cli->out, "libcurl", http_library_version ());
  show (cli->out, "glib", glib);
  show (cli->out, "jansson", jansson_version_str ());
  return CODE_OK;
}
