#include "engine/new_topics.h"

#define TIMEOUT_MS 10000

static void
warn (const char *topics, const char *detail)
{
  log_warning ("Topics could not be created", "topics", topics, "detail", detail, "remedy",
               "pruned topics --apply, as a user of Kafka that may create topics");
}

/* The names of the topics FROM to UNTIL - 1 that FOUND lacks. NULL: none. */
static char *
missing (const KafkaTopic *found, guint from, guint until)
{
  GString *names = g_string_new (NULL);
  for (guint i = from; i < until; i++)
    if (found[i].partitions < 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", found[i].name);
  return g_string_free (names, names->len == 0);
}

static void
make (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found, guint from, guint until)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *names = missing (found, from, until);
  if (names == NULL)
    return;
  if (topics_create (admin, wanted, found, from, until, &error))
    log_info ("Topics created", "topics", names);
  else
    warn (names, error->message);
}

void
new_topics_make (KafkaAdmin *admin, const Config *config, const GArray *wanted)
{
  g_autoptr (GError) error = NULL;
  guint needed = topics_needed (wanted);
  if (!config_bool (config, "topics", "create"))
    return;
  g_autofree KafkaTopic *found = topics_found (admin, wanted, TIMEOUT_MS, &error);
  if (found == NULL) {
    warn ("those that are missing", error->message);
    return;
  }
  make (admin, wanted, found, 0, needed);
  make (admin, wanted, found, needed, wanted->len); /* a broker may refuse the optional ones */
}

void
new_topics_of (const char *const *kafka, const Config *config, const Jobs *jobs)
{
  g_autoptr (GError) error = NULL;
  if (!config_bool (config, "topics", "create"))
    return;
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (kafka, &error);
  g_autoptr (GArray) wanted = topics_wanted (config, jobs);
  if (admin != NULL)
    new_topics_make (admin, config, wanted);
  else
    warn ("those that are missing", error->message);
}
