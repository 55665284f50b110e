#include "engine/ledger/admit_own_refused.h"

#include <string.h>

#define EVENT "event "

/* After a reload a job goes on with the event as it was. */
static gboolean
is_read_still (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (guint e = 0; e < job->events->len; e++) {
      const JobEvent *event = job->events->pdata[e];
      if (event->own != NULL
          && (g_str_equal (event->own->name, name)
              || (event->cancel != NULL && g_str_equal (event->cancel->name, name))))
        return TRUE;
    }
  }
  return FALSE;
}

/* A message without a type can be anything of its topic. */
static gboolean
can_be (const JobRefused *refused, const char *name, const char *topic, const OwnEvent *own,
        gboolean fits)
{
  if (refused->topic != NULL && !g_str_equal (refused->topic, topic))
    return FALSE;
  if (own->type != NULL)
    return own_event_type_is (own->type, name);
  return refused->topic != NULL && !fits && own->source->value_len > 0;
}

char *
admit_own_refused (const Jobs *jobs, const JobRefused *refused, const char *topic,
                   const OwnEvent *own, gboolean fits)
{
  const char *name = refused->name + strlen (EVENT);
  if (!g_str_has_prefix (refused->name, EVENT) || !can_be (refused, name, topic, own, fits)
      || is_read_still (jobs, name))
    return NULL;
  return g_strdup_printf ("[event %s] is refused: %s: %s", name, refused->place, refused->reason);
}
