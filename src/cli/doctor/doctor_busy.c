/* Rows that other sessions hold, and who does. */
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "cli/grants.h"
#include "engine/step/quarantine.h"

#include <string.h>

#define SQL "src/cli/doctor/sql/"
#define CHECK "rows held"

/* The transactions that have locked the rows of row I of busy.sql, as an array literal; `{}`: not
 * known. g_free it. */
static char *
find_transactions (Doctor *doctor, const PgRows *rows, int i)
{
  g_autoptr (GError) error = NULL;
  const char *keys = rows_text (rows, i, "keys");
  char *xids = keys != NULL && pg_begin_read_only (doctor->pg, &error)
                   ? quarantine_holders (doctor->pg, rows_text (rows, i, "tab"), keys, &error)
                   : NULL;
  pg_rollback (doctor->pg);
  return xids != NULL ? xids : g_strdup ("{}");
}

/* The tables of which a row is held: the one that the error of row I names, or all that are known
 * of JOB. An array literal; g_free it. */
static char *
list_tables (const Job *job, const PgRows *rows, int i)
{
  GString *tables = array_new ();
  char **const lists[]
      = { job != NULL ? job->items : NULL, job != NULL ? job->needs : NULL }; /* table.column */
  const char *relation = rows_text (rows, i, "relation");
  if (relation != NULL && *relation != '\0')
    array_add (tables, relation);
  else if (job != NULL && job->table != NULL)
    array_add (tables, job->table);
  for (guint n = 0; n < G_N_ELEMENTS (lists) && (relation == NULL || *relation == '\0'); n++)
    for (guint k = 0; lists[n] != NULL && lists[n][k] != NULL; k++) {
      g_autofree char *table
          = n == 0 ? g_strdup (lists[n][k]) : g_strndup (lists[n][k], strcspn (lists[n][k], "."));
      array_add (tables, table);
    }
  return array_take (tables);
}

static PgRows *
ask_holder (Doctor *doctor, const char *tables, const char *xids, const char *latest)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", tables);
  pg_values_set (values, "xid", xids);
  pg_values_set (values, "latest", latest);
  return doctor_ask (doctor, CHECK, SQL "holder.sql", values);
}

/* The one row of holder.sql, or none; NULL: an error, which is a finding. What is held can be
 * another row than the one that stays for it: then those who have locked that one are gone. */
static PgRows *
find_holder (Doctor *doctor, const Job *job, const PgRows *rows, int i)
{
  const char *latest = rows_text (rows, i, "latest");
  g_autofree char *tables = list_tables (job, rows, i), *xids = find_transactions (doctor, rows, i);
  g_autoptr (PgRows) holder = ask_holder (doctor, tables, xids, latest);
  if (holder == NULL || rows_count (holder) > 0 || g_str_equal (xids, "{}"))
    return g_steal_pointer (&holder);
  return ask_holder (doctor, tables, "{}", latest);
}

/* Who it is. g_free it. */
static char *
tell_holder (const PgRows *holder)
{
  const char *gid = rows_text (holder, 0, "gid"), *age = rows_text (holder, 0, "age"),
             *query = rows_text (holder, 0, "query"), *name = rows_text (holder, 0, "name"),
             *state = rows_text (holder, 0, "state"), *role = rows_text (holder, 0, "role"),
             *pid = rows_text (holder, 0, "pid");
  if (gid != NULL)
    return g_strdup_printf ("the prepared transaction '%s' of %s, %s old, which no session ends: "
                            "its transaction manager does, or the command",
                            gid, role, age);
  if (query == NULL)
    return g_strdup_printf ("session %s of %s ('%s'), whose statement and age are hidden from this "
                            "role, which would need pg_read_all_stats",
                            pid, role, name != NULL ? name : "");
  return g_strdup_printf (
      "session %s of %s ('%s'), %s, whose transaction is %s old; its statement: %s", pid, role,
      name != NULL ? name : "", state, age, query);
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
    g_autoptr (PgRows) holder = find_holder (doctor, job, rows, i);
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
