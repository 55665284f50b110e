#include "config/nearest.h"
#include "config/settings.h"
#include "kafka/kafka.h"
#include "support/config_file.h"
#include <string.h>

typedef struct {
  const char *key;
  char *value, *origin;
} Shown;

static void
remember (const char *key, const char *value, const char *origin, gpointer data)
{
  Shown *shown = data;
  if (!g_str_equal (key, shown->key))
    return;
  g_assert_null (shown->value);
  shown->value = g_strdup (value);
  shown->origin = g_strdup (origin);
}

static void
assert_shown (const Config *config, const char *key, const char *value, const char *origin)
{
  Shown shown = { key, NULL, NULL };
  config_each (config, remember, &shown);
  g_assert_cmpstr (shown.value, ==, value);
  if (origin != NULL)
    g_assert_cmpstr (shown.origin, ==, origin);
  g_free (shown.value);
  g_free (shown.origin);
}

static void
test_defaults (void)
{
  g_autoptr (Config) config = config_load_text ("");
  g_assert_cmpstr (config_text (config, "postgres", "url"), ==, "");
  g_assert_cmpstr (config_text (config, "postgres", "app_schema"), ==, "public");
  g_assert_true (config_bool (config, "postgres", "prepare"));
  g_assert_cmpstr (config_text (config, "topics", "prefix"), ==, "pruned");
  g_assert_cmpint (config_int (config, "topics", "partitions"), ==, 8);
  g_assert_cmpstr (config_text (config, "audit", "rows"), ==, "full");
  g_assert_cmpint (config_int (config, "audit", "keep_days"), ==, 30);
  g_assert_cmpint (config_int (config, "runs", "keep_days"), ==, 35);
  g_assert_cmpint (config_int (config, "run", "workers"), ==, 4);
  g_assert_cmpstr (config_text (config, "run", "environment"), ==, "production");
  g_assert_cmpstr (config_text (config, "run", "jobs_dir"), ==, "/etc/pruned/jobs.d");
  g_assert_cmpstr (config_text (config, "http", "listen"), ==, "");
  g_assert_cmpstr (config_text (config, "log", "level"), ==, "info");
  g_assert_cmpstr (config_text (config, "log", "format"), ==, "text");
  g_assert_cmpstr (config_text (config, "store.object", "addressing"), ==, "path");
  g_assert_false (config_bool (config, "store.local", "prune_empty_dirs"));
  g_assert_cmpint (config_job_int (config, "users.destroy", "batch"), ==, 1000);
  g_assert_cmpint (config_job_int (config, "users.destroy", "max_attempts"), ==, 25);
  g_assert_cmpint (config_job_int (config, "users.destroy", "lease_ms"), ==, 600000);
  g_assert_cmpint (config_job_int (config, "users.destroy", "retry_after_ms"), ==, 172800000);
  g_assert_cmpstr (config_job_text (config, "users.destroy", "schedule"), ==, "off");
  g_assert_cmpstr (config_job_text (config, "users.destroy", "catch_up"), ==, "last");
  g_assert_true (config_job_bool (config, "users.destroy", "enabled"));
  g_assert_true (config_job_bool (config, "users.destroy", "finish"));
}

static void
test_each_source_goes_before_the_one_below (void)
{
  const char *key = "jobs.members.remove_expired.delay_ms";
  g_autoptr (Config) built_in = config_load_text ("");
  assert_shown (built_in, "jobs.members.remove_expired.batch", "1000", "built-in");
  assert_shown (built_in, key, "10000", "job.conf");
  static const char text[] = "# first\n\n[jobs.members.remove_expired]\n  delay_ms =  20 \n";
  g_autoptr (Config) by_file = config_load_text (text);
  g_autofree char *place = g_strconcat (config_file, ":4", NULL);
  assert_shown (by_file, key, "20", place);
  g_setenv ("PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_DELAY_MS", "30", TRUE);
  g_autoptr (Config) by_variable = config_load_text (text);
  assert_shown (by_variable, key, "30", "PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_DELAY_MS");
  const char *overrides[] = { "jobs.members.remove_expired.delay_ms=40",
                              "jobs.members.remove_expired.delay_ms=50", NULL };
  g_autoptr (Config) by_option = config_load_with (text, overrides, NULL);
  assert_shown (by_option, key, "50", "-s");
  g_assert_cmpint (config_job_int (by_option, "members.remove_expired", "delay_ms"), ==, 50);
  g_unsetenv ("PRUNED_JOBS_MEMBERS_REMOVE_EXPIRED_DELAY_MS");
}

