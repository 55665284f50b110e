#include "web/page/act_table.h"

#include "base/html.h"
#include "engine/job/in_force.h"

const Act ACTS[] = {
  { "approve", ACT_OF_RUN, ROLE_APPROVE, "Approve",
    "The run goes on, within a day and with at most the counted rows plus 1 %.", "held",
    .counts = TRUE },
  { "discard", ACT_OF_RUN, ROLE_APPROVE, "Discard",
    "The run ends as skipped; the next tick counts anew.", "held,dead,waiting,ready",
    .counts = TRUE },
  { "retry", ACT_OF_RUN, ROLE_OPERATE, "Retry", "The run is tried again now.",
    "dead,waiting,finished" },
  { "stop", ACT_OF_ALL, ROLE_OPERATE, "Stop everything",
    "No step of any job begins until somebody says go." },
  { "go", ACT_OF_ALL, ROLE_APPROVE, "Go", "The stop ends: the jobs go on." },
  { "pause", ACT_OF_JOB, ROLE_OPERATE, "Pause", "No step of the job begins until it is resumed.",
    .option = { "for", "how long, like 2h; empty: until it is resumed" } },
  { "resume", ACT_OF_JOB, ROLE_APPROVE, "Resume", "The pause ends: the job goes on." },
  { "tick", ACT_OF_JOB, ROLE_OPERATE, "Tick",
    "A run of the job is asked for, of this moment. Its limits hold as always." },
  { "hold", ACT_OF_ROW, ROLE_OPERATE, "Hold", "No job takes the row until it is released.",
    .wants_reason = TRUE,
    .option = { "until", "until when, like 2027-01-31; empty: until it is released" } },
  { "release", ACT_OF_HOLD, ROLE_APPROVE, "Release",
    "The rows are held no longer: the next run of a job may remove them.", .counts = TRUE,
    .wants_reason = TRUE },
  { NULL },
};

const Act *
act_find (const char *name)
{
  const Act *act = ACTS;
  while (act->name != NULL && g_strcmp0 (act->name, name) != 0)
    act++;
  return act->name != NULL ? act : NULL;
}

gboolean
act_is_on (void)
{
  return config_bool (in_force_config (), "http", "actions");
}

char *
act_link (const char *command)
{
  g_auto (GStrv) words = NULL;
  if (!act_is_on () || !g_shell_parse_argv (command, NULL, &words, NULL)
      || !g_str_equal (words[0], "pruned") || words[1] == NULL)
    return NULL;
  const Act *act = act_find (words[1]);
  const guint n = g_strv_length (words) - 2;
  if (act == NULL || n != (act->of == ACT_OF_ALL ? 0 : 1))
    return NULL;
  return html_link ("act", "do", act->name, "what", words[2], NULL);
}
