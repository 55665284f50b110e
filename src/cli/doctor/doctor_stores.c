#include "cli/doctor/doctor.h"

#include "avro/message.h"
#include "avro/registry.h"
#include "cli/versions.h"
#include "config/settings.h"
#include "engine/job/in_force.h"
#include "store/place.h"
#include "store/probe.h"

#define SQL "src/cli/doctor/sql/"

static const struct {
  const char *check, *section, *key, *remedy;
} PLACES[] = {
  { "local store", "store.local", "root", "[store.local]\n  root = /srv/artifacts" },
  { "object store", "store.object", "endpoint",
    "[store.object]\n  endpoint = https://s3.example.org\n  bucket = artifacts\n  credentials_file = /etc/pruned/s3.credentials" },
};

/* A store that is not set is a finding only if objects wait for it. */
static void
check_unset (Doctor *doctor, guint i)
{
  const char *check = PLACES[i].check;
  const Job *job = jobs_find (doctor->cli->jobs, "ci.delete_objects");
  if (doctor->pg == NULL || job == NULL || !in_force_of (job)->enabled) {
    doctor_ok (doctor, check, "[%s] %s is not set: there is no such store", PLACES[i].section,
               PLACES[i].key);
    return;
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "file_store", i + 1);
  g_autoptr (PgRows) rows = NULL;
  g_autoptr (GError) error = NULL;
  if (pg_begin_read_only (doctor->pg, &error))
    rows = pg_run_file (doctor->pg, SQL "objects_wait.sql", values, &error);
  if (rows == NULL)
    doctor_unasked_but_missing (doctor, check, error);
  pg_rollback (doctor->pg);
  if (rows == NULL)
    return;
  if (rows_bool (rows, 0, "wait"))
    doctor_error (doctor, CODE_STORE, check, PLACES[i].remedy,
                  "[%s] %s is not set, but objects wait to be deleted there", PLACES[i].section,
                  PLACES[i].key);
  else
    doctor_ok (doctor, check, "[%s] %s is not set, and nothing waits for it", PLACES[i].section,
               PLACES[i].key);
}

/* The remedy is a command that looks at the same place. */
static void
say_trouble (Doctor *doctor, guint i, const char *place, const GError *error)
{
  g_autofree char *shown = i == 0 ? g_strdup (place) : setting_shown_url (place),
                  *quoted = g_shell_quote (shown);
  g_autofree char *remedy = g_strconcat (i == 0 ? "ls -la " : "curl -sSI ", quoted, NULL);
  doctor_error (doctor, CODE_STORE, PLACES[i].check, remedy, "%s", error->message);
}

/* The remedy creates the marker on the mounted disk, and names the setting. */
static char *
mark_of (const char *place)
{
  g_autofree char *path = g_build_filename (place, ".artifacts", NULL),
                  *quoted = g_shell_quote (path);
  return g_strdup_printf (
      "touch %s  # on the mounted disk; then set [store.local] marker = .artifacts", quoted);
}

static gboolean
uses_own_bucket (const Doctor *doctor)
{
  return *config_text (doctor->cli->config, "store.object", "bucket") != '\0'
         || jobs_use_bucket (doctor->cli->jobs);
}

/* The service answers. JOB: whose bucket it is; NULL: BUCKET is that of [store.object]. */
static void
say_answers (Doctor *doctor, const char *bucket, const char *job, const char *place)
{
  const char *check = PLACES[1].check;
  g_auto (Versions) versions = versions_of (doctor->cli->config, bucket);
  if (versions.level == VERSIONS_STAY)
    doctor_warn (doctor, check, versions.remedy, "%s", versions.words);
  else if (versions.level == VERSIONS_LOCKED)
    doctor_error (doctor, CODE_STORE, check, versions.remedy, "%s", versions.words);
  else if (bucket != NULL)
    doctor_ok (doctor, check, "bucket %s of %s answers; %s", bucket, job, versions.words);
  else
    doctor_ok (doctor, check, "it answers: %s; %s", place, versions.words);
}

