#include "web/page/page.h"

#include "base/clock.h"
#include "base/resource.h"
#include "engine/job/in_force.h"
#include "web/line.h"
#include "web/page/act.h"
#include "web/page/frame.h"
#include "web/page/hosts.h"

#include <stdatomic.h>
#include <string.h>

#define KEPT_US (3 * G_USEC_PER_SEC)
#define OLD_US (10 * G_USEC_PER_SEC) /* an answer is given while one makes it anew */
#define MOST_KEPT 64
#define MOST_AT_ONCE 4 /* requests that wait for the connection, or have it */
#define STATEMENT_MS 1500
#define DEADLINE_US (4 * G_USEC_PER_SEC)
#define SECURITY                                                                                   \
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "  \
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

static const struct {
  const char *path, *content_type, *file;
} ASSETS[] = {
  { "/page.css", "text/css; charset=utf-8", "src/web/page/page.css" },
  { "/page.js", "text/javascript; charset=utf-8", "src/web/page/page.js" },
  { "/icon.svg", "image/svg+xml", "src/web/page/icon.svg" },
};

/* How each view can be asked for. */
static const char *const FORMS[][2]
    = { { "csv", "text/csv; charset=utf-8; header=present" }, { "json", "application/json" } };

typedef struct {
  char *etag, *body;
  const char *content_type;
  gsize length;
  guint status;
  gint64 until_us;
  gboolean renewing; /* somebody makes it anew; under the lock of the page */
} Kept;

struct _Page {
  const char *hosts;
  ActPost *post; /* NULL: actions are off */
  Line line;
  Night *night; /* who has the line writes it; NULL: not made yet */
  guint number; /* of the settings that it was made from */
  atomic_int at_once;
  pthread_mutex_t lock;
  GHashTable *kept; /* what was asked -> Kept; under the lock */
};

static void
kept_free (gpointer data)
{
  Kept *kept = data;
  g_free (kept->etag);
  g_free (kept->body);
  g_free (kept);
}

Page *
page_new (const Config *config, const ActCommand *command, GError **error)
{
  ActPost *post = NULL;
  if (config_bool (config, "http", "actions")
      && (post = act_post_new (config, command, error)) == NULL)
    return NULL;
  Page *page = g_new0 (Page, 1);
  page->post = post;
  page->hosts = config_text (config, "http", "hosts");
  line_open (&page->line, config);
  pthread_mutex_init (&page->lock, NULL);
  page->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, kept_free);
  return page;
}

void
page_free (Page *page)
{
  if (page == NULL)
    return;
  act_post_free (page->post);
  line_close (&page->line);
  night_free (page->night);
  g_hash_table_unref (page->kept);
  pthread_mutex_destroy (&page->lock);
  g_free (page);
}

/* --- plain answers ---------------------------------------------------------------------------- */

static guint
say (WebReply *reply, guint status, const char *text)
{
  reply->content_type = "text/plain; charset=utf-8";
  g_string_assign (reply->body, text);
  return status;
}

/* The client has it already. */
static gboolean
is_known (const WebRequest *request, const char *etag)
{
  return request->known != NULL && strstr (request->known, etag) != NULL;
}

/* FALSE: it is none. */
static gboolean
give_asset (const WebRequest *request, WebReply *reply, guint *status)
{
  for (guint i = 0; i < G_N_ELEMENTS (ASSETS); i++) {
    if (!g_str_equal (request->path, ASSETS[i].path))
      continue;
    g_autofree char *text = resource_text (ASSETS[i].file, NULL);
    reply->content_type = ASSETS[i].content_type;
    reply->etag = frame_etag (text, strlen (text));
    *status = is_known (request, reply->etag) ? 304 : 200;
    g_string_assign (reply->body, *status == 200 ? text : "");
    return TRUE;
  }
  return FALSE;
}

/* --- what is asked ---------------------------------------------------------------------------- */

static const char *
type_of_form (const char *form)
{
  for (guint i = 0; i < G_N_ELEMENTS (FORMS); i++)
    if (g_str_equal (form, FORMS[i][0]))
      return FORMS[i][1];
  return NULL;
}

/* Each view knows its filters: another name is a mistake, or something that has no place in a
 * query, such as a token. */
static gboolean
is_filter (const View *view, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (view->filters) && view->filters[i] != NULL; i++)
    if (g_str_equal (name, view->filters[i]))
      return TRUE;
  return g_str_equal (name, "format") || g_str_equal (name, "table");
}

static gboolean
fits (const View *view, const WebRequest *request)
{
  const char *name, *value;
  GHashTableIter iter;
  g_hash_table_iter_init (&iter, request->filters);
  while (g_hash_table_iter_next (&iter, (gpointer *)&name, (gpointer *)&value))
    if (!is_filter (view, name) || !g_utf8_validate (value, -1, NULL)
        || (g_str_equal (name, "format") && type_of_form (value) == NULL))
      return FALSE;
  return !request->is_odd;
}

