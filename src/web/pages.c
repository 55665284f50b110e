#include "web/pages.h"

#include "engine/engine.h"
#include "engine/stats.h"
#include "web/web.h"

#include <string.h>

#define APDEX_SECONDS "le=\"43200\""

struct _Pages {
  Web *web;
  Pg *pg;
  char *jobs; /* array literal */
};

typedef struct {
  GString *body;
  const char *last; /* metric whose TYPE line was written */
  double objects, in_time;
} Metrics;

/* `x_bucket`, `x_sum` and `x_count` are of the metric x. */
static char *
family_of (const char *name, const char *kind)
{
  static const char *const suffixes[] = { "_bucket", "_sum", "_count" };
  for (guint i = 0; g_str_equal (kind, "histogram") && i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return g_strndup (name, strlen (name) - strlen (suffixes[i]));
  return g_strdup (name);
}

static void
on_metric (const char *name, const char *kind, const char *labels, double value, gpointer data)
{
  Metrics *metrics = data;
  g_autofree char *family = family_of (name, kind);
  if (g_strcmp0 (family, metrics->last) != 0)
    g_string_append_printf (metrics->body, "# TYPE %s %s\n", family, kind);
  metrics->last = g_intern_string (family);
  g_string_append_printf (metrics->body, *labels ? "%s{%s} %.17g\n" : "%s%s %.17g\n", name, labels, value);
  if (g_str_equal (name, "pruned_object_age_seconds_count"))
    metrics->objects = value;
  if (g_str_equal (name, "pruned_object_age_seconds_bucket") && strstr (labels, APDEX_SECONDS) != NULL)
    metrics->in_time = value;
}

static void
gauge (GString *body, const char *name, const char *labels, double value)
{
  g_string_append_printf (body, *labels ? "%s{%s} %.17g\n" : "%s%s %.17g\n", name, labels, value);
}

/* From the tables; what PostgreSQL does not answer is left out. */
static void
add_tables (Pages *pages, GString *body)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", pages->jobs);
  if (!pg_begin_read_only (pages->pg, NULL))
    return;
  g_autoptr (PgRows) due = pg_run_file (pages->pg, "src/web/sql/oldest_due.sql", values, NULL);
  if (due != NULL)
    g_string_append (body, "# TYPE pruned_oldest_due_seconds gauge\n");
  for (int i = 0; due != NULL && i < rows_count (due); i++)
    {
      g_autofree char *labels = g_strdup_printf ("job=\"%s\"", rows_text (due, i, "job"));
      gauge (body, "pruned_oldest_due_seconds", labels, g_ascii_strtod (rows_text (due, i, "seconds"), NULL));
    }
  pg_rollback (pages->pg);
}

/* One figure of one statement, in a transaction of its own: a table that is not there leaves out its own figure only. */
static void
add_figure (Pages *pages, GString *body, const char *file, const char *column, const char *name)
{
  if (!pg_begin_read_only (pages->pg, NULL))
    return;
  g_autoptr (PgRows) rows = pg_run_file (pages->pg, file, NULL, NULL);
  if (rows != NULL)
    {
      g_string_append_printf (body, "# TYPE %s gauge\n", name);
      gauge (body, name, "", g_ascii_strtod (rows_text (rows, 0, column), NULL));
    }
  pg_rollback (pages->pg);
}

static void
on_running (const char *job, double seconds, gpointer data)
{
  g_autofree char *labels = g_strdup_printf ("job=\"%s\"", job);
  gauge (data, "pruned_running_step_seconds", labels, seconds);
}

static int
answer_metrics (GString *body, gpointer data)
{
  Pages *pages = data;
  Metrics metrics = { .body = body };
  stats_each (on_metric, &metrics);
  if (metrics.objects > 0)
    {
      g_string_append (body, "# TYPE pruned_object_apdex gauge\n");
      gauge (body, "pruned_object_apdex", "", metrics.in_time / metrics.objects);
    }
  g_string_append (body, "# TYPE pruned_ready gauge\n");
  gauge (body, "pruned_ready", "", engine_is_ready ());
  g_string_append (body, "# TYPE pruned_running_step_seconds gauge\n");
  engine_each_running (on_running, body);
  add_tables (pages, body);
  add_figure (pages, body, "src/web/sql/oldest_object.sql", "seconds", "pruned_object_oldest_ready_seconds");
  add_figure (pages, body, "src/web/sql/schedules_left.sql", "n", "pruned_member_deletion_schedules");
  return 200;
}

static int
answer_health (GString *body, gpointer data)
{
  g_string_append (body, "ok\n");
  return 200;
}

static int
answer_ready (GString *body, gpointer data)
{
  Pages *pages = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) rows = engine_is_ready () ? pg_run_file (pages->pg, "src/engine/sql/now.sql", NULL, &error) : NULL;
  if (rows != NULL)
    g_string_append (body, "ready\n");
  else
    g_string_append_printf (body, "not ready: %s\n", error != NULL ? error->message : "no partitions, or Kafka is away");
  return rows != NULL ? 200 : 503;
}

static const WebPage PAGES[] = {
  { "/metrics", "text/plain; version=0.0.4", answer_metrics },
  { "/healthz", "text/plain", answer_health },
  { "/readyz", "text/plain", answer_ready },
  { NULL }
};

Pages *
pages_start (const Config *config, const Jobs *jobs, GError **error)
{
  const char *listen = config_text (config, "http", "listen");
  if (*listen == '\0')
    return NULL;
  Pages *pages = g_new0 (Pages, 1);
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    array_add (names, jobs_at (jobs, i)->name);
  pages->jobs = array_take (names);
  pages->pg = pg_new (&(PgSettings){ config_text (config, "postgres", "url"), config_text (config, "postgres", "app_schema"),
                                     config_bool (config, "postgres", "prepare"), "pruned http" });
  pages->web = web_start (listen, PAGES, pages, error);
  if (pages->web != NULL)
    return pages;
  pages_stop (pages);
  return NULL;
}

void
pages_stop (Pages *pages)
{
  if (pages == NULL)
    return;
  web_stop (pages->web);
  pg_free (pages->pg);
  g_free (pages->jobs);
  g_free (pages);
}
