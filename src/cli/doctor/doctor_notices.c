/* What [notify] url could not be told. */
#include "cli/doctor/doctor.h"
#include "engine/notices/notice_address.h"

#define CHECK "notices"
#define REMEDY "SELECT job, kind, says, attempts, error FROM pruned.notices WHERE told_at IS NULL"

static void
say_waiting (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, CHECK, "src/cli/doctor/sql/notices.sql", NULL);
  if (rows == NULL)
    return;
  const gint64 n = rows_int (rows, 0, "n");
  g_autofree char *notices = doctor_count (n, "notice");
  if (n == 0)
    doctor_ok (doctor, CHECK, "none waits to be delivered");
  else
    doctor_warn (doctor, CHECK, REMEDY,
                 "%s could not be delivered to [notify] url, the first for %s: %s", notices,
                 rows_text (rows, 0, "age"), rows_text (rows, 0, "error"));
}

void
doctor_notices (Doctor *doctor)
{
  const Config *config = doctor->cli->config;
  g_autoptr (GError) error = NULL;
  if (!notice_address_check (config, &error))
    doctor_error (doctor, CODE_CONFIG, CHECK, "pruned config", "%s", error->message);
  if (notice_address_is_open (config))
    doctor_warn (doctor, CHECK, "pruned config",
                 "they go unencrypted to another machine: set [notify] url to https://...");
  if (notice_address_is_set (config) && doctor->pg != NULL && doctor->migrated)
    say_waiting (doctor);
}
