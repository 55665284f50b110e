#include "avro/identity.h"
#include "base/uuid5.h"
#include <string.h>

/* Takes NAME. */
static char *
id_of (const char *space, char *name)
{
  char id[UUID5_TEXT_SIZE];
  uuid5 (space, name, -1, id);
  g_free (name);
  return g_strdup (id);
}

char *
identity_tick (const char *job, gint64 scheduled_at_us, const char *args)
{
  return id_of (PRUNED_UUID_NAMESPACE,
                g_strdup_printf ("tick/%s/%" G_GINT64_FORMAT "/%s", job, scheduled_at_us, args));
}

char *
identity_event (const char *ce_source, const char *ce_id, const char *job)
{
  return id_of (PRUNED_UUID_NAMESPACE, g_strdup_printf ("event/%s/%s/%s", ce_source, ce_id, job));
}

char *
identity_event_position (const char *topic, gint32 partition, gint64 offset, gint64 timestamp_ms,
                         const char *job)
{
  return id_of (PRUNED_UUID_NAMESPACE,
                g_strdup_printf ("event/%s/%d/%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "/%s", topic,
                                 partition, offset, timestamp_ms, job));
}

char *
identity_child (const char *parent_run_id, const char *job, const char *child_key)
{
  return id_of (PRUNED_UUID_NAMESPACE,
                g_strdup_printf ("child/%s/%s/%s", parent_run_id, job, child_key));
}

char *
identity_outcome (const char *run_id, int step, const char *record, const char *entity)
{
  const char *dot = strrchr (record, '.');
  return id_of (run_id, g_strdup_printf ("%d/%s/%s", step, dot != NULL ? dot + 1 : record, entity));
}
