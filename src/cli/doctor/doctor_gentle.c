/* Checks what [throttle] can see, and whether vacuum keeps up with what jobs delete. */
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "cli/gentle.h"
#include "cli/grants.h"
#include "engine/step/throttle_look.h"

#define MIB (1024 * 1024)

static char *
list_of (guint reasons)
{
  GString *list = g_string_new (NULL);
  for (ThrottleReason i = 0; i < THROTTLE_N; i++)
    if (reasons & (1u << i))
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", throttle_words[i]);
  return g_string_free (list, FALSE);
}

/* How free disk is known. */
static char *
disk_of (const ThrottleLook *look)
{
  if (look->hidden & (1u << THROTTLE_MIN_FREE))
    return g_strdup ("");
  if (look->free_bytes < 0)
    return g_strdup ("; free disk is not known: PostgreSQL is not on this machine");
  return g_strdup_printf ("; free disk is that of this machine's file system: %" G_GINT64_FORMAT
                          " MiB",
                          look->free_bytes / MIB);
}

/* Which thresholds ROLE may see. NULL: no daemon is seen, so it is about this command's role. */
static void
say_hidden (Doctor *doctor, const ThrottleLook *look, const char *role)
{
  const char *own = doctor->role != NULL ? doctor->role : "the daemon's role";
  g_autofree char *hidden = list_of (look->hidden), *disk = disk_of (look),
                  *grant = g_strdup_printf ("GRANT pg_monitor TO %s", role != NULL ? role : own),
                  *remedy = grants_psql (doctor->cli->config, "postgres", grant),
                  *whose = role != NULL
                               ? g_strdup_printf ("the daemons' role %s", role)
                               : g_strdup_printf ("this role (%s; no daemon is seen)", own);
  if (look->hidden_standbys > 0)
    doctor_warn (doctor, "throttle", remedy,
                 "there %s %" G_GINT64_FORMAT " %s, and %s may not see how far behind; off: %s",
                 plural (look->hidden_standbys, "is", "are"), look->hidden_standbys,
                 plural (look->hidden_standbys, "standby", "standbys"), whose, hidden);
  else if (look->hidden != 0)
    doctor_warn (doctor, "throttle", remedy,
                 "off, because %s may not see what they need: %s; a superuser can allow it%s",
                 whose, hidden, disk);
  else
    doctor_ok (doctor, "throttle", "%s can see all thresholds%s", whose, disk);
}

static void
say_look (Doctor *doctor, const ThrottleLook *look, const char *role)
{
  say_hidden (doctor, look, role);
  for (guint i = 0; i < look->passed->len; i++) {
    const ThrottlePassed *one = &g_array_index (look->passed, ThrottlePassed, i);
    doctor_ok (doctor, "throttle", "%s waits now: %s: %s",
               one->job != NULL ? one->job->name : "every job", throttle_words[one->reason],
               one->text);
  }
}

static void
check_throttle (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ThrottleEye) eye = throttle_eye_new (doctor->cli->jobs);
  g_autofree char *role = gentle_role (doctor->pg);
  throttle_eye_of (eye, role);
  g_autoptr (ThrottleLook) look = throttle_eye_look (eye, doctor->pg, &error);
  if (look != NULL)
    say_look (doctor, look, role);
  else
    doctor_warn (doctor, "throttle", "pruned status", "could not be checked: %s", error->message);
}

static void
check_dead_rows (Doctor *doctor)
{
  g_autoptr (PgValues) values = gentle_values (doctor->cli);
  g_autoptr (PgRows) rows = doctor_ask (doctor, "dead rows", "src/cli/sql/dead_rows.sql", values);
  gboolean well = rows != NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *sql = rows_text (rows, i, "remedy"), *at = rows_text (rows, i, "last_vacuum");
    if (sql == NULL)
      continue;
    gboolean system = g_str_has_prefix (sql, "ALTER SYSTEM");
    g_autofree char *remedy
        = grants_psql (doctor->cli->config, system ? "postgres" : doctor->owner, sql);
    well = FALSE;
    doctor_warn (doctor, "dead rows", remedy,
                 "autovacuum does not keep up with %s: %s dead rows beside %s live ones, it should "
                 "begin at %s; last vacuum: %s",
                 rows_text (rows, i, "table"), rows_text (rows, i, "dead"),
                 rows_text (rows, i, "live"), rows_text (rows, i, "begins_at"),
                 at != NULL ? at : "never");
  }
  if (well)
    doctor_ok (doctor, "dead rows", "autovacuum keeps up with the tables that jobs delete from");
}

void
doctor_gentle (Doctor *doctor)
{
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  check_throttle (doctor);
  check_dead_rows (doctor);
}