/* The same text for the same question, whatever the order of its filters. */
static char *
key_of (const View *view, const WebRequest *request)
{
  GString *key = g_string_new (view->path);
  static const char *const common[] = { "format", "table" };
  for (guint i = 0; i < G_N_ELEMENTS (view->filters) + G_N_ELEMENTS (common); i++) {
    const char *name = i < G_N_ELEMENTS (view->filters) ? view->filters[i]
                                                        : common[i - G_N_ELEMENTS (view->filters)],
               *value = name != NULL ? g_hash_table_lookup (request->filters, name) : NULL;
    g_autofree char *link = value != NULL ? html_link ("", name, value, NULL) : NULL;
    g_string_append (key, link != NULL ? link : "");
  }
  return g_string_free (key, FALSE);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A reload can change jobs and schedules. */
static void
look_at_jobs (Page *page)
{
  in_force_renew ();
  if (page->night != NULL && page->number == in_force_number ())
    return;
  night_free (page->night);
  page->night = view_night (in_force_jobs ());
  page->number = in_force_number ();
}

static gboolean
show (Page *page, const View *view, Sheet *sheet, GError **error)
{
  if (!line_take (&page->line))
    return error_set (error, PRUNED_OUTAGE, "other requests are waiting for it");
  Pg *pg = page->line.pg;
  look_at_jobs (page);
  sheet->pg = pg;
  sheet->night = page->night;
  pg_set_most (pg, STATEMENT_MS, clock_monotonic_us () + DEADLINE_US);
  const gboolean ok = (view->in_own || pg_begin_read_only (pg, error)) && view->show (sheet, error);
  pg_rollback (pg);
  line_give (&page->line);
  return ok;
}

/* An error is not kept. */
static void
show_error (Sheet *sheet, const View *view, const GError *error)
{
  html_free (sheet->html);
  sheet->html = frame_begin (view);
  sheet->status = error->code == PRUNED_REJECT ? 400 : 503;
  html_open (sheet->html, HTML_P);
  html_set (sheet->html, HTML_AT_CLASS, "bad");
  html_add (sheet->html, error->code == PRUNED_REJECT ? "" : "The tables cannot be read: ");
  html_add (sheet->html, error->message);
  html_close (sheet->html);
}

static Kept *
make (Page *page, const View *view, const WebRequest *request)
{
  g_autoptr (GError) error = NULL;
  Kept *kept = g_new0 (Kept, 1);
  Sheet sheet = { frame_begin (view), .request = request,
                  .form = g_hash_table_lookup (request->filters, "format"),
                  .table = g_hash_table_lookup (request->filters, "table"), .status = 200 };
  const gboolean ok = show (page, view, &sheet, &error);
  kept->content_type = "text/html; charset=utf-8";
  if (!ok)
    show_error (&sheet, view, error);
  if (ok && sheet.form != NULL) {
    html_free (sheet.html);
    kept->content_type = type_of_form (sheet.form);
    kept->status = sheet.data != NULL ? sheet.status : 404;
    kept->body
        = sheet.data != NULL ? g_string_free (g_steal_pointer (&sheet.data), FALSE) : g_strdup ("");
    kept->etag = frame_etag (kept->body, strlen (kept->body));
  } else {
    kept->status = sheet.status;
    kept->body = frame_end (sheet.html, &kept->etag);
  }
  if (sheet.data != NULL)
    g_string_free (sheet.data, TRUE);
  kept->length = strlen (kept->body);
  kept->until_us = ok ? clock_monotonic_us () + KEPT_US : 0;
  return kept;
}

static guint
give (const Kept *kept, const WebRequest *request, WebReply *reply)
{
  const gboolean known = kept->status == 200 && is_known (request, kept->etag);
  reply->content_type = kept->content_type;
  reply->etag = kept->status == 200 ? g_strdup (kept->etag) : NULL;
  if (!known)
    g_string_append_len (reply->body, kept->body, (gssize)kept->length);
  return known ? 304 : kept->status;
}

/* 0: nothing is kept that is young enough. Of many who ask at once, one makes it anew. */
static guint
give_kept (Page *page, const char *key, const WebRequest *request, WebReply *reply)
{
  pthread_mutex_lock (&page->lock);
  Kept *kept = g_hash_table_lookup (page->kept, key);
  const gboolean there
      = kept != NULL && clock_monotonic_us () < kept->until_us + (kept->renewing ? OLD_US : 0);
  const guint status = there ? give (kept, request, reply) : 0;
  if (kept != NULL && !there)
    kept->renewing = TRUE;
  pthread_mutex_unlock (&page->lock);
  return status;
}

static guint
give_new (Page *page, const View *view, char *key, const WebRequest *request, WebReply *reply)
{
  Kept *kept = make (page, view, request);
  const guint status = give (kept, request, reply);
  pthread_mutex_lock (&page->lock);
  if (g_hash_table_size (page->kept) >= MOST_KEPT)
    g_hash_table_remove_all (page->kept);
  g_hash_table_insert (page->kept, g_strdup (key), kept);
  pthread_mutex_unlock (&page->lock);
  return status;
}

guint
page_answer (Page *page, const WebRequest *request, WebReply *reply)
{
  guint status;
  const View *view = views_find (request->path);
  reply->security = SECURITY;
  if (request->is_post)
    return g_str_equal (request->path, ACT_PATH)
               ? act_post_answer (page->post, page->hosts, request, reply)
               : say (reply, 405, "GET only\n");
  if (!hosts_has (page->hosts, request->host))
    return say (reply, 421, "not a name of this page: see [http] hosts\n");
  if (give_asset (request, reply, &status))
    return status;
  if (view == NULL)
    return say (reply, 404, "not found\n");
  if (!fits (view, request))
    return say (reply, 400, "the query has a filter that this view does not know\n");
  g_autofree char *key = key_of (view, request);
  status = give_kept (page, key, request, reply);
  if (status != 0)
    return status;
  if (atomic_fetch_add (&page->at_once, 1) >= MOST_AT_ONCE)
    status = say (reply, 503, "busy: too many readers at once, try again\n");
  else
    status = give_new (page, view, key, request, reply);
  atomic_fetch_sub (&page->at_once, 1);
  return status;
}
