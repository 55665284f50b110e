#include "cli/doctor/doctor.h"
#include "config/settings.h"
#include "engine/job/in_force.h"
#include "store/probe.h"

#define SQL "src/cli/doctor/sql/"

static const struct {
  const char *check, *section, *key, *remedy;
} STORES[] = {
  { "local store", "store.local", "root", "[store.local]\n  root = /srv/artifacts" },
  { "object store", "store.object", "endpoint",
    "[store.object]\n  endpoint = https://s3.example.org\n  bucket = artifacts\n  credentials_file = /etc/pruned/s3.credentials" },
};

/* No such store: that is a finding only where objects wait for it. */
static void
check_unset (Doctor *doctor, guint i)
{
  const char *check = STORES[i].check;
  const Job *job = jobs_find (doctor->cli->jobs, "ci.delete_objects");
  if (doctor->pg == NULL || job == NULL || !in_force_of (job)->enabled) {
    doctor_ok (doctor, check, "[%s] %s is not set: there is no such store", STORES[i].section,
               STORES[i].key);
    return;
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "file_store", i + 1);
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin_read_only (doctor->pg, NULL))
    rows = pg_run_file (doctor->pg, SQL "objects_wait.sql", values,
                        NULL); /* a table that is missing is another check's finding */
  pg_rollback (doctor->pg);
  if (rows != NULL && rows_bool (rows, 0, "wait"))
    doctor_error (doctor, CODE_STORE, check, STORES[i].remedy,
                  "[%s] %s is not set, but objects wait to be deleted there", STORES[i].section,
                  STORES[i].key);
  else
    doctor_ok (doctor, check, "[%s] %s is not set, and nothing waits for it", STORES[i].section,
               STORES[i].key);
}

/* A command that looks at the same place. */
static void
say_trouble (Doctor *doctor, guint i, const char *place, const GError *error)
{
  g_autofree char *shown = i == 0 ? g_strdup (place) : setting_shown_url (place),
                  *quoted = g_shell_quote (shown);
  g_autofree char *remedy = g_strconcat (i == 0 ? "ls -la " : "curl -sSI ", quoted, NULL);
  doctor_error (doctor, CODE_STORE, STORES[i].check, remedy, "%s", error->message);
}

/* The mark goes onto the disk itself, once it is mounted; and its name into the settings. */
static char *
mark_of (const char *place)
{
  g_autofree char *path = g_build_filename (place, ".artifacts", NULL),
                  *quoted = g_shell_quote (path);
  return g_strdup_printf (
      "touch %s  # on the mounted disk; then set [store.local] marker = .artifacts", quoted);
}

void
doctor_stores (Doctor *doctor)
{
  const Config *config = doctor->cli->config;
  for (guint i = 0; i < G_N_ELEMENTS (STORES); i++) {
    g_autoptr (GError) error = NULL;
    RootLook look = ROOT_FILLED;
    const char *place = config_text (config, STORES[i].section, STORES[i].key);
    if (*place == '\0')
      check_unset (doctor, i);
    else if (i == 0 ? !probe_local (config, &look, &error) : !probe_object (config, &error))
      say_trouble (doctor, i, place, error);
    else if (look != ROOT_FILLED) {
      g_autofree char *mark = mark_of (place);
      doctor_warn (doctor, STORES[i].check, mark,
                   look == ROOT_BARE
                       ? "%s is empty, so every object counts as gone: is it mounted? Then mark it"
                       : "%s may not be read, so nobody sees whether it is mounted: mark it",
                   place);
    } else
      doctor_ok (doctor, STORES[i].check, "it is there: %s", place);
  }
}
