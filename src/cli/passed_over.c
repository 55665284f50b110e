#include "cli/passed_over.h"

#include "base/plural.h"
#include "kafka/unpack.h"

void
passed_over_clear (PassedOver *passed)
{
  if (passed->where != NULL)
    g_string_free (g_steal_pointer (&passed->where), TRUE);
}

char *
passed_over_text (const char *topic, const KafkaStretch *batch)
{
  return g_strdup_printf ("topic %s, partition %d, offsets %" G_GINT64_FORMAT
                          " to %" G_GINT64_FORMAT
                          ": a compressed batch that is damaged or comes to more than %d MB",
                          topic, batch->partition, batch->from, batch->to - 1, UNPACK_BATCH_MB);
}

void
passed_over_add (PassedOver *passed, const char *topic, const KafkaStretch *batch)
{
  g_autofree char *text = passed_over_text (topic, batch);
  if (passed->where == NULL)
    passed->where = g_string_new (NULL);
  g_string_append_printf (passed->where, "%s%s", passed->where->len > 0 ? "; " : "", text);
  passed->messages += batch->to - batch->from;
}

ExitCode
passed_over_end (const PassedOver *passed, GError **error)
{
  if (passed->where == NULL)
    return CODE_OK;
  return cli_fail (CODE_KAFKA, error,
                   "%" G_GINT64_FORMAT " %s cannot be read and %s passed over: %s",
                   passed->messages, plural (passed->messages, "message", "messages"),
                   plural (passed->messages, "was", "were"), passed->where->str);
}
