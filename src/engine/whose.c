#include "engine/whose.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/clock/processes.h"
#include "engine/ledger/database.h"
#include "engine/outbox/owner.h"
#include "engine/watchdog.h"

#define LOOK_EVERY_US (G_USEC_PER_SEC / 4)

/* --- the topics --- */

static Whose
whose_by (const GError *error)
{
  return error->code == PRUNED_FATAL ? WHOSE_OTHERS : WHOSE_KAFKA;
}

static Whose
check_topics (const Service *service, GError **error)
{
  const char *const *settings = (const char *const *)service->kafka_settings;
  g_auto (Origin) owner = { NULL };
  if (service->clock_topic == NULL
      || (owner_read (settings, service->clock_topic, OWNER_MS, &owner, error)
          && owner_settle (settings, service->prefix, &owner, &service->origin, error)))
    return WHOSE_OURS;
  return whose_by (*error);
}

/* --- the group --- */

static Whose
wait_for_group (const Service *service, Pg *pg, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + group_patience_us (service);
  for (;; g_usleep (LOOK_EVERY_US)) {
    g_autofree char *strangers = NULL;
    gboolean older;
    if (!group_ask (service, pg, &strangers, &older, error))
      return WHOSE_POSTGRES;
    if (strangers == NULL || *strangers == '\0')
      return WHOSE_OURS;
    log_warning_every (5, "strangers", "The database does not know members of the consumer group",
                       strangers);
    if (clock_monotonic_us () < until_us && !watchdog_asked_to_end ())
      continue;
    group_set_error (service, strangers, error);
    return WHOSE_OTHERS;
  }
}

static Whose
check_group (Service *service, GError **error)
{
  Pg *pg = service->main.pg;
  Whose whose
      = processes_beat (service, pg, error) ? wait_for_group (service, pg, error) : WHOSE_POSTGRES;
  if (whose != WHOSE_OURS)
    processes_leave (pg);
  return whose;
}

Whose
whose_check (Service *service, gboolean embedded, GError **error)
{
  if (!database_check (&service->origin, error))
    return WHOSE_OTHERS;
  origin_begin (service->origin.database);
  service->group_counts = !embedded;
  const Whose topics = embedded ? WHOSE_OURS : check_topics (service, error);
  return embedded || topics != WHOSE_OURS ? topics : check_group (service, error);
}
