#include "web/pages.h"

#include "engine/engine.h"
#include "web/door.h"
#include "web/line.h"
#include "web/metrics.h"
#include "web/page/elsewhere.h"
#include "web/page/hosts.h"
#include "web/page/page.h"
#include "web/web.h"

struct _Pages {
  Web *web;
  Proxies *proxies;
  Metrics *metrics;
  Page *page; /* NULL: it is off */
  Line ready; /* of /readyz: a slow scrape does not delay it */
};

static guint
answer_metrics (const WebRequest *request, WebReply *reply, gpointer data)
{
  Pages *pages = data;
  metrics_add (pages->metrics, reply->body);
  return 200;
}

static guint
answer_health (const WebRequest *request, WebReply *reply, gpointer data)
{
  gboolean alive = engine_is_alive ();
  g_string_append (reply->body, alive ? "ok\n" : "not healthy: the poll thread does not answer\n");
  return alive ? 200 : 503;
}

/* A daemon of which no commit ends does no work, although its queries are answered. */
static gboolean
commits_end (Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/web/sql/standby_awaited.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  if (rows_int (rows, 0, "waiting") == 0)
    return TRUE;
  return error_set (error, PRUNED_OUTAGE,
                    "commits wait for a synchronous standby (synchronous_standby_names)");
}

static gboolean
database_answers (Pages *pages, GError **error)
{
  if (!line_take (&pages->ready))
    return error_set (error, PRUNED_OUTAGE,
                      "PostgreSQL does not answer: other requests are waiting for it");
  Pg *pg = pages->ready.pg;
  gint64 now_us;
  gboolean answers = pg_begin_read_only (pg, error) && pg_now_us (pg, &now_us, error);
  if (!answers)
    g_prefix_error (error, "PostgreSQL does not answer: ");
  answers = answers && commits_end (pg, error);
  pg_rollback (pg);
  if (answers && pg_is_read_only (pg)) {
    answers = FALSE;
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL is read-only");
    pg_close (pg); /* a later session can be writable */
  }
  line_give (&pages->ready);
  return answers;
}

static guint
answer_ready (const WebRequest *request, WebReply *reply, gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ready = engine_is_ready () && engine_is_alive () && database_answers (data, &error);
  if (ready)
    g_string_append (reply->body, "ready\n");
  else if (error != NULL)
    g_string_append_printf (reply->body, "not ready: %s\n", error->message);
  else
    g_string_append (reply->body, "not ready: no partitions, or Kafka is away\n");
  return ready ? 200 : 503;
}

static guint
answer_page (const WebRequest *request, WebReply *reply, gpointer data)
{
  return page_answer (((Pages *)data)->page, request, reply);
}

#define ALWAYS                                                                                     \
  { "/metrics", "text/plain; version=0.0.4", answer_metrics },                                     \
      { "/healthz", "text/plain", answer_health, .always = TRUE },                                 \
  {                                                                                                \
    "/readyz", "text/plain", answer_ready, .always = TRUE                                          \
  }
static const WebPage PAGES[] = { ALWAYS, { NULL } },
                     ALL[]
                     = { ALWAYS, { NULL, "text/html; charset=utf-8", answer_page, .posts = TRUE } };

static Proxies *
proxies_of (const Config *config, GError **error)
{
  return proxies_new (config_text (config, "http", "trusted_proxies"), error);
}

gboolean
pages_check (const Config *config, GError **error)
{
  const char *listen = config_text (config, "http", "listen");
  g_autoptr (Proxies) proxies = proxies_of (config, error);
  if (proxies == NULL)
    return FALSE;
  return *listen == '\0'
         || (door_check (listen, error) && hosts_check (config, error)
             && elsewhere_check (config, error) && act_post_check (config, error));
}

Pages *
pages_start (const Config *config, const Jobs *jobs, const ActCommand *command, GError **error)
{
  const char *listen = config_text (config, "http", "listen");
  if (*listen == '\0')
    return NULL;
  Pages *pages = g_new0 (Pages, 1);
  pages->metrics = metrics_new (config, jobs);
  line_open (&pages->ready, config);
  pages->proxies = proxies_of (config, error);
  const gboolean fits = pages->proxies != NULL && hosts_check (config, error)
                        && elsewhere_check (config, error) && act_post_check (config, error);
  if (fits && config_bool (config, "http", "page"))
    pages->page = page_new (config, command, error);
  if (fits && (pages->page != NULL || !config_bool (config, "http", "page")))
    pages->web
        = web_start (listen, pages->proxies, pages->page != NULL ? ALL : PAGES, pages, error);
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
  metrics_free (pages->metrics);
  page_free (pages->page);
  line_close (&pages->ready);
  proxies_free (pages->proxies);
  g_free (pages);
}
