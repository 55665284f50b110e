#include "cli/doctor/doctor.h"

#include "engine/step/held.h"

#define SQL "src/cli/doctor/sql/"

/* Of one table. TRUE: it is there. */
static gboolean
say_table (Doctor *doctor, const PgRows *rows, int i)
{
  g_autofree char *held = doctor_count (rows_int (rows, i, "rows"), "row"),
                  *release = g_strdup_printf ("pruned release %s", rows_text (rows, i, "hold_id"));
  if (!rows_bool (rows, i, "gone"))
    return TRUE;
  doctor_error (doctor, CODE_NOT_FOUND, "holds", release,
                "%s of %s are held, and there is no such table: it was dropped, or got another "
                "primary key with another name. Hold the rows under the name that they have now, "
                "then release these",
                held, rows_text (rows, i, "tab"));
  return FALSE;
}

/* Of rows that are held and are not there, the first. TRUE: none. */
static gboolean
say_lost (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) lost = NULL;
  if (!held_lost (doctor->pg, &lost, &error)) {
    doctor_error (doctor, CODE_NOT_FOUND, "holds", "pruned holds --rows",
                  "the keys of rows that are held cannot be compared with those of their tables: "
                  "%s",
                  error->message);
    return FALSE;
  }
  if (lost == NULL || rows_count (lost) == 0)
    return TRUE;
  const char *item = rows_text (lost, 0, "item");
  g_autofree char *release = g_strdup_printf ("pruned release '%s'", item),
                  *held = doctor_count (rows_count (lost), "row");
  doctor_error (doctor, CODE_NOT_FOUND, "holds", release,
                "%s held and not there, the first is %s: others removed it, or gave it another "
                "key. Jobs that can reach its table wait. `pruned hold` holds it by its key of "
                "now; then release this one",
                held, item);
  return FALSE;
}

void
doctor_holds (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "holds", SQL "holds.sql", NULL);
  gint64 n = 0, restored = 0, ends = 0;
  const char *oldest = NULL, *first_end = NULL;
  gboolean there = TRUE;
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *at = rows_text (rows, i, "oldest"), *end = rows_text (rows, i, "first_end");
    there &= say_table (doctor, rows, i);
    n += rows_int (rows, i, "rows");
    restored += rows_int (rows, i, "restored");
    ends += rows_int (rows, i, "ends");
    oldest = oldest == NULL || g_strcmp0 (at, oldest) < 0 ? at : oldest;
    first_end
        = end != NULL && (first_end == NULL || g_strcmp0 (end, first_end) < 0) ? end : first_end;
  }
  there &= say_lost (doctor);
  g_autofree char *held = doctor_count (n, "row"), *back = doctor_count (restored, "restored row"),
                  *soon = doctor_count (ends, "row");
  if (restored > 0)
    doctor_ok (doctor, "holds",
               "%s held after a restore: pruned holds lists them, and only `pruned release` lets "
               "a job remove one again",
               back);
  if (ends > 0)
    doctor_warn (doctor, "holds", "pruned holds",
                 "the holds of %s end within a week, the first at %s: then jobs take the rows. "
                 "`pruned hold` with a later --until, or none, holds them on",
                 soon, first_end);
  if (n > restored)
    doctor_ok (doctor, "holds", "%s held, the oldest since %s: pruned holds lists them", held,
               oldest);
  else if (n == 0 && there)
    doctor_ok (doctor, "holds", "no row is held");
}
