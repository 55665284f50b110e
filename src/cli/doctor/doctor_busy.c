/* Rows that other sessions hold, and who does. */
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "cli/grants.h"
#include "engine/step/quarantine.h"

#define SQL "src/cli/doctor/sql/"
#define CHECK "rows held"

/* The transactions that have locked the rows KEYS (an array literal; NULL: none) of JOB, as an
 * array literal;
 * `{}`: not known. g_free it. */
static char *
find_transactions (Doctor *doctor, const Job *job, const char *keys)
{
  g_autoptr (GError) error = NULL;
  char *xids
      = job != NULL && job->table != NULL && keys != NULL && pg_begin_read_only (doctor->pg, &error)
            ? quarantine_holders (doctor->pg, job->table, keys, &error)
            : NULL;
  pg_rollback (doctor->pg);
  return xids != NULL ? xids : g_strdup ("{}");
}

/* The one row of holder.sql, or none; NULL: an error, which is a finding. */
static PgRows *
find_holder (Doctor *doctor, const Job *job, const char *keys)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GString *tables = array_new ();
  for (guint i = 0; job != NULL && job->items != NULL && job->items[i] != NULL; i++)
    array_add (tables, job->items[i]);
  if (job != NULL && job->table != NULL)
    array_add (tables, job->table);
  pg_values_take (values, "tab", array_take (tables));
  pg_values_take (values, "xid", find_transactions (doctor, job, keys));
  return doctor_ask (doctor, CHECK, SQL "holder.sql", values);
}

/* Who it is. g_free it. */
static char *
tell_holder (const PgRows *holder)
{
  const char *gid = rows_text (holder, 0, "gid"), *age = rows_text (holder, 0, "age"),
             *query = rows_text (holder, 0, "query"), *name = rows_text (holder, 0, "name"),
             *state = rows_text (holder, 0, "state");
  if (gid != NULL)
    return g_strdup_printf ("the prepared transaction '%s' of %s, %s old, which no session ends: "
                            "its transaction manager does, or the command",
                            gid, rows_text (holder, 0, "role"), age);
  return g_strdup_printf (
      "session %s of %s ('%s'), %s, whose transaction is %s old; %s%s",
      rows_text (holder, 0, "pid"), rows_text (holder, 0, "role"), name != NULL ? name : "",
      state != NULL ? state : "hidden", age != NULL ? age : "of a time that is hidden",
      query != NULL ? "its statement: "
                    : "its statement is hidden from this role, which would need "
                      "pg_read_all_stats",
      query != NULL ? query : "");
}

/* The command that ends it, for whoever decides that. g_free it. */
static char *
end_holder (const Doctor *doctor, const PgRows *holder)
{
  return grants_psql (doctor->cli->config, rows_text (holder, 0, "role"),
                      rows_text (holder, 0, "ends"));
}

/* What waits. g_free it. */
static char *
tell_waiting (const PgRows *rows, int i)
{
  const gint64 items = rows_int (rows, i, "items_n"), runs = rows_int (rows, i, "runs_n");
  g_autoptr (GString) text = g_string_new (rows_text (rows, i, "job"));
  if (items > 0)
    g_string_append_printf (text, ": %" G_GINT64_FORMAT " %s passed over as busy (%s%s), for %s",
                            items, plural (items, "row is", "rows are"),
                            rows_text (rows, i, "first"), items > 1 ? " and others" : "",
                            rows_text (rows, i, "items_age"));
  if (runs > 0)
    g_string_append_printf (text, "%s %" G_GINT64_FORMAT " %s for a lock, for %s: %s",
                            items > 0 ? ";" : ":", runs, plural (runs, "run waits", "runs wait"),
                            rows_text (rows, i, "runs_age"), rows_text (rows, i, "error"));
  return g_strdup (text->str);
}

void
doctor_busy (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, CHECK, SQL "busy.sql", NULL);
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    const Job *job = jobs_find (doctor->cli->jobs, rows_text (rows, i, "job"));
    g_autoptr (PgRows) holder = find_holder (doctor, job, rows_text (rows, i, "keys"));
    if (holder == NULL)
      return;
    g_autofree char *waiting = tell_waiting (rows, i);
    if (rows_count (holder) == 0) {
      doctor_ok (doctor, CHECK, "%s; nobody holds them now", waiting);
      continue;
    }
    g_autofree char *who = tell_holder (holder), *remedy = end_holder (doctor, holder);
    doctor_warn (doctor, CHECK, remedy, "%s; held by %s", waiting, who);
  }
  if (rows_count (rows) == 0)
    doctor_ok (doctor, CHECK, "none");
}
