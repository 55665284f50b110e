#include "cli/doctor/doctor.h"

#include "engine/clock/processes.h"

#include <string.h>

static const char *
remedy_of (const Doctor *doctor, const char *error)
{
  return strstr (error, "permission denied") != NULL ? doctor->grants : "pruned processes";
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
    doctor_error (
        doctor, CODE_POSTGRES, "housekeeping", remedy_of (doctor, rows_text (rows, i, "error")),
        "%s: this part of process %s on %s last went well %s ago, and has failed %s times"
        " since then: %s",
        rows_text (rows, i, "part"), rows_text (rows, i, "pid"), rows_text (rows, i, "host"),
        rows_text (rows, i, "age"), rows_text (rows, i, "failures"), rows_text (rows, i, "error"));
}
