#include "engine/clock/standby.h"

#include "engine/job/in_force.h"

#define ANSWER_MS 5000

Pg *
standby_begin (Service *service)
{
  PgSettings settings = service->pg;
  settings.url = config_text (in_force_config (), "postgres", "replica_url");
  settings.answer_ms = ANSWER_MS;
  if (*settings.url == '\0')
    return NULL;
  g_autoptr (Pg) standby = pg_new (&settings);
  return pg_ensure (standby, NULL) && pg_begin_read_only (standby, NULL)
             ? g_steal_pointer (&standby)
             : NULL;
}