static void
test_an_empty_variable_is_the_empty_value (void)
{
  g_setenv ("PRUNED_POSTGRES_URL", "", TRUE);
  g_autoptr (Config) config = config_load_text ("[postgres]\nurl = postgres://a/b\n");
  assert_shown (config, "postgres.url", "", "PRUNED_POSTGRES_URL");
  g_unsetenv ("PRUNED_POSTGRES_URL");
}

static void
test_values_of_every_type (void)
{
  g_autoptr (Config) config = config_load_text (
      "[postgres]\r\nprepare = no\r\nurl = host=/tmp dbname=x\\sy  \r\n"
      "[store.local]\nprune_empty_dirs=yes\n[jobs.members]\nenabled = false\n"
      "schedule = */5 * * * mon-fri\ntime_zone = Europe/Berlin\n"
      "references = notes.author_id; issues.closed_by_id;\ndelay_ms = 0\nfinish=off\n");
  g_assert_false (config_bool (config, "postgres", "prepare"));
  g_assert_cmpstr (config_text (config, "postgres", "url"), ==, "host=/tmp dbname=x y");
  g_assert_true (config_bool (config, "store.local", "prune_empty_dirs"));
  g_assert_false (config_job_bool (config, "members", "enabled"));
  g_assert_false (config_job_bool (config, "members", "finish"));
  g_assert_cmpstr (config_job_text (config, "members", "schedule"), ==, "*/5 * * * mon-fri");
  g_assert_cmpstr (config_job_text (config, "members", "references"), ==,
                   "notes.author_id; issues.closed_by_id;");
  g_assert_cmpint (config_job_int (config, "members", "delay_ms"), ==, 0);
}

static void
join (const char *key, const char *value, gpointer data)
{
  g_string_append_printf (data, "%s=%s;", key, value);
}

