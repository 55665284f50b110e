#include "web/line.h"

#include <time.h>

#define ANSWER_MS 2000 /* time-out of PostgreSQL's answer */
#define TURN_S 1       /* time-out for the lock */

void
line_open (Line *line, const Config *config)
{
  pthread_mutex_init (&line->lock, NULL);
  line->pg = pg_new (&(PgSettings){
      config_text (config, "postgres", "url"), config_text (config, "postgres", "app_schema"),
      config_text (config, "postgres", "extension_schemas"),
      config_bool (config, "postgres", "prepare"), "pruned http", ANSWER_MS });
}

void
line_close (Line *line)
{
  pg_free (line->pg);
  pthread_mutex_destroy (&line->lock);
}

gboolean
line_take (Line *line)
{
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_sec += TURN_S;
  return pthread_mutex_clocklock (&line->lock, CLOCK_MONOTONIC, &until) == 0;
}

void
line_give (Line *line)
{
  pthread_mutex_unlock (&line->lock);
}