/* The bucket that the sentence of JOB names. */
static void
check_bucket (Doctor *doctor, const Job *job)
{
  const Config *config = doctor->cli->config;
  g_autoptr (GError) error = NULL;
  const char *bucket = job->sentence->bucket;
  if (*config_text (config, "store.object", "endpoint") == '\0')
    doctor_error (doctor, CODE_STORE, PLACES[1].check, PLACES[1].remedy,
                  "[store.object] endpoint is not set, but %s deletes objects of bucket %s",
                  job->name, bucket);
  else if (!probe_object (config, bucket, &error))
    say_trouble (doctor, 1, config_text (config, PLACES[1].section, PLACES[1].key), error);
  else
    say_answers (doctor, bucket, job->name, NULL);
}

/* Where the files of an archive of JOB go. */
static void
check_archive (Doctor *doctor, const Job *job)
{
  g_autoptr (GError) error = NULL;
  const char *place = job->sentence->archive_place;
  g_autofree char *remedy = g_strconcat ("pruned check ", job->name, NULL);
  if (place_probe (doctor->cli->config, place, &error))
    doctor_ok (doctor, "archive", "a file of %s can be written in %s", job->name, place);
  else
    doctor_error (doctor, CODE_STORE, "archive", remedy,
                  "%s: no file can be written in %s, so none of its rows go: %s", job->name, place,
                  error->message);
}

/* The first outcome whose schema the registry does not have, borrowed; NULL: it has all, or they
 * are not written so. ERROR: it is not known. */
static const char *
find_unregistered (const Doctor *doctor, GError **error)
{
  const char *format = config_text (doctor->cli->config, "outcomes", "format");
  for (const char *const *type = message_types ();
       *type != NULL && g_str_equal (format, "registry"); type++) {
    guint32 id;
    GError *cause = NULL;
    if (!g_str_has_prefix (*type, "pruned.outcomes.")
        || registry_number (*type, FALSE, &id, &cause))
      continue;
    if (cause->code != PRUNED_REJECT) {
      g_propagate_error (error, cause);
      return NULL;
    }
    g_error_free (cause);
    return *type;
  }
  return NULL;
}

/* Events in Avro ask it for their schemas, and outcomes. Without a url nothing does. */
static void
check_registry (Doctor *doctor)
{
  const char *url = config_text (doctor->cli->config, "registry", "url");
  if (*url == '\0')
    return;
  g_autoptr (GError) error = NULL;
  g_autofree char *shown = setting_shown_url (url), *quoted = g_shell_quote (shown),
                  *remedy = g_strconcat ("curl -sSI ", quoted, NULL);
  const char *missing = NULL;
  if (registry_start (doctor->cli->config, &error) && registry_answers (&error))
    missing = find_unregistered (doctor, &error);
  if (missing != NULL)
    doctor_warn (doctor, "schema registry", "pruned schemas register",
                 "it does not have the schema %s yet; the daemon registers it when it sends the "
                 "first such outcome, if it may",
                 missing);
  else if (error == NULL)
    doctor_ok (doctor, "schema registry", "it answers: %s", shown);
  else
    doctor_error (doctor, CODE_STORE, "schema registry", remedy, "%s", error->message);
  registry_stop ();
}

void
doctor_stores (Doctor *doctor)
{
  const Config *config = doctor->cli->config;
  check_registry (doctor);
  for (guint i = 0; i < G_N_ELEMENTS (PLACES); i++) {
    g_autoptr (GError) error = NULL;
    RootLook look = ROOT_FILLED;
    const char *place = config_text (config, PLACES[i].section, PLACES[i].key);
    if (i == 1 && *place != '\0' && !uses_own_bucket (doctor))
      continue;
    if (*place == '\0')
      check_unset (doctor, i);
    else if (i == 0 ? !probe_local (config, &look, &error) : !probe_object (config, NULL, &error))
      say_trouble (doctor, i, place, error);
    else if (look != ROOT_FILLED) {
      g_autofree char *mark = mark_of (place);
      doctor_warn (
          doctor, PLACES[i].check, mark,
          look == ROOT_BARE
              ? "%s is empty, so every object counts as gone: is it mounted? If so, set a marker"
              : "%s cannot be read, so it is not known whether it is mounted: set a marker",
          place);
    } else if (i == 1)
      say_answers (doctor, NULL, NULL, place);
    else
      doctor_ok (doctor, PLACES[i].check, "it answers: %s", place);
  }
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (job->sentence == NULL || !in_force_of (job)->enabled)
      continue;
    if (job->sentence->bucket != NULL)
      check_bucket (doctor, job);
    if (job->sentence->archive_place != NULL)
      check_archive (doctor, job);
  }
}