static void
test_kafka_is_handed_on_as_it_stands (void)
{
  g_setenv ("PRUNED_KAFKA_BOOTSTRAP_SERVERS", "b:1", TRUE);
  g_setenv ("PRUNED_KAFKA_CLIENT_ID", "me", TRUE);
  const char *overrides[] = { "kafka.linger.ms=5", "kafka.new.key=a=b", NULL };
  g_autoptr (Config) config = config_load_with (
      "[kafka]\nlinger.ms = 0\nbootstrap.servers = a:1\nno.such.key = x\n", overrides, NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  config_each_kafka (config, join, all);
  g_assert_cmpstr (all->str, ==,
                   "linger.ms=5;bootstrap.servers=b:1;no.such.key=x;client.id=me;new.key=a=b;");
  assert_shown (config, "kafka.bootstrap.servers", "b:1", "PRUNED_KAFKA_BOOTSTRAP_SERVERS");
  assert_shown (config, "kafka.linger.ms", "5", "-s");
  g_unsetenv ("PRUNED_KAFKA_BOOTSTRAP_SERVERS");
  g_unsetenv ("PRUNED_KAFKA_CLIENT_ID");
}

static void
test_the_longest_section_wins (void)
{
  const char *overrides[] = { "jobs.members.batch=7", "jobs.members.remove_expired.batch=8",
                              "store.local.root=/x=y", NULL };
  g_autoptr (Config) config = config_load_with ("", overrides, NULL);
  g_assert_cmpint (config_job_int (config, "members", "batch"), ==, 7);
  g_assert_cmpint (config_job_int (config, "members.remove_expired", "batch"), ==, 8);
  g_assert_cmpstr (config_text (config, "store.local", "root"), ==, "/x=y");
}

static void
test_secrets_are_masked (void)
{
  static const struct {
    const char *key, *value, *shown;
  } cases[] = {
    { "postgres.url", "postgres://me:geheim@h:5/db?a=b", "postgres://me:***@h:5/db?a=b" },
    { "postgres.url", "postgresql://me@h/db", "postgresql://me@h/db" },
    { "postgres.url", "postgresql://me:ge/h@im@h/db", "postgresql://me:***@h/db" },
    { "postgres.url", "postgresql://h/db?user=me&password=geheim&x=1",
      "postgresql://h/db?user=me&password=***&x=1" },
    { "postgres.url", "host=h password=geheim user=me", "host=h password=*** user=me" },
    { "postgres.url", "host=h password = 'ge \\' heim' user=me", "host=h password = *** user=me" },
    { "postgres.url", "password=ge\\ heim&x user=me", "password=*** user=me" },
    { "postgres.url", "user=me PASSWORD='geheim", "user=me PASSWORD=***" },
    { "postgres.url", "host=/run/postgresql dbname=x", "host=/run/postgresql dbname=x" },
    { "postgres.url", "postgres://me:geheim@h/db", "postgres://me:***@h/db" },
    { "store.object.endpoint", "http://me:geheim@h:8081/apis", "http://me:***@h:8081/apis" },
    { "store.object.endpoint", "https://geheim@h", "https://***@h" },
    { "store.object.endpoint", "http://h:8081/apis", "http://h:8081/apis" },
    { "store.object.endpoint", "https://a:geheim@s3", "https://a:***@s3" },
    { "store.object.access_key", "geheim", "***" },
    { "store.object.secret_key", "geheim", "***" },
    { "store.object.session_token", "geheim", "***" },
    { "store.object.session_token", "", "" },
    { "kafka.sasl.password", "geheim", "***" },
    { "kafka.ssl.key.password", "geheim", "***" },
    { "kafka.ssl.key.pem", "geheim", "***" },
    { "kafka.sasl.oauthbearer.client.secret", "geheim", "***" },
    { "kafka.sasl.username", "me", "me" },
    { "kafka.sasl.password", "", "" },
    { "kafka.sasl.passwrd", "geheim", "***" }, /* librdkafka has no such setting */
    { "kafka.ssl.keystore.passphrase", "geheim", "***" },
    { "postgres.url", "host=h pasword=geheim user=me", "host=h pasword=*** user=me" },
    { "postgres.url", "postgresql://h/db?sslpasswd=geheim&x=1",
      "postgresql://h/db?sslpasswd=***&x=1" },
    { "postgres.url", "postgresql:/me:geheim@h/db", "***" },
    { "postgres.url", "postgresql//me:geheim@h/db", "***" },
    { "postgres.url", "postgresql:/me:geheim@h/db?sslmode=require", "***" },
    { "postgres.url", "me:geheim@h/db", "***" },
    { "postgres.url", "ge=geheim", "***" },
    { "postgres.url", "host=h ge=geheim user=me", "***" },
    { "postgres.url", "postgres://me:geheim", "postgres://me:***" },
    { "postgres.url", "postgres://me:geheim/db", "postgres://me:***" },
    { "postgres.url", "postgres://a:1,[::1]:2,b/db", "postgres://a:1,[::1]:2,b/db" },
    { "postgres.url", "postgres://[::1]/db", "postgres://[::1]/db" },
    { "postgres.url", "postgres:///db?host=/tmp", "postgres:///db?host=/tmp" },
    { "postgres.url", "host=h scram_client_key=geheim", "***" },
    { "postgres.url", "db", "db" },
    { "postgres.url", "options='-c a=b' port = 5", "options='-c a=b' port = 5" },
    { "postgres.url", "sslmode=require keepalives_idle=5", "sslmode=require keepalives_idle=5" },
    { "store.object.endpoint", "h:9000", "h:9000" },
    { "store.object.endpoint", "me:geheim@h:9000", "***" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *override = g_strconcat (cases[i].key, "=", cases[i].value, NULL);
    const char *overrides[] = { override, NULL };
    g_autoptr (GError) error = NULL;
    g_autoptr (Config) config = config_load_with ("", overrides, &error);
    g_assert_no_error (error);
    assert_shown (config, cases[i].key, cases[i].shown, "-s");
  }
}

static void
test_the_default_file_need_not_exist (void)
{
  if (g_file_test ("/etc/pruned/pruned.conf", G_FILE_TEST_EXISTS)) {
    g_test_skip ("this machine has one");
    return;
  }
  ConfigSources sources = { NULL, NULL, NULL, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (Config) config = config_load (&sources, &error);
  g_assert_no_error (error);
  g_assert_cmpint (config_int (config, "run", "workers"), ==, 4);
}

static void
collect (const char *key, const char *value, const char *origin, gpointer data)
{
  if (!g_str_has_prefix (key, "kafka."))
    g_string_append_printf (data, "%s=%s\n", key, value);
}

static char *
all_of (const Config *config)
{
  GString *all = g_string_new (NULL);
  config_each (config, collect, all);
  return g_string_free (all, FALSE);
}

static void
test_the_example_shows_the_defaults (void)
{
  g_autofree char *example = config_example (config_jobs, config_job_default, NULL);
  g_autoptr (Config) bare = config_load_text (""), as_is = config_load_text (example);
  g_autoptr (GRegex) commented = g_regex_new ("^#(\\S)", G_REGEX_MULTILINE, 0, NULL);
  g_autofree char *opened = g_regex_replace (commented, example, -1, 0, "\\1", 0, NULL);
  g_autoptr (Config) all_set = config_load_text (opened);
  g_autofree char *wanted = all_of (bare), *got = all_of (as_is), *got_set = all_of (all_set);
  g_assert_cmpstr (got, ==, wanted);
  g_assert_cmpstr (got_set, ==, wanted);
  assert_shown (bare, "run.workers", "4", "built-in");
  g_autoptr (GString) all = g_string_new (NULL);
  config_each_kafka (all_set, join, all);
  g_assert_cmpstr (all->str, ==, "bootstrap.servers=127.0.0.1:9092;");
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    g_assert_nonnull (strstr (example, setting->help));
}

static void
test_the_nearest_name (void)
{
  static const char *const names[] = { "batch", "budget_ms", "schedule", "schedules", NULL };
  static const char *const none[] = { NULL };
  g_assert_cmpstr (nearest_name ("bacth", names), ==, "batch");
  g_assert_cmpstr (nearest_name ("SCHEDULE", names), ==, "schedule");
  g_assert_cmpstr (nearest_name ("schedulesx", names), ==, "schedules");
  g_assert_cmpstr (nearest_name ("budget", names), ==, "budget_ms");
  g_assert_cmpstr (nearest_name ("", names), ==, "batch");
  g_assert_null (nearest_name ("x", none));
  g_autofree char *endless = g_strnfill (100000, 'x');
  g_assert_null (nearest_name (endless, names));
  g_assert_null (nearest_name ("widgets", names));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  setting_kafka_known (kafka_setting_known);
#define ADD(name) g_test_add_func ("/config/" #name, test_##name)
  ADD (defaults);
  ADD (each_source_goes_before_the_one_below);
  ADD (an_empty_variable_is_the_empty_value);
  ADD (values_of_every_type);
  ADD (kafka_is_handed_on_as_it_stands);
  ADD (the_longest_section_wins);
  ADD (secrets_are_masked);
  ADD (the_default_file_need_not_exist);
  ADD (the_example_shows_the_defaults);
  ADD (the_nearest_name);
  return config_test_run ();
}
