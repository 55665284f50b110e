#include "cli/doctor/doctor.h"

#include "engine/clock/processes.h"

#include <string.h>

static const char *
remedy_of (const Doctor *doctor, const char *error)
{
  return strstr (error, "permission denied") != NULL ? doctor->grants : "pruned processes";
}

static void
say (Doctor *doctor, const PgRows *rows, int i)
{
  const char *part = rows_text (rows, i, "part"), *pid = rows_text (rows, i, "pid"),
             *host = rows_text (rows, i, "host"), *error = rows_text (rows, i, "error");
  if (error == NULL)
    doctor_warn (doctor, "housekeeping", "SELECT * FROM pg_stat_activity WHERE state <> 'idle'",
                 "%s: this part of process %s on %s takes %s s, and the parts behind it wait so"
                 " long: a slow server, a lock, or a slow broker",
                 part, pid, host, rows_text (rows, i, "seconds"));
  else
    doctor_error (doctor, CODE_POSTGRES, "housekeeping", remedy_of (doctor, error),
                  "%s: this part of process %s on %s last went well %s ago, and has failed %s"
                  " times since then: %s",
                  part, pid, host, rows_text (rows, i, "age"), rows_text (rows, i, "failures"),
                  error);
}

void
doctor_housekeeping (Doctor *doctor)
{
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  g_autoptr (PgRows) rows
      = doctor_ask (doctor, "housekeeping", "src/cli/doctor/sql/housekeeping.sql", values);
  if (rows == NULL)
    return;
  if (rows_text (rows, 0, "part") == NULL) {
    g_autofree char *alive = doctor_count (rows_int (rows, 0, "alive"), "process");
    doctor_ok (doctor, "housekeeping", "all parts go well (%s)",
               rows_int (rows, 0, "alive") == 0 ? "no process runs" : alive);
    return;
  }
  for (int i = 0; i < rows_count (rows); i++)
    say (doctor, rows, i);
}
